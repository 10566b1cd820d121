/**
 * Finds the Chromium for the tests: a Chromium that is installed on this machine, or else the
 * Chromium of a development dependency.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import { embeddedBrowser } from './embedded-browser.js'

export interface FoundBrowser {
  /** The path of the program. */
  readonly path: string
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** A line for the log: which browser is used, and how it was found. */
  readonly line: string
}

type Environment = Readonly<Record<string, string | undefined>>

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']

/**
 * Finds a Chromium. If `CHROME_PATH` is set, it must work. Otherwise the first of these that works
 * is used: a program on `PATH`, one that `npx playwright-core install chromium` has installed, or
 * the npm package for Linux on x64. Throws if none of them works.
 */
export function findBrowser(env: Environment = process.env): FoundBrowser {
  if (env.CHROME_PATH) return chosen(env.CHROME_PATH)
  const refused: string[] = []
  const found = [...onPath(env), ...[chromium.executablePath()].filter(existsSync)]
  for (const path of found) {
    try {
      return { path, env: {}, line: `${versionOf(path)}: ${path}.` }
    } catch (error) {
      refused.push(`${path}: ${message(error)}`)
    }
  }
  try {
    const embedded = embeddedBrowser()
    return { ...embedded, line: `${versionOf(embedded.path, embedded.env)}: of the package @sparticuz/chromium.` }
  } catch (error) {
    refused.push(`@sparticuz/chromium: ${message(error)}`)
    throw new Error(
      'There is no Chromium to test with. Install one (apt install chromium, npx playwright-core install ' +
        `chromium), or set CHROME_PATH to the path of its program.\n${refused.join('\n')}`,
    )
  }
}

function chosen(path: string): FoundBrowser {
  try {
    return { path, env: {}, line: `${versionOf(path)}: CHROME_PATH.` }
  } catch (cause) {
    throw new Error(`CHROME_PATH is set, but the tests can't use its program: ${message(cause)}`, { cause })
  }
}

const onPath = ({ PATH = '' }: Environment): string[] =>
  PATH.split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => programs.map((program) => join(folder, program)))
    .filter(isProgram)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function versionOf(path: string, env: Readonly<Record<string, string>> = {}): string {
  const answer = execFileSync(path, ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 10_000,
  })
  const [version] = /\d+\.\d+\.\d+\.\d+/.exec(answer) ?? []
  if (version === undefined)
    throw new Error(`With --version, the program prints no version of Chromium: ${JSON.stringify(answer)}.`)
  return `Chromium ${version}`
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))

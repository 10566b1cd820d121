/**
 * Runs every step of docs/tutorial.md in an empty folder, with the packed package and PostgreSQL.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshSchema, type Place } from '../servers/databases.js'
import { freePort } from '../servers/free-port.js'
import { root, unpack } from './packed.js'
import { openShell, type Shell } from './shell.js'
import { answerOf, type Block, fileNameOf, type Step, stepsOf, withoutRun } from './tutorial.js'

const port = String(await freePort())
const database = 'postgres://postgres:tutorial@localhost:5432/postgres'

/**
 * A shell function that replaces `npm install`, which would need the registry. It links the named
 * packages.
 */
const install = `
npm() {
  if [ "$1" != install ]; then command npm "$@"; return; fi
  mkdir node_modules
  for name in "\${@:2}"; do ln -s "$PACKAGES/$name" "node_modules/$name"; done
}`

let home: string
let place: Place
let shell: Shell
let service: ChildProcess | undefined

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tutorial-'))
  unpack(home)
  place = await freshSchema()
  shell = openShell(home, { ...process.env, PACKAGES: join(home, 'node_modules') })
  await shell.run(install)
})

afterAll(async () => {
  await stop()
  shell.end()
  await place.drop()
  rmSync(home, { recursive: true, force: true })
})

async function stop(): Promise<void> {
  if (service === undefined || service.exitCode !== null) return
  const ended = once(service, 'close')
  service.kill('SIGINT')
  await ended
}

const folder = (): string => join(home, 'parcels')

/** Starts the service in its own process. Returns the first text that the service prints. */
async function start(): Promise<string> {
  await stop()
  service = spawn(process.execPath, ['service.js'], {
    cwd: folder(),
    env: { ...process.env, DATABASE_URL: place.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [chunk] = (await once(service.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return String(chunk)
}

/**
 * Writes a code block. The block is either a file, or a line that replaces the line with the same
 * beginning in `service.js`.
 */
function write(block: Block): void {
  const name = fileNameOf(block)
  if (name !== undefined) {
    writeFileSync(join(folder(), name), block.text)
    return
  }
  const path = join(folder(), 'service.js')
  const before = readFileSync(path, 'utf8')
  const [beginning = ''] = block.text.split('(')
  const after = before.replace(new RegExp(`^${beginning}\\(.*\\n`, 'm'), () => block.text)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

/** Compares the printed output with the block that shows the expected output. */
function compare({ language, text }: Block, printed: string): void {
  if (language === 'text') {
    expect(printed.trim()).toBe(text.trim())
    return
  }
  expect(language).toBe('http')
  const shown = answerOf(withoutRun(text))
  const given = answerOf(withoutRun(printed))
  expect(given.status).toBe(shown.status)
  expect(Object.fromEntries(given.fields)).toMatchObject(Object.fromEntries(shown.fields))
  if (shown.body === undefined) expect(given.body).toBeUndefined()
  else expect({ body: given.body }).toMatchObject({ body: shown.body })
}

const steps = stepsOf((text) => text.replaceAll('3000', port))

async function walk({ blocks }: Step): Promise<void> {
  let printed: string | undefined
  for (const block of blocks) {
    if (block.language === 'js') write(block)
    else if (block.text === 'node service.js\n') printed = await start()
    else if (block.language === 'sh') printed = await shell.run(block.text.replace(database, () => `'${place.url}'`))
    else {
      expect(printed, 'an output block must follow the command that prints it').toBeDefined()
      compare(block, printed as string)
      printed = undefined
    }
  }
}

describe('docs/tutorial.md', () => {
  it.each(steps)('$title', walk, 60_000)

  it('has nine steps, and shows more than nine responses', () => {
    expect(steps).toHaveLength(9)
    expect(steps.flatMap(({ blocks }) => blocks).filter(({ language }) => language === 'http').length).toBeGreaterThan(
      9,
    )
  })

  it('leads to the finished files that the package contains', () => {
    const finished = join(root, 'examples/tutorial')
    expect(readdirSync(finished).sort()).toEqual(['create-table.js', 'database.js', 'parcels.js', 'service.js'])
    for (const name of readdirSync(finished)) {
      const packed = readFileSync(join(home, 'package/examples/tutorial', name), 'utf8')
      expect(packed.replaceAll('3000', port), name).toBe(readFileSync(join(folder(), name), 'utf8'))
    }
  })
})

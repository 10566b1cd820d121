/** Builds the site of the documentation, serves it, and reads its files. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import express from 'express'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'build/site')

/** Runs `npm run docs:build`. Returns the output of the command. */
export async function buildSite(): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('npm', ['run', 'docs:build'], { cwd: root })
  return stdout + stderr
}

export interface ServedSite {
  /** The base URL of the site, with a trailing slash. */
  readonly base: string
  close(): Promise<void>
}

/** Serves the site below a path, like a server for static files. */
export async function serveSite(): Promise<ServedSite> {
  const app = express()
  app.use('/some/folder', express.static(folder))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { base: `http://127.0.0.1:${port}/some/folder/`, close }
}

/** The HTML of each page of the site except `404.html`, by the path of the page. */
export const sitePages = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.html') && path !== '404.html')
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )

/** The anchors of a page. */
export const anchorsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))

/** The links of a page that refer to missing files or anchors of the site. */
export function missingOf(path: string, html: string, pages: ReadonlyMap<string, string>): readonly string[] {
  const targets = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#')
      const found =
        file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file.replace(/\/$/, '/index.html')))
      if (!existsSync(join(folder, found))) return true
      return anchor !== undefined && !anchorsOf(pages.get(found) ?? '').has(decodeURIComponent(anchor))
    })
    .map((target) => `${path}: ${target}`)
}

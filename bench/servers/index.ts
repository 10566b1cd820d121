/** All servers by name. The command, the reports and the tests use these names. */

import { hasHelper } from './library.js'
import type { Setting, Start } from './setting.js'

export interface ServerRow {
  /** A description of the server, for reports. */
  readonly title: string
  /** Whether the server always requires a token. */
  readonly alwaysSecured?: boolean
  /**
   * Whether the server uses code of the library, and can therefore run with the code of another
   * checkout.
   */
  readonly ours?: boolean
  /** Whether the server requires `express-rest-conventions/server`. */
  readonly helper?: boolean
  /** Whether the server runs only workloads that list it in `servers`. */
  readonly onlyIfListed?: boolean
  readonly load: () => Promise<Start>
}

export const servers = {
  raw: { title: 'node:http by hand', load: async () => (await import('./raw.js')).start },
  express: { title: 'Express 5 by hand', load: async () => (await import('./express.js')).start },
  'express-helper': {
    title: 'Express 5 by hand, our createServer',
    ours: true,
    helper: true,
    load: async () => (await import('./express.js')).startOnHelper,
  },
  'sql-json': {
    title: 'Express 5, JSON made in SQL, our createServer',
    ours: true,
    helper: true,
    onlyIfListed: true,
    load: async () => (await import('./sql-json.js')).start,
  },
  fastify: { title: 'Fastify 5 with its plugins', load: async () => (await import('./fastify.js')).start },
  'fastify-tuned': {
    title: 'Fastify 5, version tags and token cache',
    load: async () => (await import('./fastify.js')).startTuned,
  },
  hono: { title: 'Hono on Node', load: async () => (await import('./hono.js')).start },
  mounted: {
    title: 'resourceRouter, app.listen',
    ours: true,
    load: async () => (await import('./library.js')).startMounted,
  },
  'mounted-helper': {
    title: 'resourceRouter, our createServer',
    ours: true,
    helper: true,
    load: async () => (await import('./library.js')).startMountedOnHelper,
  },
  'mounted-subscribed': {
    title: 'resourceRouter, our createServer, every diagnostics channel subscribed',
    ours: true,
    helper: true,
    onlyIfListed: true,
    load: async () => (await import('./library.js')).startSubscribed,
  },
  api: {
    title: 'api, everything on, app.listen',
    ours: true,
    alwaysSecured: true,
    load: async () => (await import('./library.js')).startApi,
  },
  'api-helper': {
    title: 'api, everything on, our createServer',
    ours: true,
    helper: true,
    alwaysSecured: true,
    load: async () => (await import('./library.js')).startApiOnHelper,
  },
} satisfies Record<string, ServerRow>

export type ServerName = keyof typeof servers

export const serverNames = Object.keys(servers) as ServerName[]

/** Whether a checkout contains what a server needs. */
export function isThere(name: ServerName, checkout: string): boolean {
  const row: ServerRow = servers[name]
  return row.helper !== true || hasHelper(checkout)
}

/**
 * Whether a server runs a workload. `listed`: the option `servers` of the workload, if it is set.
 */
export function hasWorkload(name: ServerName, listed: readonly ServerName[] | undefined): boolean {
  const row: ServerRow = servers[name]
  return listed === undefined ? row.onlyIfListed !== true : listed.includes(name)
}

export async function startServer(setting: Setting) {
  const row = servers[setting.server as ServerName] as ServerRow | undefined
  if (row === undefined) throw new Error(`There is no server "${setting.server}".`)
  return (await row.load())(setting)
}

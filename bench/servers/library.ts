/** Loads the library of a given checkout, and creates the benchmark's services with it. */
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import express, { type Express } from 'express'
import type { Adapter, Mount, ResourceRouterOptions } from 'express-rest-conventions'
import type { RateLimit } from 'express-rest-conventions/middleware'
import { limit } from '../by-hand/access.js'
import { origin } from '../data/addresses.js'
import { poolOf } from '../data/pool.js'
import { contracts, pieces } from '../data/records.js'
import { type Contrato, contratoSchema, type Pieza, piezaSchema, shown } from '../data/resources.js'
import { ownAdapters } from './own-adapter.js'
import type { Setting, Start } from './setting.js'

export type Library = typeof import('express-rest-conventions') &
  typeof import('express-rest-conventions/auth') &
  typeof import('express-rest-conventions/middleware')

/** The parts of `express-rest-conventions/server` that are used here. */
interface Helper {
  createServer(app: Express): Server
}

const helperPath = 'dist/server/index.js'

export const hasHelper = (checkout: string): boolean => existsSync(join(checkout, helperPath))

/** Loads a module of a built checkout. */
export const load = (checkout: string, path: string): Promise<unknown> =>
  import(pathToFileURL(join(checkout, path)).href)

export const loadHelper = async (checkout: string): Promise<Helper> => (await load(checkout, helperPath)) as Helper

/** `resourceRouter` in an Express app, on the server that `app.listen` would create. */
export const startMounted: Start = async (setting) => createServer(await mountedApp(setting))

/** The app of `startMounted` on the library's own HTTP server. */
export const startMountedOnHelper: Start = async (setting) =>
  (await loadHelper(setting.checkout)).createServer(await mountedApp(setting))

/**
 * The app of `startMounted` on the library's own HTTP server, with a subscriber on every
 * diagnostics channel of the library.
 */
export const startSubscribed: Start = async (setting) => {
  const server = await startMountedOnHelper(setting)
  const unsubscribe = subscribeToAll()
  return server.on('close', unsubscribe)
}

/**
 * Subscribes to every event of every channel, and returns a function that unsubscribes. The
 * subscribers do nothing, so only the cost of the messages is measured.
 */
function subscribeToAll(): () => void {
  const subscriber = (): void => {}
  const names = channels.map((name) => `express-rest-conventions:${name}`)
  const events = names.flatMap((name) => {
    const { start, end, asyncStart, asyncEnd, error } = tracingChannel(name)
    return [channel(name), start, end, asyncStart, asyncEnd, error]
  })
  for (const event of events) event.subscribe(subscriber)
  return () => {
    for (const event of events) event.unsubscribe(subscriber)
  }
}

const channels = ['request', 'step', 'adapter-call', 'cache', 'pool-wait', 'slow-list', 'store-failure']

/** `api` with tokens, permissions, a rate limit, CORS, secure headers and a login. */
export const startApi: Start = async (setting) => createServer(await apiApp(setting))

/** The app of `startApi` on the library's own HTTP server. */
export const startApiOnHelper: Start = async (setting) =>
  (await loadHelper(setting.checkout)).createServer(await apiApp(setting))

async function mountedApp(setting: Setting): Promise<Express> {
  const { problems } = await loadLibrary(setting)
  const { pieces, contracts } = await mountedRouters(setting)
  const app = express()
  app.disable('x-powered-by')
  return app.use('/v1', pieces, contracts).use(problems())
}

/** Creates the routers of the pieces and of the contracts. `over` can wrap each adapter. */
export async function mountedRouters(setting: Setting, over = <A extends object>(adapter: A): A => adapter) {
  const library = await loadLibrary(setting)
  const { resourceRouter, bearer, scopePermission, rateLimit } = library
  const { piezas, contratos, mounts } = await resources(library, setting, over)
  const limits = setting.secured
    ? {
        authenticate: bearer({ keys: tokenKey(setting) }),
        permission: scopePermission(),
        rateLimit: rateLimit({ limit }),
      }
    : {}
  const options: ResourceRouterOptions = { baseUrl: origin, ...limits }
  return {
    pieces: resourceRouter(piezas.definition, piezas.adapter, { ...options, related: [mounts.contratos] }),
    contracts: resourceRouter(contratos.definition, contratos.adapter, options),
  }
}

async function apiApp(setting: Setting): Promise<Express> {
  const library = await loadLibrary(setting)
  const { api, bearer, crossOrigin, login, problems, rateLimit, scopePermission, tokenIssuer } = library
  const { mounts } = await resources(library, setting)
  const key = tokenKey(setting)
  const { user, salt, hash } = setting.account
  const unpadded = (text: string): string => text.replace(/=+$/, '')
  const account = {
    hash: `$scrypt$ln=15,r=8,p=3$${unpadded(salt)}$${unpadded(hash)}`,
    principal: { sub: user, scope: '*:read *:write' },
  }
  const counted: RateLimit = rateLimit({ limit })
  const app = express()
  app.disable('x-powered-by')
  app.use(
    api({
      baseUrl: origin,
      cors: crossOrigin({ origins: ['https://shop.example'] }),
      login: login({ find: (name) => (name === user ? account : undefined), token: tokenIssuer({ key }) }),
      authenticate: bearer({ keys: key }),
      permission: scopePermission(),
      rateLimit: counted,
      versions: { v1: [mounts.piezas, mounts.contratos], v0: 'retired' },
    }),
  )
  return app.use(problems())
}

const loadLibrary = ({ checkout }: Setting): Promise<Library> => loadEntries(checkout)

/**
 * Loads the exports of the library's main entry point, of `auth` and of `middleware` into one
 * object. An older checkout has only the main entry point, and some of its exports have other
 * names.
 */
export async function loadEntries(checkout: string): Promise<Library> {
  const entries = ['dist/index.js', 'dist/auth/index.js', 'dist/middleware/index.js'].filter((path) =>
    existsSync(join(checkout, path)),
  )
  const modules = (await Promise.all(entries.map((path) => load(checkout, path)))) as Record<string, unknown>[]
  const names: Record<string, unknown> = Object.assign({}, ...modules)
  names.scopePermission ??= names.scopes
  return names as unknown as Library
}

const tokenKey = ({ secret }: Setting) => ({ algorithm: 'HS256', key: Buffer.from(secret, 'base64') }) as const

/** Returns the definitions with their adapters, and their mounts. */
async function resources(library: Library, setting: Setting, over = <A extends object>(adapter: A): A => adapter) {
  const { mount } = library
  const { contratos, piezas } = define(library)
  const made = await adaptersOf(setting, { contratos, piezas })
  const adapters = { piezas: over(made.piezas), contratos: over(made.contratos) }
  const mounts: Record<'piezas' | 'contratos', Mount> = {
    piezas: mount(piezas, adapters.piezas),
    contratos: mount(contratos, adapters.contratos),
  }
  return {
    piezas: { definition: piezas, adapter: adapters.piezas },
    contratos: { definition: contratos, adapter: adapters.contratos },
    mounts,
  }
}

export function define({ defineResource }: Pick<Library, 'defineResource'>) {
  const contratos = defineResource({ collection: 'contratos', key: 'codigo', schema: contratoSchema })
  const piezas = defineResource({
    collection: 'pre-piezas',
    key: 'numero',
    assigned: true,
    schema: piezaSchema,
    filters: { lote: true, sucursalDeDistribucion: true },
    sort: ['fechaDeEntrada', 'numero'],
    links: { contrato: { to: contratos, by: 'contratoId', show: [...shown] } },
  })
  return { contratos, piezas }
}

type Definitions = ReturnType<typeof define>

async function adaptersOf(
  { checkout, database, ownAdapter = false }: Setting,
  definitions: Definitions,
): Promise<Adapters> {
  if (ownAdapter) return ownAdapters()
  return database === undefined ? inMemory(checkout, definitions) : inPostgres(checkout, database, definitions)
}

interface Adapters {
  readonly piezas: Adapter<Pieza, number>
  readonly contratos: Adapter<Contrato, string>
}

async function inMemory(checkout: string, { contratos, piezas }: Definitions) {
  const { memoryAdapter } = (await load(
    checkout,
    'dist/adapters/memory/index.js',
  )) as typeof import('express-rest-conventions/memory')
  return {
    contratos: memoryAdapter(contratos, { records: contracts() }),
    piezas: memoryAdapter(piezas, { records: pieces() }),
  }
}

/**
 * The tables of the benchmark's database. The library's adapters use them, and `data/database.ts`
 * creates them.
 */
export const tables = {
  contratos: { table: 'contratos', version: { column: 'version' } },
  piezas: { table: 'pre_piezas', version: { column: 'version' } },
} as const

async function inPostgres(checkout: string, database: string, { contratos, piezas }: Definitions) {
  const { postgresAdapter } = (await load(
    checkout,
    'dist/adapters/postgres/index.js',
  )) as typeof import('express-rest-conventions/postgres')
  const pool = poolOf(database)
  return {
    contratos: postgresAdapter(pool, { resource: contratos, ...tables.contratos }),
    piezas: postgresAdapter(pool, { resource: piezas, ...tables.piezas }),
  }
}

/**
 * The servers that `npm run bench:growth` measures. Most servers mount the library's `api` in an
 * Express app, on the HTTP server from `express-rest-conventions/server`.
 */
import { createServer, type Server } from 'node:http'
import express, { type Express } from 'express'
import type { Mount } from 'express-rest-conventions'
import pg from 'pg'
import { limit } from '../../by-hand/access.js'
import { origin } from '../../data/addresses.js'
import { contracts, piece } from '../../data/records.js'
import { piecesOf } from '../data/records.js'
import { defineLinked, definePieces, linkMembers } from '../data/resources.js'
import { linkedTable, pieceTable, version } from '../data/tables.js'
import type { Built } from './built.js'
import type { BareServing, LinkedServing, ManyServing, PiecesServing, SecuredServing, Serving } from './serving.js'

/**
 * The app, and a function that returns the number of adapter calls so far, if these calls are
 * counted.
 */
interface Served {
  readonly app: Express
  readonly calls?: () => number
}

/** Creates a server that does not listen yet. */
export function serve(serving: Serving, built: Built): { readonly server: Server; readonly calls: () => number } {
  if (serving.kind === 'bare') return { server: bare(), calls: () => 0 }
  const { app, calls = () => 0 } = served(serving, built)
  return { server: built.helper.createServer(app), calls }
}

function served(serving: Exclude<Serving, BareServing>, built: Built): Served {
  switch (serving.kind) {
    case 'pieces':
      return pieces(serving, built)
    case 'linked':
      return linked(serving, built)
    case 'many':
      return many(serving, built)
    case 'secured':
      return secured(serving, built)
  }
}

function bare(): Server {
  const body = Buffer.from(JSON.stringify(piece(1)))
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  return createServer((_req, res) => res.writeHead(200, headers).end(body))
}

function inApp({ library }: Built, mounts: readonly Mount[], options: object = { baseUrl: origin }): Express {
  const app = express()
  app.disable('x-powered-by')
  return app.use(library.api({ ...options, versions: { v1: mounts } })).use(library.problems())
}

const poolOf = (connectionString: string): pg.Pool => new pg.Pool({ connectionString, max: 10 })

function pieces(serving: PiecesServing, built: Built): Served {
  const { mount } = built.library
  const { contratos, piezas } = definePieces(built.library)
  if (serving.database === undefined) {
    const { memoryAdapter } = built.memory
    const records = piecesOf(serving)
    return {
      app: inApp(built, [
        mount(piezas, memoryAdapter(piezas, { records })),
        mount(contratos, memoryAdapter(contratos, { records: contracts() })),
      ]),
    }
  }
  const { postgresAdapter } = built.postgres
  const pool = poolOf(serving.database)
  const count = serving.count ?? 'exact'
  return {
    app: inApp(built, [
      mount(piezas, postgresAdapter(pool, { table: pieceTable(serving), version, count })),
      mount(contratos, postgresAdapter(pool, { table: 'contratos', version })),
    ]),
  }
}

function linked(serving: LinkedServing, built: Built): Served {
  const { mount } = built.library
  const { piezas, targets } = defineLinked(built.library)
  let calls = 0
  /** Wraps an adapter, so that its calls are counted. */
  const counted = <A extends { list: (...args: never[]) => unknown; read: (...args: never[]) => unknown }>(
    adapter: A,
  ): A => ({
    ...adapter,
    list: (...args: never[]) => {
      calls++
      return adapter.list(...args)
    },
    read: (...args: never[]) => {
      calls++
      return adapter.read(...args)
    },
  })
  const { memoryAdapter } = built.memory
  const { postgresAdapter } = built.postgres
  const pool = serving.database === undefined ? undefined : poolOf(serving.database)
  const mounts = Object.values(targets).map((target) =>
    mount(
      target,
      pool === undefined
        ? counted(memoryAdapter(target, { records: contracts() }))
        : counted(postgresAdapter(pool, { resource: target, table: target.collection, version })),
    ),
  )
  const own =
    pool === undefined
      ? counted(memoryAdapter(piezas, { records: withKeys(serving) }))
      : counted(postgresAdapter(pool, { resource: piezas, table: linkedTable(serving), version }))
  return { app: inApp(built, [mount(piezas, own), ...mounts]), calls: () => calls }
}

function* withKeys(serving: LinkedServing) {
  const [, cliente, sucursal, tarifa] = linkMembers
  for (const piece of piecesOf(serving)) {
    const key = piece.contratoId
    yield { ...piece, [cliente]: key, [sucursal]: key, [tarifa]: key }
  }
}

/** The number of pieces in each resource of `many()`. */
const few = { rows: 10, matches: 10 } as const

export const collectionOf = (at: number): string => `pre-piezas-${at + 1}`

function many({ by, resources }: ManyServing, built: Built): Served {
  const { mount, problems, resourceRouter } = built.library
  const { memoryAdapter } = built.memory
  const { contratos } = definePieces(built.library)
  const contracted = mount(contratos, memoryAdapter(contratos, { records: contracts() }))
  const defined = Array.from({ length: resources }, (_, at) => {
    const { piezas } = definePieces(built.library, collectionOf(at))
    return { definition: piezas, adapter: memoryAdapter(piezas, { records: piecesOf(few) }) }
  })
  if (by === 'api')
    return { app: inApp(built, [...defined.map(({ definition, adapter }) => mount(definition, adapter)), contracted]) }
  const v1 = express.Router()
  for (const { definition, adapter } of defined)
    v1.use(resourceRouter(definition, adapter, { baseUrl: origin, related: [contracted] }))
  const app = express()
  app.disable('x-powered-by')
  return { app: app.use('/v1', v1).use(problems()) }
}

function secured(serving: SecuredServing, built: Built): Served {
  const { bearer, crossOrigin, mount, rateLimit, scopePermission } = built.library
  const { memoryAdapter } = built.memory
  const { contratos, piezas } = definePieces(built.library)
  const options = {
    cors: crossOrigin({ origins: ['https://shop.example'] }),
    authenticate: bearer({ keys: { algorithm: 'HS256', key: Buffer.from(serving.secret, 'base64') } }),
    permission: scopePermission(),
    rateLimit: rateLimit({ limit }),
  }
  const mounts = [
    mount(piezas, memoryAdapter(piezas, { records: piecesOf(serving) })),
    mount(contratos, memoryAdapter(contratos, { records: contracts() })),
  ]
  return { app: inApp(built, mounts, options) }
}

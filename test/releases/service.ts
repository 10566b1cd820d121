/**
 * A service with fixed keys, URLs and row versions, so that most of what it stores and sends is the
 * same in every run.
 */
import express from 'express'
import pg from 'pg'
import { postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import { bearer, login, scopePermission, tokenIssuer } from '../../src/auth/index.js'
import { api, defineResource, mount, problems } from '../../src/index.js'
import { rateLimit } from '../../src/middleware/index.js'
import { listen } from '../clauses/fixture.js'
import { freshSchema } from '../servers/databases.js'
import { redisStores, redisUrl } from '../servers/redis-stores.js'

const text = { type: ['string', 'null'] } as const
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'numero',
  assigned: true,
  schema: {
    type: 'object',
    required: ['numero'],
    properties: {
      numero: { type: 'integer' },
      texto: text,
      cuando: { type: ['string', 'null'], format: 'local-date-time' },
      peso: { type: ['number', 'null'] },
    },
  },
  filters: { texto: { many: true }, desde: { field: 'cuando', op: 'gte' } },
  sort: ['texto', 'cuando', 'peso'],
})
const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, texto: text } } as const
const notas = defineResource({ collection: 'notas', key: 'id', schema })
const lotes = defineResource({ collection: 'lotes', key: 'id', schema })

const key = { kid: '1', algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } as const
const issuer = 'https://login.example'

/** The version of every row in tables with a version column. */
export const version = '7b0f2f4e-6a51-4d0c-9a37-3f2c8a1d9e60'

/** Creates an issuer. Its tokens are valid for `lifetime` seconds. */
export const issuing = (lifetime: number) => tokenIssuer({ key, issuer, audience: 'pedidos', lifetime })

export async function service(storedHash: string) {
  const place = await freshSchema()
  const pool = new pg.Pool({ connectionString: place.url, max: 3 })
  const stores = redisStores(redisUrl())
  const options = {
    pedidos: {
      table: 'pedidos',
      version: { column: 'version', soleWriter: true },
      idempotency: { table: 'idempotency_keys' },
    },
    notas: { table: 'notas', version: { column: 'version' } },
    lotes: { table: 'lotes', version: 'xmin', epoch: 'e1' },
  } as const
  await place.sql(`${tableDdl(pedidos, options.pedidos)} ${tableDdl(notas, options.notas)}; DROP TRIGGER notas_next_version ON notas; DROP TRIGGER pedidos_next_version ON pedidos; ${tableDdl(lotes, options.lotes)};
    INSERT INTO pedidos (numero, texto, cuando, peso, version)
      SELECT i, CASE WHEN i % 3 > 0 THEN 't' || i % 2 END, '2026-01-0' || i || 'T08:30:00.0000000', i / 2.0, '${version}' FROM generate_series(1, 6) i;
    ALTER TABLE pedidos ALTER COLUMN numero RESTART WITH 100;
    INSERT INTO notas VALUES ('a', 'una', '${version}'); INSERT INTO lotes VALUES ('a', 'una')`)
  const app = express()
  app.set('trust proxy', 'loopback')
  const table = <const O extends object>(of: O) => ({ ...of, onWarning: () => {} })
  app.use(
    api({
      baseUrl: 'https://api.example/',
      authenticate: bearer({ keys: key, issuer, audience: 'pedidos' }),
      permission: scopePermission(),
      rateLimit: rateLimit({
        limit: 1_000,
        budgets: [{ name: 'writes', methods: 'write', limit: 1_000 }],
        store: stores.store,
      }),
      login: login({
        find: (user) => (user === 'ana' ? { hash: storedHash, principal: { sub: 'ana' } } : undefined),
        token: ({ sub }: { sub: string }) => issuing(3600)({ sub }),
        store: stores.store,
      }),
      versions: {
        v1: [
          mount(pedidos, postgresAdapter(pool, table(options.pedidos))),
          mount(notas, postgresAdapter(pool, table(options.notas))),
          mount(lotes, postgresAdapter(pool, table(options.lotes))),
        ],
      },
    } as never),
    problems(),
  )
  const served = await listen(app)
  return {
    ...served,
    sql: (statement: string) => place.sql(statement),
    redis: stores.client,
    prefix: stores.prefix,
    async close() {
      const keys = await stores.client.keys(`${stores.prefix}*`)
      if (keys.length > 0) await stores.client.del(keys)
      await served.close()
      stores.close()
      await pool.end()
      await place.drop()
    },
  }
}

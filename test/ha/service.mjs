/**
 * A service process of the cluster. The counters `contadores` are updated with `If-Match`.
 * `lecturas` are the same counters, read from the replicas. Shipments (`envios`) are created with
 * `Idempotency-Key`, each with a row in an outbox.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { api, defineResource, mount, problems } from 'express-rest-conventions'
import { rateLimit } from 'express-rest-conventions/middleware'
import { postgresAdapter, redisReplicaPositions } from 'express-rest-conventions/postgres'
import { createServer, health } from 'express-rest-conventions/server'
import pg from 'pg'
import { RedisStore } from 'rate-limit-redis'
import { createSentinel } from 'redis'

const { DATABASE_URL, REPLICAS_URL, PORT, SENTINELS, MASTER } = process.env
const text = { type: 'string' }
const counter = {
  key: 'id',
  schema: { type: 'object', required: ['id', 'valor'], properties: { id: text, valor: { type: 'integer' } } },
}
const contadores = defineResource({ collection: 'contadores', ...counter })
const lecturas = defineResource({ collection: 'lecturas', ...counter })
const envios = defineResource({
  collection: 'envios',
  key: 'numero',
  assigned: true,
  schema: { type: 'object', required: ['numero', 'clave'], properties: { numero: { type: 'integer' }, clave: text } },
})

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20, connectionTimeoutMillis: 3_000 })
const replicas = new pg.Pool({ connectionString: REPLICAS_URL, max: 20, connectionTimeoutMillis: 1_000 })
const probes = new pg.Pool({
  connectionString: DATABASE_URL,
  max: 1,
  connectionTimeoutMillis: 1_000,
  query_timeout: 1_000,
})
probes.on('error', () => {})
const version = { column: 'version', soleWriter: true }
const common = { version, prepare: false, statementTimeout: 3_000, acquireTimeout: 3_000, onWarning() {} }
const counters = postgresAdapter(pool, { table: 'contadores', ...common })
const shipments = postgresAdapter(pool, {
  table: 'envios',
  idempotency: { table: 'idempotency_keys' },
  ...common,
  write: async (tx, change) => {
    await change.apply()
    await tx.query('INSERT INTO outbox (clave) VALUES ($1)', [change.after.clave])
  },
})

const timing = {
  connectTimeout: 1_000,
  socketTimeout: 3_000,
  reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000),
}
const sentinel = createSentinel({
  name: MASTER,
  sentinelRootNodes: JSON.parse(SENTINELS),
  scanInterval: 1_000,
  maxCommandRediscovers: 0,
  passthroughClientErrorEvents: true,
  sentinelClientOptions: { socket: timing },
  nodeClientOptions: { disableOfflineQueue: true, socket: timing },
})
sentinel.on('error', () => {})
/**
 * Connects to Redis, and retries: the client itself gives up if no sentinel responds to the first
 * attempt.
 */
async function connect() {
  for (;;) {
    try {
      return await sentinel.connect()
    } catch {
      await sleep(1_000)
    }
  }
}
void connect()
setInterval(() => sentinel.sendCommand(false, ['PING']).catch(() => {}), 1_000).unref()
const positions = redisReplicaPositions({ sendCommand: async (...command) => sentinel.sendCommand(false, command) })
const readings = postgresAdapter(
  { read: replicas, write: pool },
  { table: 'contadores', replica: { positions }, ...common },
)
const store = (name) =>
  new RedisStore({ prefix: `ha:${name}:`, sendCommand: async (...command) => sentinel.sendCommand(false, command) })

const app = express()
app.use(health({ checks: { database: () => probes.query('SELECT 1') } }))
const service = api({
  timeout: 8_000,
  rateLimit: rateLimit({ limit: 100_000_000, store, onStoreFailure() {}, onStoreRecovery() {} }),
  principal: (req) => req.headers['x-client'] ?? 'cliente',
  permission: () => 'allow',
  onError() {},
  versions: { v1: [mount(contadores, counters), mount(lecturas, readings), mount(envios, shipments)] },
})
app.use(service, problems())
const server = createServer(app)
process.on('SIGTERM', async () => {
  await server.shutdown({ drain: 2_000, grace: 10_000 })
  process.exit(0)
})
await service.ready().catch(() => {})
server.listen(Number(PORT), '127.0.0.1', () => console.log('listening'))

/**
 * Runs the example `pre-piezas` with the recipe for prom-client, sends requests of every kind that
 * the Grafana dashboard shows, and prints the metrics. Arguments: the recipe's module; the URL of
 * an empty database; the URL of an unreachable Redis server.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'
import pg from 'pg'

const [recipe, databaseUrl, redisUrl] = process.argv.slice(2)
await import(pathToFileURL(recipe).href)
const { register } = await import('prom-client')
const load = (file) => import(new URL(file, new URL('../../build/examples/pre-piezas/', import.meta.url)).href)
const [{ createService }, { openAccess }, { openCounters }, { openStores }] = await Promise.all(
  ['service.js', 'access.js', 'counters.js', 'store/stores.js'].map(load),
)
console.error = () => {}
const access = await openAccess({})
const stores = await openStores({ databaseUrl, dataDir: undefined, seedSize: 50 })
const counters = await openCounters(redisUrl)
const { app, ready } = createService({ rateLimit: 600 }, { stores, access, counters })
await ready()
const server = createServer(app)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://127.0.0.1:${server.address().port}`
const authorization = `Bearer ${access.privateToken()}`
const ask = async (path, init = {}) => {
  const answer = await fetch(base + path, { ...init, headers: { authorization, ...init.headers } })
  await answer.text()
  return answer.status
}
const statuses = [
  await ask('/v1/clientes?limit=1'),
  await ask('/v8/pre-piezas/1', { method: 'DELETE', headers: { 'if-match': '"old"' } }),
  await ask('/v0/clientes'),
]
// Another session locks the table for 1.3 s. So each list request takes more than a second, and
// some requests wait for a connection of the pool.
const other = new pg.Client({ connectionString: databaseUrl })
await other.connect()
await other.query('BEGIN; LOCK TABLE contratos IN ACCESS EXCLUSIVE MODE')
const held = Array.from({ length: 15 }, (_, i) => ask(`/v8/contratos?limit=${i + 1}`))
await new Promise((resolve) => setTimeout(resolve, 1_300))
await other.query('ROLLBACK')
await other.end()
statuses.push(...(await Promise.all(held)))
const text = () => register.metrics()
for (let tries = 0; tries < 200 && !(await text()).includes('rest_slow_lists_total{'); tries++)
  await new Promise((resolve) => setTimeout(resolve, 50))
await new Promise((resolve) => server.close(resolve))
console.log(JSON.stringify({ statuses, metrics: await register.getMetricsAsJSON() }))
process.exit(0)

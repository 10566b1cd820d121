/**
 * Runs a service with one recipe of docs/observability.md, sends a few requests to it, and prints
 * the output of the recipe. Arguments: the recipe's module; the kind of recipe; the major version
 * of Express.
 */

import { channel, tracingChannel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [path, kind, major] = process.argv.slice(2)
const load = (file) => import(new URL(file, new URL('../../dist/', import.meta.url)).href)
const recipe = () => import(pathToFileURL(path).href)

/**
 * The kinds of recipes. Each function loads its recipe and returns `output`, which reads the output
 * of the recipe. Some functions also return a middleware (`before`) or `options` of the service.
 */
const kinds = {
  async prom() {
    await recipe()
    const { register } = await import('prom-client')
    return { output: () => register.getMetricsAsJSON() }
  },
  async otel() {
    const { context, metrics } = await import('@opentelemetry/api')
    const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks')
    const { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } = await import(
      '@opentelemetry/sdk-metrics'
    )
    const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http')
    const exporter = new InMemoryMetricExporter(1)
    context.setGlobalContextManager(new AsyncLocalStorageContextManager())
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
    metrics.setGlobalMeterProvider(provider)
    new HttpInstrumentation({ disableOutgoingRequestInstrumentation: true }).setMeterProvider(provider)
    await recipe()
    return {
      async output() {
        await provider.forceFlush()
        const all = exporter
          .getMetrics()
          .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: some }) => some))
        return all.map(({ descriptor: { name, unit }, dataPoints }) => ({
          name,
          unit,
          points: dataPoints.map((point) => point.attributes),
        }))
      },
    }
  },
  async pino() {
    const { logger, hooks } = await recipe()
    return { before: logger, options: hooks, output: () => [] }
  },
  async morgan() {
    const { logger, onResponse } = await recipe()
    return { before: logger, options: { onResponse, onError: () => {} }, output: () => [] }
  },
  async sentry() {
    const envelopes = []
    const dsn = createServer(async (req, res) => {
      envelopes.push(Buffer.concat(await req.toArray()).toString())
      res.end('{}')
    })
    dsn.listen(0, '127.0.0.1')
    await once(dsn, 'listening')
    process.env.SENTRY_DSN = `http://key@127.0.0.1:${dsn.address().port}/1`
    const { onError } = await recipe()
    const { flush } = await import('@sentry/node')
    return {
      options: { onError },
      async output() {
        await flush(5_000)
        return envelopes
      },
    }
  },
}

const { before, options, output } = await kinds[kind]()
const express = createRequire(import.meta.url)(major === '4' ? 'express4' : 'express')
const { api, defineResource, mount } = await load('index.js')
const { memoryAdapter } = await load('adapters/memory/index.js')

const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
const cosas = defineResource({ collection: 'cosas', key: 'id', schema })
const rotas = defineResource({ collection: 'rotas', key: 'id', schema })
const broken = {
  list: () => ({ items: [] }),
  read: () => {
    throw new Error('password=hunter2', {
      cause: Object.assign(new Error('x'), {
        syscall: 'connect',
        code: 'ECONNREFUSED',
        address: '10.0.0.7',
        port: 5432,
      }),
    })
  },
}
const resources = [mount(cosas, memoryAdapter(cosas, { records: [{ id: 'c1' }] })), mount(rotas, broken)]
const service = api({
  onError: () => {},
  ...options,
  versions: { v2: resources, v1: { resources, deprecated: '2020-01-01' }, v0: 'retired' },
})
const app = express()
if (before !== undefined) app.use(before)
const server = createServer(app.use(service))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `http://127.0.0.1:${server.address().port}`
const ask = async (at, init = {}) => {
  const answer = await fetch(base + at, {
    ...init,
    headers: { 'x-request-id': 'r-1', authorization: 'Bearer secreto', ...init.headers },
  })
  await answer.text()
  return answer.status
}
const statuses = [
  await ask('/v2/cosas/c1'),
  await ask('/v1/cosas/c1'),
  await ask('/v2/cosas/none'),
  await ask('/v2/cosas/c1', { method: 'DELETE', headers: { 'if-match': '"old"' } }),
  await ask('/v2/rotas/numero-privado'),
  await ask('/v0/cosas'),
]
// The library publishes these events for a PostgreSQL pool, or for a store that fails. This service
// has neither, so this program publishes them itself. Other tests check that the library publishes
// them.
const wait = tracingChannel('express-rest-conventions:pool-wait')
for (const [event, message] of [
  ['start', { size: 1, waiting: 1, duration: undefined, failed: false }],
  ['asyncEnd', { size: 1, waiting: 1, duration: 7, failed: false }],
]) {
  wait[event].publish(message)
}
const slow = { collection: 'cosas', duration: 1500, filters: ['a', 'b'], sort: [], search: false, readWhole: ['t'] }
channel('express-rest-conventions:slow-list').publish(slow)
channel('express-rest-conventions:store-failure').publish({ state: 'failed', message: 'm' })
await new Promise((resolve) => server.close(resolve))
console.log(JSON.stringify({ statuses, output: await output() }))
process.exit(0)

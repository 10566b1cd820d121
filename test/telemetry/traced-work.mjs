/**
 * Runs a service over PostgreSQL with the recipe "Spans with OpenTelemetry" of
 * docs/observability.md and with the real SDK. Prints all spans of its requests as JSON. Arguments:
 * the recipe's module; the URL of the database.
 */
import http from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const [recipe, address] = process.argv.slice(2)
const { contextManager } = await import(pathToFileURL(recipe).href)
const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register({ contextManager })
new HttpInstrumentation({ disableOutgoingRequestInstrumentation: true })
new PgInstrumentation()

const require = createRequire(import.meta.url)
const { Pool } = require('pg')
const express = require('express')
const load = (path) => import(new URL(path, new URL('../../dist/', import.meta.url)).href)
const { api, defineResource, mount } = await load('index.js')
const { postgresAdapter } = await load('adapters/postgres/index.js')

const table = 'traced_cosas'
// The pool has one connection, so requests wait for each other in a queue of the library.
const pool = new Pool({ connectionString: address, max: 1 })
await pool.query(`CREATE TABLE ${table} (id text PRIMARY KEY, veces integer NOT NULL)`)
try {
  await pool.query(`INSERT INTO ${table} VALUES ('c1', 1), ('c2', 2)`)
  const cosas = defineResource({
    collection: 'cosas',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id', 'veces'],
      properties: { id: { type: 'string' }, veces: { type: 'integer' } },
    },
  })
  const service = api({ onError: () => {}, versions: { v1: [mount(cosas, postgresAdapter(pool, { table }))] } })
  await service.ready()
  const server = http.createServer(express().use(service))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  exporter.reset()
  const base = `http://127.0.0.1:${server.address().port}/v1/cosas`
  const patch = (veces) =>
    fetch(`${base}/c1`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ veces }),
    })
  const answers = await Promise.all([
    fetch(`${base}/c1`),
    fetch(`${base}/c2`),
    fetch(`${base}/none`),
    patch(5),
    patch(6),
    fetch(base),
  ])
  for (const answer of answers) await answer.text()
  await new Promise((resolve) => server.close(resolve))
  const spans = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    id: span.spanContext().spanId,
    trace: span.spanContext().traceId,
    parent: span.parentSpanContext?.spanId ?? null,
    scope: span.instrumentationScope.name,
    events: span.events.map(({ name }) => name),
  }))
  console.log(JSON.stringify({ statuses: answers.map(({ status }) => status), spans }))
} finally {
  await pool.query(`DROP TABLE ${table}`)
  await pool.end()
}
process.exit(0)

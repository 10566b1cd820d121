/**
 * Type tests of formats, patches and POSTs with idempotency keys. They are checked in the same way
 * as `definition.test-d.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AdapterCall,
  api,
  defineResource,
  endpoint,
  type Idempotency,
  mount,
  representation,
  resourceRouter,
} from 'express-rest-conventions'
import { type MemoryIdempotencyOptions, memoryAdapter } from 'express-rest-conventions/memory'
import { recordAnswer, recordBody } from 'express-rest-conventions/middleware'
import {
  type IdempotencyOptions,
  idempotencyDdl,
  type PostgresClient,
  postgresAdapter,
} from 'express-rest-conventions/postgres'

interface Factura {
  id: number
  total: number
}
declare const req: IncomingMessage
declare const res: ServerResponse
declare const client: PostgresClient
declare const call: AdapterCall
declare const idempotency: Idempotency

const facturas = defineResource<Factura>()({
  collection: 'facturas',
  singular: 'factura',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'total'],
    properties: { id: { type: 'integer' }, total: { type: 'number' } },
  },
})
const store = memoryAdapter(facturas, { idempotency: true })

// The functions `item` and `list` of a representation get records. The type argument is the type of
// a record. Without a type argument, each member of a record has the type `unknown`.
const pdf = representation<Factura>('application/pdf', {
  item: async ({ id }, { signal }) => ({
    body: signal.aborted ? '' : new Uint8Array(id),
    headers: { 'Content-Disposition': 'inline' },
  }),
  list: (page) => page.map(({ total }) => total.toFixed(2)).join(),
  revision: '2',
})
const plain = representation('text/plain', {
  item: (record) => String(record.id),
  value: (value) => JSON.stringify(value),
})
// @ts-expect-error: the record has no such member
representation<Factura>('text/csv', { item: ({ totl }) => `${totl}` })
// @ts-expect-error: a page is a list of records
representation<Factura>('text/csv', { list: ({ total }) => `${total}` })
// @ts-expect-error: there is no such function
representation<Factura>('text/csv', { items: () => '' })
// @ts-expect-error: the function must return a body, and not a record
representation<Factura>('text/csv', { item: (factura) => factura })
// @ts-expect-error: the functions are missing
representation<Factura>('text/csv')
// @ts-expect-error: the value of an endpoint has the type `unknown`
representation<Factura>('text/csv', { value: ({ total }) => `${total}` })

mount(facturas, store, { representations: [pdf, plain], idempotencyKey: 'required' })
// @ts-expect-error: a media type alone is not a representation
mount(facturas, store, { representations: ['text/csv'] })
// @ts-expect-error: the only value is 'required'. The adapter determines whether keys are supported
mount(facturas, store, { idempotencyKey: true })
endpoint('cierre', { description: 'A month.', methods: { GET: { handle: () => 7, representations: [plain] } } })
// @ts-expect-error: the value must be a list
endpoint('cierre', { description: 'A month.', methods: { GET: { handle: () => 7, representations: plain } } })

resourceRouter(facturas, store, { jsonPatch: true, representations: [pdf], idempotencyKey: 'required' })
api({ versions: {}, idempotencyOwner: ({ sub }: { sub: string }) => sub })
// @ts-expect-error: the function must not be asynchronous
api({ versions: {}, idempotencyOwner: async () => 'ann' })
// @ts-expect-error: the function must return a string
api({ versions: {}, idempotencyOwner: () => 7 })
// @ts-expect-error: the value must be true or false
api({ versions: {}, jsonPatch: 'always' })

// Hand-written routes can send one or several records of the definition, and can read records from
// request bodies.
const answer = recordAnswer(facturas, 'application/pdf')
answer.send(req, res, { id: 1, total: 2 })
answer.send(req, res, [{ id: 1, total: 2 }] as const)
if (answer.of(req) === 'application/pdf') res.end()
// @ts-expect-error: the member "total" is missing
answer.send(req, res, { id: 1 })
// @ts-expect-error: the member "total" must be a number
answer.send(req, res, [{ id: 1, total: '2' }])
recordBody(facturas, { jsonPatch: true })
// @ts-expect-error: the value must be true or false
recordBody(facturas, { jsonPatch: 'always' })

// Only a create with an idempotency key can return 'running' or 'mismatched'.
const made = store.create({ id: 1, total: 2 }, call)
if ('created' in made) made.created.value.total.toFixed()
const repeated = store.create({ id: 1, total: 2 }, { ...call, idempotency })
if (repeated === 'running' || repeated === 'mismatched') repeated.toUpperCase()
// @ts-expect-error: the result may be a string such as 'running'
if ('created' in repeated) repeated.created

const kept: MemoryIdempotencyOptions = { ttl: 60, max: 10 }
memoryAdapter(facturas, { idempotency: kept })
// @ts-expect-error: the lifetime is a number of seconds
memoryAdapter(facturas, { idempotency: { ttl: '1d' } })
// @ts-expect-error: keys are disabled by leaving the option out, and not by false
memoryAdapter(facturas, { idempotency: false })
const inTable: IdempotencyOptions = { table: 'idempotency_keys', ttl: 60, lock: false }
idempotencyDdl(inTable).trim()
postgresAdapter(client, { table: 'facturas', idempotency: inTable })
// @ts-expect-error: the name of the table is missing
postgresAdapter(client, { table: 'facturas', idempotency: { ttl: 60 } })

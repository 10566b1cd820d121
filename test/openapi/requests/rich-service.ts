/** A service with many kinds of keys, parameters and bodies, over memory adapters. */
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { api, defineResource, endpoint, mount } from '../../../src/index.js'
import { csv } from '../../../src/transfer/index.js'

const text = { type: 'string' } as const

const owners = defineResource({
  collection: 'owners',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, name: { type: 'string', minLength: 2, maxLength: 9 } },
  },
  sort: ['name'],
})

const folders = defineResource({
  collection: 'folders',
  key: 'name',
  schema: { type: 'object', required: ['name'], properties: { name: text } },
})

/** A resource with members of many kinds. */
const things = defineResource({
  collection: 'things',
  key: 'id',
  assigned: true,
  schema: {
    type: 'object',
    required: ['id', 'label', 'size', 'place', 'made'],
    properties: {
      id: { type: 'integer' },
      label: { type: 'string', pattern: '^[a-z]{1,4}$' },
      size: { type: 'integer', minimum: 1, exclusiveMaximum: 10 },
      weight: { type: ['number', 'null'], minimum: 0 },
      state: { type: 'string', enum: ['new', 'sent'], default: 'new' },
      made: { type: 'string', format: 'local-date-time' },
      at: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      price: { type: 'string', format: 'decimal' },
      count: { type: 'string', format: 'int64' },
      tag: { type: 'string', format: 'uuid' },
      opens: { type: 'string', format: 'local-time' },
      marks: { type: 'array', items: text, maxItems: 3, uniqueItems: true, default: [] },
      place: { type: 'object', required: ['street'], properties: { street: text, zip: { type: ['integer', 'null'] } } },
      more: { type: 'object', additionalProperties: { type: 'integer' } },
      any: {},
      urgent: { type: 'boolean', default: false },
      author: { type: 'string', readOnly: true },
      secret: { type: 'string', writeOnly: true },
      ownerId: { type: ['integer', 'null'] },
      shape: {
        anyOf: [{ type: 'integer' }, { type: 'object', required: ['side'], properties: { side: { type: 'number' } } }],
      },
    },
  },
  filters: {
    label: { many: true },
    state: true,
    weightFrom: { field: 'weight', op: 'gte' },
    weightless: { field: 'weight', op: 'null' },
    madeFrom: { field: 'made', op: 'gte' },
    at: true,
    price: true,
    count: true,
    tag: true,
    opens: true,
    mark: { field: 'marks', op: 'contains' },
    urgent: true,
    'place.zip': true,
  },
  sort: ['id', 'label', 'weight', 'made', 'place.zip'],
  search: ['label', 'place.street'],
  links: { owner: { to: owners, by: 'ownerId' }, parts: { sub: 'parts' } },
  attachedTo: [{ of: owners, by: 'ownerId' }, { of: folders }],
  flags: { urgent: 'urgent' },
  rules: (next) => (next.size === 9 ? [{ member: 'size', detail: 'Nine is reserved.' }] : []),
})

const parts = defineResource({
  collection: 'parts',
  key: ['thingId', 'name'],
  schema: {
    type: 'object',
    required: ['thingId', 'name'],
    properties: {
      thingId: { type: 'integer' },
      name: text,
      deep: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' } } } },
    },
  },
  parent: { of: things, by: 'thingId' },
})

const author = <T>(value: T): T => ({ ...value, author: 'store' })

const stored = (id: number) => ({
  id,
  label: 'abc',
  size: 1 + (id % 8),
  place: { street: 'Main' },
  made: '2024-01-31T08:30:00.0000000',
  author: 'store',
})

/** Creates the service. If `strict` is true, the service requires `If-Match`. */
export const richService = (strict: boolean) =>
  api({
    describe: true,
    jsonPatch: true,
    requireIfMatch: strict,
    onError: () => {},
    versions: {
      v1: [
        mount(
          owners,
          memoryAdapter(owners, {
            records: [
              { id: 1, name: 'Ana' },
              { id: 2, name: 'Bea' },
            ],
          }),
        ),
        mount(folders, memoryAdapter(folders, { records: [{ name: 'in' }, { name: 'a/b ü' }] })),
        mount(
          things,
          memoryAdapter(things, {
            records: Array.from({ length: 40 }, (_, id) => stored(id)),
            onCreate: author,
            onUpdate: author,
          }),
          {
            exports: { formats: [csv()] },
            endpoints: [
              endpoint('moves', {
                description: 'Moves a thing.',
                methods: {
                  POST: {
                    body: {
                      type: 'object',
                      required: ['to'],
                      properties: { to: text, times: { type: 'integer', minimum: 1 } },
                    },
                    describe: { responses: { 200: { schema: { type: 'object' } } } },
                    handle: () => ({ moved: true }),
                  },
                },
              }),
            ],
          },
        ),
        mount(
          parts,
          memoryAdapter(parts, {
            records: [
              { thingId: 1, name: 'a' },
              { thingId: 1, name: 'b=,%' },
            ],
          }),
        ),
        endpoint('search', {
          description: 'Looks for a text.',
          methods: {
            GET: {
              query: {
                properties: { q: text, limit: { type: 'integer', minimum: 1, maximum: 9 }, exact: { type: 'boolean' } },
                required: ['q'],
              },
              describe: { responses: { 200: { schema: { type: 'array', items: text } } } },
              handle: ({ query }) => [String(query.q)],
            },
          },
        }),
      ],
    },
  })

/** Existing keys, by the names of path parameters. */
export const richKeys = {
  id: ['1', '2', '7'],
  ownerId: ['1', '2'],
  thingId: ['1', '2', '3'],
  name: ['in', 'a/b ü'],
  folderName: ['in'],
  partId: ['thingId=1,name=a'],
}

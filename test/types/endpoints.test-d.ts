/** Type tests of endpoints. Checked like `definition.test-d.ts`. */
import {
  api,
  defineResource,
  type EndpointCall,
  type EndpointItem,
  type EndpointMethod,
  type EndpointOptions,
  endpoint,
  endpointReply,
  type JsonSchema,
  type MountOptions,
  mount,
  resourceRouter,
} from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'

const description = 'What it is for.'
declare const imported: JsonSchema
const motivo = {
  type: 'object',
  required: ['motivo'],
  properties: { motivo: { type: 'string' }, veces: { type: 'integer' } },
} as const

// The types of body and query follow from their schemas, method by method, with the handler in any
// position.
endpoint('reports', {
  description,
  methods: {
    GET: {
      query: { properties: { q: { type: 'string' }, pagina: { type: 'integer' } }, required: ['q'] },
      handle: async ({ query, body }) => {
        const none: undefined = body
        // @ts-expect-error: it may be absent
        query.pagina.toFixed()
        // @ts-expect-error: unknown parameter
        query.p
        return [query.q.trim(), query.pagina?.toFixed(), none]
      },
    },
    POST: {
      handle: ({ body, query }) => {
        // @ts-expect-error: a text
        body.desde.toFixed()
        // @ts-expect-error: it may be absent
        body.hasta.trim()
        // @ts-expect-error: unknown member of the body
        body.dsde
        // @ts-expect-error: without parameters
        query.q
        return body.desde.trim() + (body.hasta?.trim() ?? '')
      },
      body: {
        type: 'object',
        required: ['desde'],
        properties: { desde: { type: 'string', format: 'date' }, hasta: { type: 'string' } },
      },
      bodyLimit: 2 ** 20,
      timeout: 60_000,
    },
    PUT: { body: motivo, handle: ({ body }) => body.motivo.trim() },
    PATCH: {
      body: { type: 'array', items: { enum: ['a', 'b'] } },
      handle: ({ body }) => body.map((one: 'a' | 'b') => one),
    },
    DELETE: { handle() {} },
  },
  bodyLimit: 10,
})

// An imported, widened schema has no types: the body is unknown, or what the handler declares.
endpoint('reports', {
  description,
  methods: {
    POST: {
      body: imported,
      handle: ({ body }) => {
        // @ts-expect-error: unknown
        body.desde
      },
    },
    PUT: { body: imported, handle: ({ body }: EndpointCall<object, { desde: string }>) => body.desde },
  },
})
const method: EndpointMethod = { body: imported, handle: ({ body, query }) => [body, query.q] }
const options: EndpointOptions = { description, methods: { POST: method } }
endpoint('reports', options)

// A handler that is defined separately declares its types, which its schemas must match.
const start = ({ body, query }: EndpointCall<{ q?: string }, { motivo: string }>) => body.motivo + (query.q ?? '')
endpoint('reports', {
  description,
  methods: { POST: { body: motivo, query: { properties: { q: { type: 'string' } } }, handle: start } },
})
endpoint('reports', {
  description,
  methods: {
    POST: {
      body: { type: 'object', required: ['motivo'], properties: { motivo: { type: 'integer' } } },
      // @ts-expect-error: a number is not a text
      handle: start,
    },
    PUT: {
      body: { type: 'object', properties: { motivo: { type: 'string' } } },
      // @ts-expect-error: it may be absent
      handle: start,
    },
    // @ts-expect-error: without a body
    PATCH: { handle: start },
  },
})

// @ts-expect-error: a GET has no body
endpoint('reports', { description, methods: { GET: { body: motivo, handle: () => 1 } } })
// @ts-expect-error: methods are in capitals
endpoint('reports', { description, methods: { get: { handle: () => 1 } } })
// @ts-expect-error: the handler is misspelt
endpoint('reports', { description, methods: { GET: { handel: () => 1 } } })
// @ts-expect-error: the option is misspelt
endpoint('reports', { description, methods: { GET: { handle: () => 1, timeOut: 5 } } })
// @ts-expect-error: bytes
endpoint('reports', { description, methods: { POST: { handle: () => 1, bodyLimit: '1mb' } } })
const q = { type: 'string' } as const
endpoint('reports', {
  description,
  // @ts-expect-error: "p" has no description
  methods: { GET: { query: { properties: { q }, required: ['p'] }, handle: () => 1 } },
})
// @ts-expect-error: no description
endpoint('reports', { methods: { GET: { handle: () => 1 } } })

// Below an item the handler gets the record of the mounted definition.
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero', 'estado'],
    properties: { numero: { type: 'integer' }, estado: { type: 'string' }, nota: { type: 'string' } },
  },
})
interface Pedido {
  numero: number
  estado: string
  nota?: string
}
const data = memoryAdapter(pedidos)
mount(pedidos, data, {
  endpoints: [
    endpoint('cancelaciones', {
      description,
      methods: {
        POST: {
          body: motivo,
          handle: async ({ item, body, callOf }) => {
            // @ts-expect-error: a text
            item.record.estado.toFixed()
            // @ts-expect-error: a number
            item.key.trim()
            const { key, record, version } = item
            const saved = await data.replace(key, { ...record, estado: body.motivo }, version, callOf('pedidos'))
            return typeof saved === 'object' && 'version' in saved
              ? endpointReply({ status: 204, version: saved.version })
              : item.href.trim()
          },
        },
      },
    }),
  ],
})
resourceRouter(pedidos, data, {
  principal: () => 7,
  endpoints: [
    endpoint('totales', { description, methods: { GET: { handle: ({ item }) => item.record.estado.trim() } } }),
  ],
})

// Defined separately, it declares the type itself.
const apart = endpoint<EndpointItem<Pedido, number>>()('cancelaciones', {
  description,
  methods: { POST: { body: motivo, handle: ({ item, body }) => item.record.estado + body.motivo } },
})
const typed = endpoint('devoluciones', {
  description,
  methods: {
    POST: { handle: ({ item }: EndpointCall<object, unknown, EndpointItem<{ estado: string }>>) => item.record.estado },
  },
})
const anywhere = endpoint('notas', { description, methods: { GET: { handle: () => 1 } } })
const all: MountOptions<Pedido, number> = { endpoints: [apart, typed, anywhere], area: 'ui' }
mount(pedidos, data, all)
const ofOthers = endpoint<EndpointItem<{ codigo: string }, string>>()('bajas', {
  description,
  methods: { POST: { handle: () => 1 } },
})
// @ts-expect-error: its items have no "codigo"
mount(pedidos, data, { endpoints: [ofOthers] })

// At the top level there is no item.
api({
  versions: {
    v1: [
      mount(pedidos, data),
      anywhere,
      endpoint('search', { description, methods: { GET: { handle: ({ item }): undefined => item } } }),
    ],
    // @ts-expect-error: it needs an item
    v2: [apart],
  },
})

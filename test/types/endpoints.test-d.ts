/** Type tests of endpoints. They are checked in the same way as `definition.test-d.ts`. */
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

// The types of the body and the query follow from the schemas of each method. The handler may come
// before or after the schemas.
endpoint('reports', {
  description,
  methods: {
    GET: {
      query: { properties: { q: { type: 'string' }, pagina: { type: 'integer' } }, required: ['q'] },
      handle: async ({ query, body }) => {
        const none: undefined = body
        // @ts-expect-error: the parameter may be absent
        query.pagina.toFixed()
        // @ts-expect-error: the parameter is unknown
        query.p
        return [query.q.trim(), query.pagina?.toFixed(), none]
      },
    },
    POST: {
      handle: ({ body, query }) => {
        // @ts-expect-error: the member is a string
        body.desde.toFixed()
        // @ts-expect-error: the member may be absent
        body.hasta.trim()
        // @ts-expect-error: the body has no such member
        body.dsde
        // @ts-expect-error: the method has no parameters
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

// An imported schema has a general type, from which no other types follow. So the body has the type
// `unknown`, or the type that the handler declares.
endpoint('reports', {
  description,
  methods: {
    POST: {
      body: imported,
      handle: ({ body }) => {
        // @ts-expect-error: the body is unknown
        body.desde
      },
    },
    PUT: { body: imported, handle: ({ body }: EndpointCall<object, { desde: string }>) => body.desde },
  },
})
const method: EndpointMethod = { body: imported, handle: ({ body, query }) => [body, query.q] }
const options: EndpointOptions = { description, methods: { POST: method } }
endpoint('reports', options)

// A handler that is defined separately declares its types. The schemas must match these types.
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
      // @ts-expect-error: the schema has a number where the handler expects a string
      handle: start,
    },
    PUT: {
      body: { type: 'object', properties: { motivo: { type: 'string' } } },
      // @ts-expect-error: the member may be absent
      handle: start,
    },
    // @ts-expect-error: the handler expects a body, but there is no schema for it
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
// @ts-expect-error: the limit is a number of bytes
endpoint('reports', { description, methods: { POST: { handle: () => 1, bodyLimit: '1mb' } } })
const q = { type: 'string' } as const
endpoint('reports', {
  description,
  // @ts-expect-error: the required parameter "p" has no schema
  methods: { GET: { query: { properties: { q }, required: ['p'] }, handle: () => 1 } },
})
// @ts-expect-error: the endpoint has no description
endpoint('reports', { methods: { GET: { handle: () => 1 } } })

// The handler of an endpoint below an item gets a record of the mounted definition.
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
            // @ts-expect-error: the member is a string
            item.record.estado.toFixed()
            // @ts-expect-error: the key is a number
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

// An endpoint that is defined separately declares the type of its item.
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
// @ts-expect-error: the endpoint needs items with a member "codigo", which this resource lacks
mount(pedidos, data, { endpoints: [ofOthers] })

// The handler of an endpoint at the top level gets no item.
api({
  versions: {
    v1: [
      mount(pedidos, data),
      anywhere,
      endpoint('search', { description, methods: { GET: { handle: ({ item }): undefined => item } } }),
    ],
    // @ts-expect-error: this endpoint needs an item
    v2: [apart],
  },
})

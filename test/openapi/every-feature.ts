/**
 * A service with every feature that a document can describe. The name of the caller controls which
 * writes the stores refuse.
 */
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { authenticate, login } from '../../src/auth/index.js'
import { docsPages } from '../../src/docs/index.js'
import {
  type Adapter,
  type AdapterCall,
  api,
  defineResource,
  endpoint,
  endpointReply,
  mount,
  type Refused,
  representation,
  Unavailable,
} from '../../src/index.js'
import { crossOrigin, rateLimit } from '../../src/middleware/index.js'
import { csv } from '../../src/transfer/index.js'

const clients = defineResource({
  collection: 'clients',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'total'],
    properties: {
      id: { type: 'integer' },
      total: { type: 'integer' },
      urgent: { type: 'boolean', default: false },
      clientId: { type: ['integer', 'null'] },
    },
  },
  filters: { total: true },
  sort: ['total'],
  links: { client: { to: clients, by: 'clientId' } },
  attachedTo: [{ of: clients, by: 'clientId' }],
  flags: { urgent: 'urgent' },
})
const lines = defineResource({
  collection: 'lines',
  key: ['orderId', 'number'],
  schema: {
    type: 'object',
    required: ['orderId', 'number'],
    properties: { orderId: { type: 'integer' }, number: { type: 'integer' } },
  },
  parent: { of: orders, by: 'orderId' },
})

interface Caller {
  readonly name: string
}

/**
 * The stores refuse the writes of callers with these names. The name is the reason for the refusal.
 */
export const refusals: readonly Refused['refused'][] = ['duplicate', 'reference', 'referenced', 'rule']

const nameOf = ({ principal }: AdapterCall): string => (principal as Caller).name

/**
 * A store that refuses the writes of some callers. A create by the caller `later` is deferred. A
 * create by the caller `nothing` returns no record.
 */
function refusing<T, K>(under: Adapter<T, K>): Adapter<T, K> {
  // A create is never refused as `referenced`, and a delete is never refused as `duplicate`.
  const refusedFor = (call: AdapterCall, but?: Refused['refused']): Refused | undefined => {
    const refused = refusals.find((one) => one === nameOf(call) && one !== but)
    return refused === undefined ? undefined : { refused, members: [] }
  }
  const never: Refused = { refused: 'rule', members: [] }
  const { create, recall, replace, remove, attach, detach } = under
  return {
    list: (request, call) => under.list(request, call),
    read: (keys, call) => under.read(keys, call),
    create: (value, call) => {
      if (nameOf(call) === 'nothing') return { nothing: true }
      // The key of a line has two parts: the number of its order, and its own number.
      if (nameOf(call) === 'later')
        return { accepted: (Object.hasOwn(value as object, 'number') ? { orderId: 1, number: 1 } : 1) as K }
      return refusedFor(call, 'referenced') ?? create?.(value, call) ?? never
    },
    recall: (call) => recall?.(call),
    replace: (key, value, expected, call) => refusedFor(call) ?? replace?.(key, value, expected, call) ?? 'absent',
    remove: (key, expected, call) => refusedFor(call, 'duplicate') ?? remove?.(key, expected, call) ?? 'absent',
    attach: (parent, key, expected, call) => refusedFor(call) ?? attach?.(parent, key, expected, call) ?? 'absent',
    detach: (parent, key, expected, call) => refusedFor(call) ?? detach?.(parent, key, expected, call) ?? 'absent',
  }
}

const body = { type: 'object', required: ['x'], properties: { x: { type: 'integer' } } } as const
const text = representation('text/plain', {
  item: () => ({ body: 'An order.', headers: { 'Content-Disposition': 'attachment' } }),
  value: () => ({ body: 'A value.', headers: { 'Content-Disposition': 'attachment' } }),
})

const cancellations = endpoint('cancellations', {
  description: 'Cancels an order.',
  methods: {
    POST: {
      body,
      describe: { responses: { 200: { schema: { type: 'object' } } } },
      handle: () => endpointReply({ status: 200, body: { done: true }, version: '7' }),
    },
  },
})
const search = endpoint('search', {
  description: 'Looks for a text.',
  methods: {
    GET: {
      query: { properties: { q: { type: 'string' } } },
      handle: ({ query }) => (query.q === 'none' ? undefined : [query.q ?? null]),
    },
  },
})

/** The time at which `v1` retires automatically. */
export const sunset = '2090-01-01T00:00:00Z'

/**
 * Creates a service with its own stores. `limit` is the number of requests that a caller may send
 * in a minute.
 */
export const serviceOf = (limit: number) =>
  api<Caller>({
    authenticate: authenticate({
      field: 'X-Api-Key',
      challenge: 'ApiKey realm="orders"',
      identify(name) {
        if (name === 'broken') throw new Error('The directory is broken.')
        if (name === 'down') throw new Unavailable()
        return { name }
      },
    }),
    login: login({
      verify(user, password) {
        if (user === 'down') throw new Unavailable()
        return password === 'right' ? { user } : undefined
      },
      token({ user }: { readonly user: string }) {
        if (user === 'broken') throw new Error('The issuer is broken.')
        return `token-of-${user}`
      },
      attempts: { pair: { limit: 3 } },
    }),
    permission: ({ name }, _action, resource) => {
      // The permission is checked after the rate limit, so the response has the header fields of
      // the rate limit.
      if (name === 'breaking') throw new Error('The permission is broken.')
      if (name === 'downing') throw new Unavailable()
      return name === 'stranger' ? 'forbidden' : name === `not ${resource}` ? 'method-not-allowed' : 'allow'
    },
    rateLimit: rateLimit({ limit, key: (principal) => (principal as Caller).name }),
    cors: crossOrigin({ origins: ['https://page.example'] }),
    representations: [text],
    describe: { reduced: true, pages: docsPages() },
    requireIfMatch: true,
    jsonPatch: true,
    bodyLimit: 2_000,
    timeout: 300,
    onError: () => {},
    versions: {
      v1: {
        deprecated: '2024-01-01T00:00:00Z',
        sunset,
        retireAtSunset: true,
        successor: 'v2',
        resources: [
          mount(clients, refusing(memoryAdapter(clients, { records: [{ id: 1 }], idempotency: true }))),
          mount(
            orders,
            refusing(
              memoryAdapter(orders, {
                idempotency: true,
                records: Array.from({ length: 40 }, (_, id) => ({ id, total: id, urgent: id !== 2, clientId: 1 })),
              }),
            ),
            { exports: { formats: [csv({ fileName: 'orders.csv' })] }, endpoints: [cancellations] },
          ),
          mount(
            lines,
            refusing(
              memoryAdapter(lines, {
                idempotency: true,
                records: [
                  { orderId: 1, number: 1 },
                  { orderId: 1, number: 2 },
                ],
              }),
            ),
            { idempotencyKey: 'required' },
          ),
          search,
        ],
      },
      v2: [search],
    },
  })

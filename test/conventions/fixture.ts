/**
 * A service with orders, their lines, and customers. The tests of the option `conventions` use it.
 * It runs on Express 4 and on Express 5.
 */
import request from 'supertest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import type { ModedClause } from '../../src/conventions/clauses.js'
import type { Finding } from '../../src/conventions/finding.js'
import {
  type ApiOptions,
  api,
  defineResource,
  endpoint,
  endpointReply,
  mount,
  type ServiceOptions,
} from '../../src/index.js'
import type { Express } from '../middleware/majors.js'

export const customers = defineResource({
  collection: 'customers',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
  },
})

const lines = defineResource({
  collection: 'lines',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'orderId'],
    properties: { id: { type: 'string' }, orderId: { type: 'integer' }, text: { type: ['string', 'null'] } },
  },
  parent: { of: 'orders', by: 'orderId' },
})

export const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'state'],
    properties: {
      id: { type: 'integer' },
      state: { type: 'string' },
      isOpen: { type: 'boolean', default: true },
      customerId: { type: ['integer', 'null'] },
    },
  },
  filters: { state: true, isOpen: true },
  sort: ['id', 'state'],
  page: { size: 10, max: 20 },
  links: { customer: { to: customers, by: 'customerId', show: ['name'], expand: true }, lines: { sub: 'lines' } },
  flags: { open: 'isOpen' },
})

const records = Array.from({ length: 45 }, (_, at) => ({
  id: at + 1,
  state: at % 2 === 0 ? 'new' : 'sent',
  isOpen: true,
  customerId: at % 3 === 0 ? null : 1,
}))

const search = endpoint('search', {
  description: 'Finds.',
  methods: {
    GET: {
      query: { properties: { text: { type: 'string' } } },
      handle: ({ query }) => endpointReply({ status: 200, body: query }),
    },
  },
})

/**
 * The options of the service: two API versions that share their data. Each call creates new data.
 */
export const apiOptions = (): ApiOptions => {
  const orderStore = memoryAdapter(orders, { records })
  const resources = [
    mount(orders, orderStore),
    mount(lines, memoryAdapter(lines, { records: [{ id: 'a', orderId: 1, text: null }] })),
    mount(customers, memoryAdapter(customers, { records: [{ id: 1, name: 'Ana' }] })),
    search,
  ]
  return { versions: { v1: resources, v2: resources } }
}

export interface Served {
  readonly call: ReturnType<typeof request>
  readonly findings: Finding[]
  /** The findings so far, each as `CLAUSE detail`. */
  reported(): string[]
}

/** Creates the service with these options. */
export function serve(express: Express, options: Partial<ServiceOptions> = {}, all: ApiOptions = apiOptions()): Served {
  const findings: Finding[] = []
  const app = express()
  const service = {
    baseUrl: 'https://api.example',
    onError: () => {},
    onFinding: (event: Finding) => void findings.push(event),
    ...options,
  }
  app.use(api({ ...all, ...service }))
  return { call: request(app), findings, reported: () => findings.map(({ clause, detail }) => `${clause} ${detail}`) }
}

/** The settings of every clause that can have a mode. `allIn` adds the mode. */
export const settings = {
  'QUERY-8': {},
  'QUERY-5': { upTo: 40 },
  'QUERY-7': {},
  'HDR-1': { as: 406 },
  'HDR-3': {},
  'HDR-5': { types: ['text/plain'] },
  'VERB-8': {},
  'VERB-6': { status: 200, body: { deleted: true } },
  'REP-1': {},
  'ERR-3': {},
} as const satisfies Record<ModedClause, object>

/** The option `conventions` with every clause in the same mode. */
export const allIn = (
  mode: 'off' | 'report' | 'enforce',
  more: object = {},
): NonNullable<ServiceOptions['conventions']> =>
  Object.fromEntries(Object.entries(settings).map(([clause, own]) => [clause, { mode, ...own, ...more }]))

/**
 * The options that a service with `allIn` also needs: HDR-3 needs `requireIfMatch`, and ERR-3 needs
 * `shape`.
 */
export const around: Partial<ServiceOptions> = {
  requireIfMatch: true,
  shape: ({ status, code }) => ({ body: { error: code, http: status } }),
}

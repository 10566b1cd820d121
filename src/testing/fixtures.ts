/**
 * The resources of `adapterSuite`. They are few and small, so that the author of an adapter can
 * create a table for each.
 */
import type { ParentKey } from '../adapters/contract.js'
import { defineResource, type ResourceDefinition } from '../definition/resource.js'
import type { Row } from './row.js'

/**
 * A resource with members of all JSON types, local date-times, a nested object, a string as its
 * key, and a member for scopes (`depot`).
 */
export const parcels = defineResource({
  collection: 'parcels',
  key: 'code',
  schema: {
    type: 'object',
    required: ['code', 'label', 'pieces', 'weight', 'urgent', 'tags'],
    properties: {
      code: { type: 'string' },
      label: { type: 'string' },
      note: { type: ['string', 'null'] },
      pieces: { type: 'integer' },
      weight: { type: 'number' },
      urgent: { type: 'boolean' },
      collected: { type: ['string', 'null'], format: 'local-date-time' },
      address: {
        type: ['object', 'null'],
        properties: { street: { type: ['string', 'null'] }, postcode: { type: ['integer', 'null'] } },
      },
      tags: { type: 'array', items: { type: 'string' } },
      depot: { type: ['string', 'null'] },
    },
  },
  filters: {
    code: { many: true },
    label: { many: true },
    labelOver: { field: 'label', op: 'gt' },
    labelFrom: { field: 'label', op: 'gte' },
    labelUnder: { field: 'label', op: 'lt' },
    labelTo: { field: 'label', op: 'lte' },
    note: { many: true },
    noteOver: { field: 'note', op: 'gt' },
    noteFrom: { field: 'note', op: 'gte' },
    noteUnder: { field: 'note', op: 'lt' },
    noteTo: { field: 'note', op: 'lte' },
    noteMissing: { field: 'note', op: 'null' },
    pieces: { many: true },
    piecesOver: { field: 'pieces', op: 'gt' },
    piecesFrom: { field: 'pieces', op: 'gte' },
    piecesUnder: { field: 'pieces', op: 'lt' },
    piecesTo: { field: 'pieces', op: 'lte' },
    weight: { many: true },
    weightOver: { field: 'weight', op: 'gt' },
    weightFrom: { field: 'weight', op: 'gte' },
    weightUnder: { field: 'weight', op: 'lt' },
    weightTo: { field: 'weight', op: 'lte' },
    urgent: true,
    collected: { many: true },
    collectedOver: { field: 'collected', op: 'gt' },
    collectedFrom: { field: 'collected', op: 'gte' },
    collectedUnder: { field: 'collected', op: 'lt' },
    collectedTo: { field: 'collected', op: 'lte' },
    collectedMissing: { field: 'collected', op: 'null' },
    'address.street': true,
    'address.postcode': { many: true },
    postcodeOver: { field: 'address.postcode', op: 'gt' },
    postcodeFrom: { field: 'address.postcode', op: 'gte' },
    postcodeUnder: { field: 'address.postcode', op: 'lt' },
    postcodeTo: { field: 'address.postcode', op: 'lte' },
    postcodeMissing: { field: 'address.postcode', op: 'null' },
    tag: { field: 'tags', op: 'contains' },
  },
  sort: ['code', 'label', 'note', 'pieces', 'weight', 'urgent', 'collected', 'address.postcode'],
  search: ['label', 'note'],
})

/** A resource whose key is an integer that the store assigns if a create omits it. */
export const orders = defineResource({
  collection: 'orders',
  key: 'number',
  assigned: true,
  schema: {
    type: 'object',
    required: ['number', 'text'],
    properties: { number: { type: 'integer' }, text: { type: 'string' } },
  },
  filters: { number: { many: true } },
  sort: ['number', 'text'],
})

/** A resource whose records are contained in orders. The key has two members of different types. */
export const lines = defineResource({
  collection: 'lines',
  key: ['order', 'article'],
  schema: {
    type: 'object',
    required: ['order', 'article', 'quantity'],
    properties: {
      order: { type: 'integer' },
      article: { type: 'string' },
      quantity: { type: 'integer' },
      label: { type: ['string', 'null'] },
    },
  },
  filters: { article: true, quantity: { many: true } },
  sort: ['order', 'article', 'quantity'],
  search: ['label'],
  parent: { of: orders, by: 'order' },
})

/**
 * A resource with date-times, UUIDs, and numbers that a double can't represent. Each of these
 * values has only one canonical string (docs/resources.md, formats). The values are compared as
 * date-times, UUIDs and numbers, and not as strings. The members of the key also have such formats.
 */
export const readings = defineResource({
  collection: 'readings',
  key: ['device', 'counter'],
  schema: {
    type: 'object',
    required: ['device', 'counter'],
    properties: {
      device: { type: 'string', format: 'uuid' },
      counter: { type: 'string', format: 'int64' },
      taken: { type: ['string', 'null'], format: 'date-time' },
      amount: { type: ['string', 'null'], format: 'decimal' },
      total: { type: ['string', 'null'], format: 'int64' },
      source: { type: ['string', 'null'], format: 'uuid' },
    },
  },
  filters: {
    device: { many: true },
    counter: { many: true },
    counterFrom: { field: 'counter', op: 'gte' },
    taken: { many: true },
    takenOver: { field: 'taken', op: 'gt' },
    takenFrom: { field: 'taken', op: 'gte' },
    takenUnder: { field: 'taken', op: 'lt' },
    takenTo: { field: 'taken', op: 'lte' },
    amount: { many: true },
    amountOver: { field: 'amount', op: 'gt' },
    amountFrom: { field: 'amount', op: 'gte' },
    amountUnder: { field: 'amount', op: 'lt' },
    amountTo: { field: 'amount', op: 'lte' },
    total: { many: true },
    totalOver: { field: 'total', op: 'gt' },
    totalFrom: { field: 'total', op: 'gte' },
    totalUnder: { field: 'total', op: 'lt' },
    totalTo: { field: 'total', op: 'lte' },
    source: { many: true },
  },
  sort: ['device', 'counter', 'taken', 'amount', 'total', 'source'],
})

/**
 * Clients, which are the parents of `contracts`. No adapter is made for clients, and the store must
 * not require that a client exists.
 */
export const clients = defineResource({
  collection: 'clients',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
})

/**
 * The associations of `contracts`. In the first two, a member of the contract contains the key of
 * the client. In the other two, the store keeps a set of contracts for each client.
 */
export const associations = ['contracts', 'invoices', 'favourites', 'archives'] as const

/** A client as a parent of contracts. */
export const client = (as: string, key = 'ann'): ParentKey => ({ collection: 'clients', key, as })

/**
 * A resource whose records are attached to clients in four ways: by the members `holder` and
 * `payer`, and many-to-many by two sets that the store keeps.
 */
export const contracts = defineResource({
  collection: 'contracts',
  key: 'code',
  schema: {
    type: 'object',
    required: ['code', 'rank'],
    properties: {
      code: { type: 'string' },
      label: { type: ['string', 'null'] },
      rank: { type: 'integer' },
      holder: { type: ['string', 'null'] },
      payer: { type: ['string', 'null'] },
      depot: { type: ['string', 'null'] },
    },
  },
  filters: { rank: { many: true }, depot: true },
  sort: ['code', 'rank', 'depot'],
  search: ['label'],
  attachedTo: [
    { of: clients, by: 'holder' },
    { of: clients, by: 'payer', as: 'invoices' },
    { of: clients, as: 'favourites' },
    { of: clients, as: 'archives' },
  ],
})

/** A resource with records for checks. */
export interface Subject {
  readonly definition: ResourceDefinition
  /** Valid records with different keys. */
  readonly records: readonly Row[]
  /** A copy of the record with the same key and another value, which differs for each `n`. */
  change(record: Row, n: number): Row
}

const words = [
  'Ash',
  'ash',
  'Élan',
  'elan',
  'Zinc',
  'quorvex ash',
  'oak_50%',
  'oak x50y',
  '10',
  '9',
  ' oak',
  'Quorvex Zinc',
  'ñu',
]
const collected = [
  '2024-02-29T23:59:59.1234567',
  '2024-02-29T23:59:59.1234568',
  '2024-02-29T23:59:59.9999999',
  '2024-03-01T00:00:00.0000000',
  '1969-12-31T23:59:59.0000001',
]
const weights = [0.1, 0.30000000000000004, -2.5, 1e21, 0.3, 7]
const pieces = [3, 3, -1, 12, 9_007_199_254_740_991, 3, 9_007_199_254_740_990, 0]

const tags = [[], ['red'], ['red', 'blue'], ['blue', 'r,ed', '{x}'], ['re'], ['x"red', 'back\\slash'], ['"', 'é']]

/** Labels of contracts and lines. Three of them contain the word that the checks search for. */
const labels = ['quorvex ash', 'Zinc', 'Quorvex', null, 'ash zinc', 'zinc quorvex', '']

/**
 * Forty-three parcels with ties, nulls, similar values and similar keys. They are not in the order
 * of their keys.
 */
const parcelRecords: readonly Row[] = Array.from({ length: 43 }, (_, i) => ({
  code:
    i < 36 ? `P-${(i * 7) % 36}` : (['p-1', 'P_1', 'P-1 ', 'a,b=c%', 'Ñ/ü?#', '\u{1F4E6}', "O'Hara"][i - 36] as string),
  label: words[i % words.length] as string,
  note: i % 4 === 0 ? null : i % 4 === 1 ? '' : (words[(i * 5) % words.length] as string),
  pieces: pieces[i % pieces.length] as number,
  weight: weights[i % weights.length] as number,
  urgent: i % 3 === 0,
  collected: i % 6 === 5 ? null : (collected[i % collected.length] as string),
  address:
    i % 7 === 0
      ? null
      : { street: i % 5 === 0 ? null : `Street ${i % 4}`, postcode: i % 5 === 1 ? null : 28_000 + (i % 6) },
  tags: tags[i % tags.length] as string[],
  depot: i % 8 === 7 ? null : i % 2 === 0 ? 'north' : 'south',
}))

const devices = [
  '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  '00000000-0000-0000-0000-00000000000a',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
]
/**
 * Values of the members `counter` and `total`. Some adjacent values are equal as doubles. The order
 * of the values as strings differs from their order as numbers.
 */
const counters = [
  '9007199254740992',
  '9007199254740993',
  '10',
  '9',
  '-1',
  '9223372036854775807',
  '-9223372036854775808',
  '100',
  '0',
]
const amounts = [
  '10',
  '9',
  '-10',
  '-9',
  '0',
  '0.1',
  '0.1000000001',
  '12345678901234567.01',
  '12345678901234567.02',
  '100',
]
const moments = [
  '2026-11-20T22:00:00.000Z',
  '2026-11-20T22:00:00.000001Z',
  '2026-11-20T22:00:00.001Z',
  '1969-12-31T23:59:59.999999Z',
  '2026-11-20T22:00:00.123456Z',
  '2026-11-20T22:00:00.123Z',
]
const sources = [...devices, 'a0000000-0000-4000-8000-000000000000', '0a000000-0000-4000-8000-000000000000']

/** A parcel with the given key and members. All other members have arbitrary values. */
export const parcel = (code: string, members: Row = {}): Row => ({ ...(parcelRecords[1] as Row), code, ...members })

/** The resources of the suite, with their records. */
export const subjects = {
  parcels: {
    definition: parcels as ResourceDefinition,
    records: parcelRecords,
    change: (record: Row, n: number): Row => ({ ...record, pieces: n, label: `changed ${n}`, note: `changed ${n}` }),
  },
  orders: {
    definition: orders as ResourceDefinition,
    records: Array.from({ length: 8 }, (_, i) => ({ number: i + 1, text: `order ${i + 1}` })),
    change: (record: Row, n: number): Row => ({ ...record, text: `changed ${n}` }),
  },
  lines: {
    definition: lines as ResourceDefinition,
    records: Array.from({ length: 18 }, (_, i) => ({
      order: 1 + (i % 3),
      article: ['a', 'a,b', 'a=b', 'A', 'a%2Cb', ' a'][Math.floor(i / 3)] as string,
      quantity: i % 4,
      label: labels[i % labels.length] as string | null,
    })),
    change: (record: Row, n: number): Row => ({ ...record, quantity: n }),
  },
  readings: {
    definition: readings as ResourceDefinition,
    records: Array.from({ length: 27 }, (_, i) => ({
      device: devices[i % 3] as string,
      counter: counters[Math.floor(i / 3)] as string,
      taken: i % 7 === 6 ? null : (moments[i % moments.length] as string),
      amount: i % 11 === 10 ? null : (amounts[i % amounts.length] as string),
      total: i % 10 === 9 ? null : (counters[(i * 2) % counters.length] as string),
      source: i % 6 === 5 ? null : (sources[i % sources.length] as string),
    })),
    change: (record: Row, n: number): Row => ({ ...record, amount: String(n), total: String(n) }),
  },
  contracts: {
    definition: contracts as ResourceDefinition,
    records: Array.from({ length: 12 }, (_, i) => ({
      code: `C-${i}`,
      label: labels[i % labels.length] as string | null,
      rank: i % 3,
      holder: i === 8 ? 'bob' : null,
      payer: null,
      depot: i % 2 === 0 ? 'north' : 'south',
    })),
    change: (record: Row, n: number): Row => ({ ...record, rank: n }),
  },
} satisfies Record<string, Subject>

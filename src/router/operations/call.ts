/** Endpoints that are no resource (PATH-8), and OPTIONS (VERB-9). */
import { itemActions } from '../../auth/permission.js'
import { bodyTypes } from '../../middleware/body.js'
import { checkWrite } from '../../middleware/if-match.js'
import { itemPath } from '../../plan/addresses.js'
import { type EndpointCall, type EndpointItem, type EndpointReply, isReply } from '../../plan/endpoint.js'
import { type Headers, spelled } from '../../representation/answer.js'
import { header } from '../../wire.js'
import { adapterCall, mountedOf } from '../adapter-call.js'
import { recordsFor } from '../records/open.js'
import type { Parsed } from '../stages.js'
import { itemOf } from './lineage.js'
import type { Operation, Outcome } from './operation.js'

/** A request for an endpoint. */
type Calling = Parsed<'endpoint', 'endpoint'>

/** What a method of an endpoint asks: a permission knows endpoints by the actions of items (AUTH-4). */
const calling = { query: 'endpoint', body: 'endpoint', answers: 'value', statuses: 'any' } as const

const endpointMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Endpoints outside resources, one operation for each method. */
export const calls: readonly Operation<'endpoint', 'endpoint'>[] = endpointMethods.map((method) => ({
  ...calling,
  name: `call${method}`,
  method,
  target: 'endpoint',
  actions: [itemActions[method] ?? 'create'],
  preconditions: method === 'GET' ? 'representation' : 'none',
  execute: (exchange) => answered(exchange, undefined),
}))

/**
 * Endpoints below an item, which exists and is as the preconditions want it (HDR-3, HDR-4). They
 * are a part of it, which is read or changed: as with flags, PATCH stands for every change.
 */
export const callsBelow: readonly Operation<'endpoint', 'endpoint'>[] = endpointMethods.map((method) => ({
  ...calling,
  name: `callBelow${method}`,
  method,
  target: 'item-endpoint',
  actions: [method === 'GET' ? 'read' : 'patch'],
  preconditions: method === 'GET' ? 'representation' : 'item',
  async execute(exchange) {
    const { resource, keys, key, base, reads, conditions } = exchange
    const { value: record, version } = await itemOf(exchange)
    // A POST asks for something new, so what If-None-Match says of it is ignored (HDR-4).
    if (!reads) checkWrite(method === 'POST' ? { ...conditions, ifNoneMatch: undefined } : conditions, version)
    return answered(exchange, Object.freeze({ key, record, version, href: base + itemPath(resource, keys) }))
  },
}))

async function answered(exchange: Calling, item: EndpointItem | undefined): Promise<Outcome> {
  const { reads, progress, patience, endpointMethod } = exchange
  if (!reads) progress.writes()
  const value = await patience.settle(endpointMethod?.handle(endpointCall(exchange, item)))
  const outcome = isReply(value) ? replied(exchange, value, item) : plain(exchange, value, item)
  if (!reads) progress.wrote('made')
  return outcome
}

function endpointCall(exchange: Calling, item: EndpointItem | undefined): EndpointCall {
  const { principal, requestId, query, body, base } = exchange
  return {
    principal,
    requestId,
    query,
    body,
    item,
    base,
    records: recordsFor(exchange),
    callOf: (collection) => adapterCall(exchange, mountedOf(exchange, collection)),
    may: async (action, resource, key) => (await exchange.decide(action, resource, key)) === 'allow',
    left: () => exchange.patience.left(),
    get signal() {
      return exchange.patience.signal()
    },
  }
}

const plain = ({ reads }: Calling, value: unknown, item: EndpointItem | undefined): Outcome => ({
  kind: 'value',
  status: value === undefined ? 204 : 200,
  value,
  // After a change it is another one, which the handler alone may know.
  version: reads ? item?.version : undefined,
})

function replied(exchange: Calling, answer: EndpointReply, item: EndpointItem | undefined): Outcome {
  const { base, route, reads } = exchange
  const { status, body, headers: given = {}, version = reads ? item?.version : undefined } = answer
  const headers = spelled(given)
  const location = headers[header.location]
  // A path becomes absolute, as every Location is (VERB-2): `/v1/...` from the origin, `informes/7` from the version.
  if (location !== undefined) headers[header.location] = new URL(location, `${base}/`).href
  else if (status === 201 || status === 202) {
    throw new Error(
      `The endpoint "${route.template}" answers ${status} without a Location (VERB-2). Give endpointReply() the address of what it made.`,
    )
  }
  if (version !== undefined && (item === undefined || typeof version !== 'string')) {
    throw new Error(
      `The endpoint "${route.template}" answers with the version ${String(version)}. Give endpointReply() the version of the item below which it stands, as the adapter gave it.`,
    )
  }
  return { kind: 'value', status, value: status === 204 ? undefined : body, headers, version }
}

export const options: Operation<'ignored', 'ignored', 204> = {
  name: 'options',
  method: 'OPTIONS',
  target: 'any',
  actions: [],
  // A preflight has the query of the request it asks for.
  query: 'ignored',
  body: 'ignored',
  preconditions: 'none',
  answers: 'nothing',
  statuses: [204],
  execute: (exchange) => ({ kind: 'empty', status: 204, headers: { [header.allow]: exchange.allow, ...acceptedPatches(exchange) } }),
}

/** What a PATCH here is understood in, where the caller may send one (RFC 5789 3.1). */
function acceptedPatches({ allow, route, service }: Parsed): Headers {
  if (!allow.split(', ').includes('PATCH')) return {}
  const endpoint = route.endpoint?.methods.get('PATCH')
  if (endpoint !== undefined && endpoint.body === undefined) return {}
  return { [header.acceptPatch]: (endpoint === undefined ? service.patchTypes : bodyTypes.whole).join(', ') }
}

/** The operations of endpoints (PATH-8), and OPTIONS (VERB-9). */

import { itemActions } from '../../auth/permission.js'
import { loggableError } from '../../failures/loggable.js'
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
type EndpointRequest = Parsed<'endpoint', 'endpoint'>

/** The part of the description that all endpoints have in common. */
const endpointDescription = { query: 'endpoint', body: 'endpoint', answers: 'value', statuses: 'any' } as const

const endpointMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * The operations of endpoints outside resources, one for each method. The permission function is
 * asked about the action of the method, such as `read` for GET and `create` for POST (AUTH-4).
 */
export const endpointOperations: readonly Operation<'endpoint', 'endpoint'>[] = endpointMethods.map((method) => ({
  ...endpointDescription,
  name: `call${method}`,
  method,
  target: 'endpoint',
  actions: [itemActions[method] ?? 'create'],
  preconditions: method === 'GET' ? 'representation' : 'none',
  execute: (exchange) => handled(exchange, undefined),
}))

/**
 * The operations of endpoints below an item. The item must exist. For a method that writes, it must
 * also meet the preconditions (HDR-3, HDR-4). Such an endpoint is a part of the item. So the
 * permission function is asked about `patch` for every method that writes, as it is for flags.
 */
export const itemEndpointOperations: readonly Operation<'endpoint', 'endpoint'>[] = endpointMethods.map((method) => ({
  ...endpointDescription,
  name: `callBelow${method}`,
  method,
  target: 'item-endpoint',
  actions: [method === 'GET' ? 'read' : 'patch'],
  preconditions: method === 'GET' ? 'representation' : 'item',
  async execute(exchange) {
    const { resource, keys, key, base, reads, conditions } = exchange
    const { value: record, version } = await itemOf(exchange)
    // A POST creates something new, so `If-None-Match` is ignored (HDR-4).
    if (!reads) checkWrite(method === 'POST' ? { ...conditions, ifNoneMatch: undefined } : conditions, version)
    return handled(exchange, Object.freeze({ key, record, version, href: base + itemPath(resource, keys) }))
  },
}))

async function handled(exchange: EndpointRequest, item: EndpointItem | undefined): Promise<Outcome> {
  const { reads, progress, timeLimit, endpointMethod } = exchange
  if (!reads) progress.beginWrite()
  const value = await timeLimit.waitFor(endpointMethod?.handle(endpointCall(exchange, item)))
  const outcome = isReply(value) ? replyOutcome(exchange, value, item) : valueOutcome(exchange, value, item)
  if (!reads) progress.setChange('made')
  return outcome
}

function endpointCall(exchange: EndpointRequest, item: EndpointItem | undefined): EndpointCall {
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
    left: () => exchange.timeLimit.left(),
    get signal() {
      return exchange.timeLimit.signal()
    },
  }
}

const valueOutcome = ({ reads }: EndpointRequest, value: unknown, item: EndpointItem | undefined): Outcome => ({
  kind: 'value',
  status: value === undefined ? 204 : 200,
  value,
  // After a change, only the handler can know the new version of the item.
  version: reads ? item?.version : undefined,
})

function replyOutcome(exchange: EndpointRequest, answer: EndpointReply, item: EndpointItem | undefined): Outcome {
  const { base, route, reads } = exchange
  const { status, body, headers: given = {}, version = reads ? item?.version : undefined } = answer
  const headers = spelled(given)
  const location = headers[header.location]
  // Every `Location` is absolute (VERB-2). `/v1/...` is resolved against the origin, and
  // `informes/7` against the URL of the version.
  if (location !== undefined) headers[header.location] = new URL(location, `${base}/`).href
  else if (status === 201 || status === 202) {
    throw loggableError(
      `The endpoint "${route.template}" responds with ${status} but without a Location (VERB-2). ` +
        'Give endpointReply() the URL of the new resource.',
    )
  }
  if (version !== undefined && (item === undefined || typeof version !== 'string')) {
    const fix =
      item === undefined
        ? 'Call endpointReply() without a version, because the endpoint is not below an item.'
        : 'Give endpointReply() the version of the item above the endpoint, as the adapter returned it (a string).'
    const what = typeof version === 'string' ? 'version' : `version of type ${typeof version}`
    throw loggableError(`The endpoint "${route.template}" responds with a ${what}. ${fix}`)
  }
  return { kind: 'value', status, value: status === 204 ? undefined : body, headers, version }
}

export const options: Operation<'ignored', 'ignored', 204> = {
  name: 'options',
  method: 'OPTIONS',
  target: 'any',
  actions: [],
  // An OPTIONS request may be a preflight. A preflight has the query of the request that follows
  // it, so the query is not checked here.
  query: 'ignored',
  body: 'ignored',
  preconditions: 'none',
  answers: 'empty',
  statuses: [204],
  execute: (exchange) => ({
    kind: 'empty',
    status: 204,
    headers: { [header.allow]: exchange.allow, ...acceptedPatches(exchange) },
  }),
}

/**
 * Returns the header field `Accept-Patch`, if the caller may send a PATCH with a body to this
 * route. The field lists the media types that the PATCH may have (RFC 5789 3.1).
 */
function acceptedPatches({ allow, route, service }: Parsed): Headers {
  if (!allow.split(', ').includes('PATCH')) return {}
  const endpoint = route.endpoint?.methods.get('PATCH')
  if (endpoint !== undefined && endpoint.body === undefined) return {}
  return { [header.acceptPatch]: (endpoint === undefined ? service.patchTypes : bodyTypes.whole).join(', ') }
}

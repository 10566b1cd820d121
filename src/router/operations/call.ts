/** Endpoints that are no resource (PATH-8), and OPTIONS (VERB-9). */
import { bodyTypes } from '../../middleware/body.js'
import { type EndpointCall, isReply, type Reply } from '../../plan/mount.js'
import type { Mounted } from '../../plan/routes.js'
import { ConfigurationError } from '../../problem.js'
import { type Headers, spelled } from '../../representation/answer.js'
import { header } from '../../wire.js'
import type { Exchange } from '../exchange.js'
import { adapterCall } from '../store.js'
import type { Operation, Outcome } from './operation.js'

export const call: Operation = {
  name: 'call',
  query: 'endpoint',
  body: 'endpoint',
  async execute(exchange) {
    const method = exchange.route?.endpoint?.methods.get(exchange.method === 'HEAD' ? 'GET' : exchange.method)
    if (!exchange.reads) exchange.change = 'unknown'
    const value = await exchange.patience.settle(method?.handle(callOf(exchange)))
    const outcome: Outcome = isReply(value) ? replied(exchange, value) : { kind: 'value', status: value === undefined ? 204 : 200, value }
    if (!exchange.reads) exchange.change = 'made'
    return outcome
  },
}

function callOf(exchange: Exchange): EndpointCall {
  const { principal, requestId, parameters: query, body, base } = exchange
  return {
    principal,
    requestId,
    query,
    body,
    base,
    callOf: (collection) => adapterCall(exchange, mountedOf(exchange, collection)),
    may: async (action, resource, key) => (await exchange.decide(action, resource, key)) === 'allow',
    left: () => exchange.patience.left(),
    get signal() {
      return exchange.patience.signal()
    },
  }
}

function mountedOf({ version, route }: Exchange, collection: string): Mounted {
  const found = version.table.resources.find(({ plan }) => plan.collection === collection)
  if (found !== undefined) return found
  throw new ConfigurationError(
    'unknown-member',
    `The endpoint "${route?.template}" calls "${String(collection)}", which is not mounted beside it. Mount it in the same version.`,
  )
}

function replied({ base, route }: Exchange, { status, body, headers: given = {} }: Reply): Outcome {
  const headers = spelled(given)
  const location = headers[header.location]
  // A path becomes absolute, as every Location is (VERB-2): `/v1/...` from the origin, `informes/7` from the version.
  if (location !== undefined) headers[header.location] = new URL(location, `${base}/`).href
  else if (status === 201 || status === 202) {
    throw new Error(
      `The endpoint "${route?.template}" answers ${status} without a Location (VERB-2). Give reply() the address of what it made.`,
    )
  }
  return { kind: 'value', status, value: status === 204 ? undefined : body, headers }
}

export const options: Operation = {
  name: 'options',
  // A preflight has the query of the request it asks for.
  query: 'ignored',
  body: 'ignored',
  execute: (exchange) => ({ kind: 'empty', status: 204, headers: { [header.allow]: exchange.allow, ...acceptedPatches(exchange) } }),
}

/** What a PATCH here is understood in, where the caller may send one (RFC 5789 3.1). */
function acceptedPatches({ allow, route, service }: Exchange): Headers {
  if (!allow.split(', ').includes('PATCH')) return {}
  const endpoint = route?.endpoint?.methods.get('PATCH')
  if (endpoint !== undefined && endpoint.body === undefined) return {}
  return { [header.acceptPatch]: (endpoint === undefined ? service.patchTypes : bodyTypes.whole).join(', ') }
}

/** What each address can be had in: JSON, XML, and the team's own (HDR-1). */
import type { CustomRepresentation, RepresentationCall, Represented, Represents } from '../plan/custom-representation.js'
import { openForm } from '../plan/form.js'
import { type Wire, wireName } from '../plan/wire-form.js'
import type { Body, Headers } from '../representation/answer.js'
import { spelled } from '../representation/answer.js'
import { offersFor, type Representation } from '../representation/encoding.js'
import { mergeVary } from '../representation/header-fields.js'
import type { Offers } from '../representation/offers.js'
import { header } from '../wire.js'
import type { Exchange } from './exchange.js'

/** The media types of a service, by what is asked for. */
export class Formats {
  readonly #common: readonly CustomRepresentation[]
  readonly #plain: Readonly<Record<Represents, Offers<Representation>>>
  /** Those of resources and endpoints that have more of them than the service. */
  readonly #own = new WeakMap<object, Map<Represents, Offers<Representation>>>()

  constructor(common: readonly CustomRepresentation[]) {
    this.#common = common
    this.#plain = { item: offersFor('item', common), list: offersFor('list', common), value: offersFor('value', common) }
  }

  /** What a request may ask for: of a list a page, of everything else an item, also where a write answers with one. */
  of({ route, operation, method }: Exchange): Offers<Representation> {
    const owner = route?.endpoint?.methods.get(method === 'HEAD' ? 'GET' : method) ?? route?.resource
    const what = route?.endpoint !== undefined ? 'value' : operation?.query === 'list' ? 'list' : 'item'
    if (owner === undefined || owner.representations.length === 0) return this.#plain[what]
    const known = this.#own.get(owner) ?? new Map<Represents, Offers<Representation>>()
    const found = known.get(what)
    if (found !== undefined) return found
    const made = offersFor(what, [...this.#common, ...owner.representations])
    this.#own.set(owner, known.set(what, made))
    return made
  }
}

/** The forms of what an endpoint answers: nothing is known of it. */
export const endpointWire = ({ route }: Exchange): Wire => ({
  root: wireName(route?.endpoint?.endpoint.name ?? '', 'value'),
  form: openForm,
})

/** A body and what goes with it. */
export interface Encoded {
  readonly headers: Headers
  readonly body?: Body
}

/** The value in the representation that the request asks for. Its header fields are completed in place. */
export function encoded(exchange: Exchange, value: unknown, wire: Wire, headers: Headers): Encoded | Promise<Encoded> {
  const { representation, patience } = exchange
  const made = representation.encode(value, wire, () => callOf(exchange))
  if (typeof made === 'string') return withBody(exchange, made, headers)
  return Promise.resolve(patience.settle(made)).then((represented) => withBody(exchange, represented, headers))
}

function withBody({ representation, service }: Exchange, represented: Represented, headers: Headers): Encoded {
  headers[header.contentType] = representation.contentType
  const vary = headers[header.vary] ?? service.vary
  headers[header.vary] = vary
  if (typeof represented === 'string' || represented instanceof Uint8Array) return { headers, body: represented }
  const own = spelled(represented.headers ?? {})
  return { headers: { ...own, ...headers, [header.vary]: mergeVary(own[header.vary], vary) }, body: represented.body }
}

const callOf = (exchange: Exchange): RepresentationCall => ({
  principal: exchange.principal,
  requestId: exchange.requestId,
  base: exchange.base,
  left: () => exchange.patience.left(),
  get signal() {
    return exchange.patience.signal()
  },
})

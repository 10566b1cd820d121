/**
 * The available representations of each resource, endpoint and document. For resources and
 * endpoints, these include JSON, XML and the representations that the service adds (HDR-1).
 */

import type { Caches } from '../cache.js'
import { isObject } from '../definition/json.js'
import { loggableError } from '../failures/loggable.js'
import type {
  ContentKind,
  CustomRepresentation,
  RepresentationCall,
  Represented,
} from '../plan/custom-representation.js'
import { docsMediaType } from '../plan/docs-pages.js'
import { openForm } from '../plan/form.js'
import type { ServedDocument } from '../plan/served-document.js'
import { type Wire, wireName } from '../plan/wire-form.js'
import type { Headers, WholeBody } from '../representation/answer.js'
import { spelled } from '../representation/answer.js'
import {
  json,
  offersFor,
  type ProblemRepresentation,
  problemOffers,
  type Representation,
} from '../representation/encoding.js'
import { mergeVary } from '../representation/header-fields.js'
import { type Offers, offersOf } from '../representation/offers.js'
import { header } from '../wire.js'
import { docsFileName } from './docs-files.js'
import type { Allowed, Negotiated } from './stages.js'

/** The representations of a service, by kind of content. */
export class Formats {
  readonly #common: readonly CustomRepresentation[]
  readonly #caches: Caches
  readonly #problems: Offers<ProblemRepresentation>
  readonly #plain: Readonly<Record<ContentKind, Offers<Representation>>>
  /**
   * The offers (available representations) for documents and docs files, by their media types. A
   * service has a fixed set of documents and file types, which limits the number of entries.
   */
  readonly #ofDocuments = new Map<string, Offers<Representation>>()
  /**
   * The offers of resources and endpoint methods that have representations or exports of their own.
   */
  readonly #own = new WeakMap<object, Map<ContentKind, Offers<Representation>>>()

  constructor(common: readonly CustomRepresentation[], caches: Caches) {
    this.#common = common
    this.#caches = caches
    this.#problems = problemOffers(caches)
    const of = (what: ContentKind): Offers<Representation> => offersFor(what, common, [], caches)
    this.#plain = { item: of('item'), list: of('list'), value: of('value') }
  }

  /**
   * Returns the representation of a problem: JSON or XML, as `Accept` prefers. `Accept` may use any
   * of the media types for JSON and XML, such as `application/json` or `application/problem+json`.
   * If `Accept` matches neither, returns JSON, because an error must always be reported (ERR-3).
   */
  ofProblem(accept: string | undefined): ProblemRepresentation {
    return this.#problems.choose(accept) ?? json
  }

  /** Returns the representations that are available for the response to a request. */
  of({ route, operation, endpointMethod, path }: Allowed): Offers<Representation> {
    if (route.document !== undefined) return this.#ofDocument(route.document, path)
    const owner = endpointMethod ?? route.resource
    const what = route.endpoint !== undefined ? 'value' : operation.answers === 'page' ? 'list' : 'item'
    const exports = what === 'list' ? (route.resource?.exports?.formats ?? []) : []
    if (owner === undefined || (owner.representations.length === 0 && exports.length === 0)) return this.#plain[what]
    const known = this.#own.get(owner) ?? new Map<ContentKind, Offers<Representation>>()
    const found = known.get(what)
    if (found !== undefined) return found
    const made = offersFor(what, [...this.#common, ...owner.representations], exports, this.#caches)
    this.#own.set(owner, known.set(what, made))
    return made
  }

  #ofDocument({ mediaTypes, pages }: ServedDocument, path: string): Offers<Representation> {
    const types = pages === undefined ? mediaTypes : [docsMediaType(pages, docsFileName(path))]
    const key = types.join()
    const known = this.#ofDocuments.get(key) ?? offersOf(types.map(written), this.#caches)
    this.#ofDocuments.set(key, known)
    return known
  }
}

/**
 * Returns the representation of a document. A document already consists of bytes, so it is not
 * encoded again.
 */
const written = (mediaType: string): Representation => ({
  mediaType,
  contentType: /^(?:image|font)\//.test(mediaType) ? mediaType : `${mediaType}; charset=utf-8`,
  variant: mediaType,
  encode: () => {
    throw new Error('A document is already encoded when it is built.')
  },
})

/**
 * Returns the name of the root element and the JSON types (`form`) of an endpoint's result, for
 * formats such as XML. The form allows values of any type, because it is not taken from a schema.
 */
const endpointWire = ({ route }: Negotiated): Wire => ({
  root: wireName(route.endpoint?.name ?? '', 'value'),
  form: openForm,
})

/** A body with its header fields. */
export interface Encoded {
  readonly headers: Headers
  readonly body?: WholeBody
}

/**
 * Encodes a value in the negotiated representation. Adds header fields to the given object
 * `headers`.
 */
export function encoded(
  exchange: Negotiated,
  value: unknown,
  wire: Wire,
  headers: Headers,
): Encoded | Promise<Encoded> {
  const { representation, timeLimit } = exchange
  const made = representation.encode(value, wire, () => representationCall(exchange))
  if (typeof made === 'string') return withBody(exchange, made, headers)
  return Promise.resolve(timeLimit.waitFor(made)).then((represented) => withBody(exchange, represented, headers))
}

/**
 * Encodes an endpoint's result. Throws an error that names the endpoint if JSON or XML can't
 * represent the value.
 */
export function encodedValue(exchange: Negotiated, value: unknown, headers: Headers): Encoded | Promise<Encoded> {
  const { representation, route, method } = exchange
  const wire = endpointWire(exchange)
  const { text } = representation
  if (text === undefined) return encoded(exchange, value, wire, headers)
  const invalidResult = (what: string): string =>
    `${method} ${route.template} returned ${what}. Return a value that JSON can represent, or add ` +
    'representations: [representation(mediaType, { value })] to convert it to bytes.'
  const kind = wrongKindOf(value)
  if (kind !== undefined) throw loggableError(invalidResult(kind))
  let made: string | undefined
  try {
    made = text(value, wire)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    // Not a `loggableError`, because `why` may contain values, which must not be logged.
    throw new Error(invalidResult(`a value that can't be written as ${representation.mediaType}: ${why}`), {
      cause: error,
    })
  }
  if (made === undefined) throw loggableError(invalidResult('a value without a JSON form'))
  return withBody(exchange, made, headers)
}

/**
 * Describes a value of a kind that `JSON.stringify` would silently convert to something else, such
 * as a stream or a `Map`. Returns `undefined` for values of other kinds. Does not look inside
 * objects and lists.
 */
function wrongKindOf(value: unknown): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  if (!isObject(value)) return undefined
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes'
  // Data may also have members named `pipe` or `getReader`, but not as functions.
  const isStream = typeof value.pipe === 'function' || typeof value.getReader === 'function'
  if (isStream || Symbol.asyncIterator in value) return 'a stream'
  if (Symbol.iterator in value) return 'an iterable that is not an array'
  return value instanceof Response ? 'a Response' : undefined
}

function withBody({ representation, service }: Negotiated, represented: Represented, headers: Headers): Encoded {
  headers[header.contentType] = representation.contentType
  const vary = headers[header.vary] ?? service.vary
  headers[header.vary] = vary
  if (typeof represented === 'string' || represented instanceof Uint8Array) return { headers, body: represented }
  const own = spelled(represented.headers ?? {})
  return { headers: { ...own, ...headers, [header.vary]: mergeVary(own[header.vary], vary) }, body: represented.body }
}

const representationCall = (exchange: Negotiated): RepresentationCall => ({
  principal: exchange.principal,
  requestId: exchange.requestId,
  base: exchange.base,
  left: () => exchange.timeLimit.left(),
  get signal() {
    return exchange.timeLimit.signal()
  },
})

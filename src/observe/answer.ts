/** One response of an observed service, as the rules examine it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseQueryString, type QueryPair } from '../http/query-string.js'
import type { BodyForm } from './body-watch.js'
import { isCollectionName } from './path-rules.js'
import { fileShape, isParameter, segmentsOf } from './route-of.js'

export interface AnswerParts {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly method: string
  readonly path: string
  readonly query: string
  readonly template: string
  readonly isKnownCollection: boolean
  readonly body: BodyForm
}

export class ObservedAnswer {
  readonly method: string
  readonly path: string
  readonly template: string
  readonly status: number
  /** Whether the response has a body that is not blank. */
  readonly hasBody: boolean
  readonly body: BodyForm
  /**
   * Whether the path ends with an id: a parameter below a collection. A parameter directly below a
   * version or the root may be the name of a collection, so it does not count as an id.
   */
  readonly isItem: boolean
  /** Whether the path seems to end with a file name. */
  readonly isFile: boolean
  /**
   * Whether the path is known to be the path of a collection, because a route for its items was
   * seen.
   */
  readonly isKnownCollection: boolean
  readonly #req: IncomingMessage
  readonly #fields: ReadonlyMap<string, string>
  readonly #query: string
  #pairs: readonly QueryPair[] | undefined

  constructor({ req, res, method, path, query, template, isKnownCollection, body }: AnswerParts) {
    this.method = method
    this.path = path
    this.template = template
    this.status = res.statusCode
    this.isKnownCollection = isKnownCollection
    const [above, last = ''] = ['', ...segmentsOf(template)].slice(-2)
    this.isFile = last === fileShape
    this.isItem = isParameter(last) && !this.isFile && isCollectionName(above)
    this.#req = req
    this.#query = query
    this.#fields = sentFields(res)
    // Node.js accepts a body for these responses, but does not send it.
    const sends = method !== 'HEAD' && this.status !== 204 && this.status !== 304
    this.hasBody = sends && body !== 'empty'
    this.body = this.field('content-encoding') === undefined ? body : 'other'
  }

  get isSuccess(): boolean {
    return this.status >= 200 && this.status < 300
  }

  /** A header field of the response, by its lower-case name. */
  readonly field = (name: string): string | undefined => this.#fields.get(name)

  /** A header field of the request, by its lower-case name. */
  readonly requestField = (name: string): string | undefined => {
    const value = this.#req.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** The media type of the body, without parameters. */
  get type(): string {
    return (this.field('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  }

  get isJson(): boolean {
    return /^application\/(?:[\w.+-]+\+)?json$/.test(this.type)
  }

  get isXml(): boolean {
    return /^(?:text|application)\/(?:[\w.+-]+\+)?xml$/.test(this.type)
  }

  get parameters(): readonly QueryPair[] {
    this.#pairs ??= parseQueryString(this.#query).pairs
    return this.#pairs
  }
}

/**
 * The header fields that were sent. They are parsed from the serialized head, because it is the
 * only place where Node.js stores some of the fields passed to `writeHead`.
 */
function sentFields(res: ServerResponse): ReadonlyMap<string, string> {
  const { _header: head } = res as { readonly _header?: unknown }
  const fields = new Map<string, string>()
  if (typeof head === 'string') {
    for (const line of head.split('\r\n').slice(1)) {
      const colon = line.indexOf(':')
      if (colon > 0) fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    return fields
  }
  for (const [name, value] of Object.entries(res.getHeaders())) fields.set(name, String(value))
  return fields
}

/** Prepares a document for the comparison with responses. */
import { isObject, type JsonObject } from '../../definition/json.js'
import type { DocumentFragment } from '../../plan/document-options.js'
import { mediaType } from '../../wire.js'
import type { OpenApiDocument } from '../document.js'
import type { SentResponse } from './answered.js'
import { DescribedBody } from './body-faults.js'
import { DescribedHeaders } from './header-faults.js'
import { placeAt } from './places.js'
import { Validators } from './validators.js'

/** The kinds of document parts whose coverage is recorded. */
export type CoveredPart = 'statuses' | 'codes' | 'headers'

interface Path {
  readonly template: string
  readonly pattern: RegExp
  /**
   * The number of characters of the path template that do not belong to a parameter. If several
   * paths match, the path with the largest number is used.
   */
  readonly literals: number
  readonly item: JsonObject
  readonly hasOwnServer: boolean
}

interface DescribedResponse {
  readonly headers: DescribedHeaders
  readonly body: DescribedBody
}

/** The members of a path item that are operations. */
const methods: ReadonlySet<string> = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options'])

/**
 * A document with which responses are compared. The description of a response is prepared when it
 * is first needed.
 */
export class DescribedDocument {
  readonly #document: OpenApiDocument
  readonly #validators: Validators
  readonly #paths: readonly Path[]
  readonly #handWritten: ReadonlySet<string>
  readonly #responses = new Map<string, DescribedResponse | undefined>()
  readonly #covered: Readonly<Record<CoveredPart, Set<string>>> = {
    statuses: new Set(),
    codes: new Set(),
    headers: new Set(),
  }

  /**
   * `fragments`: the descriptions of hand-written routes. These descriptions need not contain error
   * responses, because the service may respond with an error before it calls such a route.
   */
  constructor(document: OpenApiDocument, fragments: readonly DocumentFragment[] = []) {
    this.#document = document
    this.#handWritten = new Set(
      fragments.flatMap(({ paths = {} }) =>
        Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`)),
      ),
    )
    this.#validators = new Validators(document)
    this.#paths = Object.entries(document.paths)
      .map(([template, item]) => ({
        template,
        item,
        pattern: patternOf(template),
        literals: template.replace(/\{[^}]*\}/g, '').length,
        hasOwnServer: item.servers !== undefined,
      }))
      .sort((a, b) => b.literals - a.literals)
  }

  /**
   * Returns messages about the differences between a response and the document. The response to a
   * CORS preflight is not compared, because the document does not describe it: with the option
   * `cors`, the service responds to preflights of any path. Such a response is recognized by the
   * status 204 and by `Access-Control-Allow-Methods` without `Allow`.
   */
  faults(answered: SentResponse): readonly string[] {
    const { method, path, status, headers, isOutsideVersions = false } = answered
    if (status === 204 && headers.has('access-control-allow-methods') && !headers.has('allow')) return []
    const spelling = spelled(path)
    const found = this.#paths.find((one) => one.hasOwnServer === isOutsideVersions && one.pattern.test(spelling))
    const key = method.toLowerCase()
    const operation = found?.item[key]
    if (found === undefined || !isObject(operation)) return this.#refusalFaults(answered)
    const what = `${method} ${found.template} responds with ${status}`
    const response = this.#responseAt(found.template, key, status)
    if (response === undefined) {
      if (status >= 400 && this.#handWritten.has(`${key} ${found.template}`)) return []
      return [`${what}${codeOf(answered)}, which the document does not describe.`]
    }
    const { faults, value } = response.body.read(answered)
    this.#reach(`${String(operation.operationId)} ${status}`, answered, response, value)
    return [...response.headers.faults(answered), ...faults].map((fault) => `${what}: ${fault}`)
  }

  /**
   * Returns the parts of the document that have not occurred in any response yet, such as
   * `listPieces 304`, `listPieces 400 invalid-query` or `listPieces 200 Link`.
   */
  unreached(what: CoveredPart): readonly string[] {
    const all = this.#paths.flatMap(({ template, item }) =>
      Object.entries(item).flatMap(([method, operation]) => {
        if (!methods.has(method) || !isObject(operation) || !isObject(operation.responses)) return []
        // Ranges such as `4XX` and the key `default` stand for several statuses, so they can't be
        // counted as reached.
        const listed = Object.keys(operation.responses).filter((status) => /^[0-9]+$/.test(status))
        return listed.flatMap((status) => {
          const base = `${String(operation.operationId)} ${status}`
          if (what === 'statuses') return [base]
          // Responses to HEAD have no body, and therefore no code.
          if (what === 'codes' && method === 'head') return []
          const response = this.#responseAt(template, method, status)
          const inner = what === 'codes' ? response?.body.codes : response?.headers.names
          return (inner ?? []).map((one) => `${base} ${one}`)
        })
      }),
    )
    return all.filter((one) => !this.#covered[what].has(one))
  }

  #reach(base: string, { headers }: SentResponse, response: DescribedResponse, value: unknown): void {
    this.#covered.statuses.add(base)
    if (isObject(value) && typeof value.code === 'string') this.#covered.codes.add(`${base} ${value.code}`)
    for (const name of response.headers.names)
      if (headers.has(name.toLowerCase())) this.#covered.headers.add(`${base} ${name}`)
  }

  /**
   * Returns the faults of a response to a request whose operation the document does not contain.
   * Such a response must be an error. If the error is a problem, its body must match the schema of
   * problems.
   */
  #refusalFaults(answered: SentResponse): readonly string[] {
    const { method, path, status, headers, body } = answered
    if (status < 400) return [`${method} ${path} responds with ${status}, and the document has no such operation.`]
    const problem = placeAt(this.#document, ['components', 'schemas', 'Problem'])
    const isProblem =
      headers.get('content-type')?.startsWith(mediaType.problem) === true && !headers.has('content-encoding')
    if (!isProblem || problem === undefined || body === undefined || body.length === 0) return []
    const faults = this.#validators.faults(JSON.parse(body.toString()), problem.tokens)
    return faults.map((fault) => `${method} ${path} responds with ${status}: the body is not a problem: ${fault}.`)
  }

  /**
   * Returns the description of a status: the entry of the status itself, otherwise that of its
   * range (such as `2XX`), otherwise `default`.
   */
  #responseAt(template: string, method: string, status: number | string): DescribedResponse | undefined {
    const key = `${method} ${template} ${status}`
    if (this.#responses.has(key)) return this.#responses.get(key)
    const responses = ['paths', template, method, 'responses']
    const range = `${String(status).charAt(0)}XX`
    const place = [String(status), range, range.toLowerCase(), 'default']
      .map((one) => placeAt(this.#document, [...responses, one]))
      .find((one) => one !== undefined)
    const made =
      place === undefined
        ? undefined
        : {
            headers: new DescribedHeaders(this.#document, place, this.#validators),
            body: new DescribedBody(this.#document, place, this.#validators),
          }
    this.#responses.set(key, made)
    return made
  }
}

/**
 * Returns the code of a problem in parentheses, for messages. Returns an empty string for other
 * responses and for compressed ones.
 */
function codeOf({ headers, body }: SentResponse): string {
  if (headers.get('content-type')?.startsWith(mediaType.problem) !== true || headers.has('content-encoding')) return ''
  const code = /"code":"([^"]*)"/.exec(body?.toString() ?? '')?.[1]
  return code === undefined ? '' : ` (${code})`
}

/**
 * Returns a pattern that matches the paths of a path template. A trailing slash is ignored
 * (PATH-11).
 */
const patternOf = (template: string): RegExp => new RegExp(`^${template.split('/').map(segmentPattern).join('/')}/?$`)

const segmentPattern = (segment: string): string =>
  segment
    .split(/(\{[^}]*\})/)
    .map((piece) => (piece.startsWith('{') ? '[^/]+' : spelledSegment(piece).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('')

/** Normalizes the percent-encoding of each segment: `%6Frders` becomes `orders`. */
const spelled = (path: string): string => path.split('/').map(spelledSegment).join('/')

function spelledSegment(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment))
  } catch {
    return segment
  }
}

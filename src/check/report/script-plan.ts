/**
 * Selects the requests that a script sends: first the requests that create and prepare the script's
 * own record, and then the requests that show the violation.
 */
import { canonicalText } from '../../definition/json.js'
import { safeMethods } from '../../http/safe-methods.js'
import { header } from '../../wire.js'
import type { Exchange } from '../client/exchange.js'
import type { Break } from '../verdict.js'

/** A request of a script. */
export interface Step {
  /** The number of the request, from 1. */
  readonly number: number
  readonly exchange: Exchange
  /**
   * The index of the request in the evidence. `undefined` if the request only prepares the
   * violation.
   */
  readonly evidenceIndex: number | undefined
  /**
   * The number of the earlier GET whose response body this request sends. `undefined` if there is
   * no such GET.
   */
  readonly bodyOf: number | undefined
  /** The URL of the record that this POST has created. */
  readonly created: string | undefined
}

/** The requests that reproduce a violation, in the order in which they were sent. */
export function stepsOf({ evidence, trace }: Break): readonly Step[] {
  const all = trace?.exchanges ?? evidence
  const chosen = trace === undefined ? [...evidence] : neededRequests(all, evidence)
  return chosen.map((exchange, at) => {
    const before = chosen.slice(0, at)
    const source = bodySource(exchange, before)
    const place = (evidence as readonly Exchange[]).indexOf(exchange)
    return {
      number: at + 1,
      exchange,
      evidenceIndex: place < 0 ? undefined : place,
      bodyOf: source === undefined ? undefined : before.indexOf(source) + 1,
      created: trace === undefined ? undefined : createdBy(exchange),
    }
  })
}

/**
 * Returns the evidence of a violation, and the earlier requests of the check on which the evidence
 * depends:
 * - the POST requests that created the records in the evidence
 * - the requests whose responses contained the entity tags in the evidence
 * - the GET requests that returned the bodies in the evidence
 * - the successful changes between these requests
 */
function neededRequests(all: readonly Exchange[], evidence: readonly Exchange[]): readonly Exchange[] {
  const chosen = new Set<Exchange>(evidence)
  const last = Math.max(...evidence.map((one) => all.indexOf(one)))
  let size = -1
  while (size !== chosen.size) {
    size = chosen.size
    for (const exchange of [...chosen]) for (const source of sourcesOf(exchange, all)) chosen.add(source)
    const places = [...chosen].filter(({ request }) => !isCreation(request.method)).map((one) => all.indexOf(one))
    const first = Math.min(...places)
    for (const [at, exchange] of all.entries())
      if (at > first && at < last && isEffective(exchange) && !raced(exchange, evidence)) chosen.add(exchange)
  }
  return all.filter((exchange) => chosen.has(exchange))
}

const isCreation = (method: string): boolean => method === 'POST'

/**
 * Whether a request was sent at the same time as a request of the evidence, in the same race. A
 * race needs only two such requests, and the evidence already contains two, so the script does not
 * repeat the others.
 */
const raced = ({ race }: Exchange, evidence: readonly Exchange[]): boolean =>
  race !== undefined && evidence.some((one) => one.race === race)

const isEffective = ({ request, answer }: Exchange): boolean =>
  !safeMethods.has(request.method) && !isCreation(request.method) && answer.status < 400

/**
 * The earlier requests whose responses contained the URL, the tag or the body that a request uses.
 */
function sourcesOf(exchange: Exchange, all: readonly Exchange[]): readonly Exchange[] {
  const before = all.slice(0, all.indexOf(exchange))
  const post = before.find((one) => {
    const address = createdBy(one)
    return address !== undefined && isAt(exchange.request.url, address)
  })
  const tags = tagsSent(exchange)
  const tagged = before.findLast(({ answer }) => tags.some((tag) => isTag(answer.field(header.etag), tag)))
  return [post, tagged, bodySource(exchange, before)].filter((one) => one !== undefined)
}

const isAt = (url: string, address: string): boolean => url === address || url.startsWith(`${address}/`)

const isTag = (field: string | undefined, tag: string): boolean => field?.replace(/^W\//, '') === tag

/** The opaque parts of the entity tags in a request, without `W/`. */
const tagsSent = ({ request }: Exchange): readonly string[] =>
  [header.ifMatch, header.ifNoneMatch].flatMap((name) => request.headers[name]?.match(/"[^"]*"/g) ?? [])

/**
 * The GET whose JSON response a PUT sends back unchanged. The query of the GET, such as `expand`,
 * does not matter.
 */
function bodySource({ request }: Exchange, before: readonly Exchange[]): Exchange | undefined {
  const { body, method } = request
  if (body === undefined || method !== 'PUT') return undefined
  return before.findLast(
    (one) =>
      one.request.method === 'GET' &&
      one.request.url.split('?', 1)[0] === request.url &&
      one.answer.json !== undefined &&
      canonicalText(one.answer.json) === textOf(body),
  )
}

function textOf(body: string): string | undefined {
  try {
    return canonicalText(JSON.parse(body))
  } catch {
    return undefined
  }
}

/**
 * The URL of the record that a POST has created, built from the URL of the collection and the id in
 * `Location`. `undefined` if the request is not a POST that has created a record.
 */
export function createdBy({ request, answer }: Exchange): string | undefined {
  const id = answer.field(header.location)?.replace(/.*\//, '') ?? ''
  return request.method === 'POST' && answer.status < 300 && id !== '' ? `${request.url}/${id}` : undefined
}

/** What a repeated POST is known by: whose key it is, for which collection, and what the body said (VERB-2; draft-ietf-httpapi-idempotency-key-header-07). */
import type { Idempotency } from '../adapters/contract.js'
import { isList, isObject } from '../definition/json.js'
import { longestKey, parseIdempotencyKey } from '../http/idempotency-key.js'
import { soleField } from '../http/sole-field.js'
import { digest, principalName } from '../limits/keys.js'
import { ConfigurationError, HttpProblem, type ProblemCode, Unavailable } from '../problem.js'
import { header } from '../wire.js'
import type { Exchange } from './exchange.js'
import { scopeOf } from './scope.js'

/**
 * The key of a request that creates; `undefined` where it has none, or its resource keeps none: then the field is one that nobody knows. Throws the problems
 * `malformed-idempotency-key` and `missing-idempotency-key`.
 */
export function idempotencyKey({ req, resource }: Exchange): string | undefined {
  const { idempotencyKey: wanted } = resource
  if (wanted === 'ignored') return undefined
  const field = soleField(req, header.idempotencyKey)
  if (field === undefined) {
    if (wanted === 'honoured') return undefined
    throw refused(
      'missing-idempotency-key',
      'required',
      'is missing. Send one: a new UUID for each record, and the same one again in a repeat.',
    )
  }
  const key = typeof field === 'string' ? parseIdempotencyKey(field) : undefined
  if (key !== undefined) return key
  const mend = `is not one key of 1 to ${longestKey} printable ASCII characters. Send it once, as a UUID or a string in double quotes.`
  throw refused('malformed-idempotency-key', 'malformed', mend)
}

/** The problem of a key that was used for something else. */
export const mismatched = (): HttpProblem =>
  refused(
    'idempotency-mismatch',
    'mismatch',
    'came with another body before. Repeat a request with its very body, and give another request a key of its own.',
  )

/** The problem of a key whose first request has not ended. The conventions have no 409 (ERR-1). */
export const running = (): Unavailable =>
  new Unavailable({
    detail: `A request with this ${header.idempotencyKey} is still running. Repeat it in a moment: nothing is done twice.`,
  })

function refused(kind: ProblemCode, code: string, what: string): HttpProblem {
  const detail = `${header.idempotencyKey} ${what}`
  return new HttpProblem(kind, { detail, errors: [{ header: header.idempotencyKey, detail, code, clause: 'VERB-2' }] })
}

/** What a repeat is known by. `body` is what the client sent, decoded: in another format, or with its members in another order, it is the same. */
export function idempotencyOf(exchange: Exchange, key: string, body: unknown): Idempotency {
  const scope = Object.entries(scopeOf(exchange, exchange.resource)).sort(byName)
  // The whole address: the same name on another side of the service, or below another parent, is somebody or something else.
  const address = exchange.root + exchange.listPath
  return { id: digest(JSON.stringify([ownerOf(exchange), scope, address, key])), fingerprint: digest(JSON.stringify(ordered(body))) }
}

/**
 * Whose key it is. Nobody may ever be shown what somebody else has created, so callers that can't be told apart have no keys. Throws `ConfigurationError`.
 */
function ownerOf({ service, principal, req, resource }: Exchange): readonly [by: string, name: string] {
  const given: unknown = service.idempotencyOwner?.(principal, req)
  if (typeof given === 'string' && given !== '') return ['service', given]
  const name = given === undefined ? principalName(principal) : undefined
  if (name !== undefined) return [typeof principal, name]
  // Nobody else waits for it: a rejection must not end the process.
  if (given instanceof Promise) given.catch(() => {})
  throw new ConfigurationError(
    'invalid-option',
    `A POST to "${resource.plan.collection}" has an ${header.idempotencyKey}, and nothing tells whose it is. Give the service idempotencyOwner: (principal, req) => a text, at once, that no two callers share; without it the principal needs a "sub".`,
  )
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** A value whose objects have their members in one order, as lists: a name that JavaScript would move, or take for something else, is like any other. */
function ordered(value: unknown): unknown {
  if (isList(value)) return value.map(ordered)
  if (!isObject(value)) return value
  return {
    members: Object.entries(value)
      .map(([name, member]) => [name, ordered(member)] as const)
      .sort(byName),
  }
}

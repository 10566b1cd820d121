/**
 * Recognizes repeated POSTs by the owner of the key, the collection and the body (VERB-12;
 * draft-ietf-httpapi-idempotency-key-header-07).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Idempotency } from '../adapters/contract.js'
import { canonicalText, isObject } from '../definition/json.js'
import { longestKey, parseIdempotencyKey } from '../http/idempotency-key.js'
import { soleField } from '../http/sole-field.js'
import { digestOf, principalName } from '../limits/keys.js'
import { invalidOption } from '../options/check.js'
import { type ConfigurationError, HttpProblem, type ProblemCode, Unavailable } from '../problem.js'
import { header } from '../wire.js'
import { scopeOf } from './scope.js'
import type { Routed } from './stages.js'

/**
 * The key of a request that creates; `undefined` where it has none, or its resource keeps none: then the field is one that nobody knows. Throws the problems
 * `malformed-idempotency-key` and `missing-idempotency-key`.
 */
export function idempotencyKey({ req, resource }: Routed): string | undefined {
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
  const mend = `is not one key of 1 to ${longestKey} printable ASCII characters. Send it once, such as a UUID; a key with spaces, commas or semicolons stands in double quotes.`
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
  return new HttpProblem(kind, { detail, errors: [{ header: header.idempotencyKey, detail, code, clause: 'VERB-12' }] })
}

/**
 * What identifies a repeat. `body` is what the client sent, decoded: another format, order of members
 * or spelling of a value is still the same body.
 */
export function idempotencyOf(exchange: Routed, key: string, body: unknown): Idempotency {
  const scope = Object.entries(scopeOf(exchange, exchange.resource)).sort(byName)
  // The whole address: a key below another host, version or parent is another key.
  const address = exchange.root + exchange.listPath
  return {
    id: digestOf(JSON.stringify([ownerOf(exchange), scope, address, key])),
    fingerprint: digestOf(canonicalText(exchange.resource.plan.canonical(body))),
  }
}

/**
 * Whose key it is: whom the service names, else the principal by its name, else the principal as a value, since callers that are equal in everything are one to permission
 * and scope as well; where there is no principal, everybody. Nobody may ever be shown what somebody else has created, so a principal that can't be told from others has
 * no keys. Throws `ConfigurationError`.
 */
function ownerOf({ service, principal, req, resource }: Routed): readonly [by: string, name: string] {
  const given: unknown = service.idempotencyOwner?.(principal, req)
  if (typeof given === 'string' && given !== '') return ['service', given]
  // Nobody else waits for it: a rejection must not end the process.
  if (given instanceof Promise) given.catch(() => {})
  if (given !== undefined) throw nobodys(resource)
  const name = principalName(principal)
  if (name !== undefined) return [typeof principal, name]
  if (principal === undefined || principal === null) return ['nobody', '']
  const value = plainText(principal)
  if (value === undefined) throw nobodys(resource)
  return ['value', value]
}

/** What differs from token to token of one holder (RFC 7519 4.1). */
const ofOneToken = new Set(['exp', 'nbf', 'iat', 'jti'])

/** A principal as a text, where it is plain data: an instance of a class may keep what tells it from another where nobody sees it. */
function plainText(principal: unknown): string | undefined {
  // An empty name is that of everybody who has none.
  if (!isObject(principal) || !isPlain(principal) || Object.hasOwn(principal, 'sub')) return undefined
  const claims = Object.fromEntries(Object.entries(principal).filter(([claim]) => !ofOneToken.has(claim)))
  try {
    const text = JSON.stringify(claims)
    return text !== '{}' && isDeepStrictEqual(JSON.parse(text), claims) ? canonicalText(claims) : undefined
  } catch {
    return undefined
  }
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype

const nobodys = ({ plan }: Routed['resource']): ConfigurationError =>
  invalidOption(
    `A POST to "${plan.collection}" has an ${header.idempotencyKey}, and nothing tells whose it is. Give the service idempotencyOwner: (principal, req) => a text, at once, that no two callers share; without it the principal needs a "sub", or is plain data.`,
  )

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/**
 * Recognizes retries of a POST by the idempotency key, the key's owner, the caller's scope, the URL
 * of the list, and the body (VERB-12; draft-ietf-httpapi-idempotency-key-header-07).
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
 * Returns the `Idempotency-Key` of a request that creates a record. Returns `undefined` if the
 * request has no key and needs none. Also returns `undefined` if the resource does not store keys,
 * because the field is then ignored. Throws `malformed-idempotency-key` for a malformed key. Throws
 * `missing-idempotency-key` if the resource requires a key and the request has none.
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
      'is missing. Send one: a new UUID for each record, and the same UUID again in a retry.',
      { member: header.idempotencyKey },
    )
  }
  const key = typeof field === 'string' ? parseIdempotencyKey(field) : undefined
  if (key !== undefined) return key
  const fix =
    `is not a single key of 1 to ${longestKey} printable ASCII characters. Send one key, such as a UUID. ` +
    'Put a key with spaces, commas or semicolons in double quotes.'
  throw refused('malformed-idempotency-key', 'malformed', fix)
}

/** Returns the problem response for a key that was already used with another body. */
export const mismatched = (): HttpProblem =>
  refused(
    'idempotency-mismatch',
    'mismatch',
    'was used with another body before. A retry must have the same body. Use a new key for each new request.',
  )

/**
 * Returns the problem response for a key whose first request is still running. The problem is a
 * 503, because the conventions do not use 409 (ERR-1).
 */
export const running = (): Unavailable =>
  new Unavailable({
    detail:
      `A request with this ${header.idempotencyKey} is still running. Retry in a moment: nothing will be done ` +
      'twice.',
  })

function refused(kind: ProblemCode, code: string, what: string, params?: { readonly member: string }): HttpProblem {
  const detail = `${header.idempotencyKey} ${what}`
  const violation = { header: header.idempotencyKey, detail, code, clause: 'VERB-12' } as const
  return new HttpProblem(kind, { detail, errors: [params === undefined ? violation : { ...violation, params }] })
}

/**
 * Returns the id and the fingerprint by which retries of this request are recognized. `body` is the
 * decoded body that the client sent. A retry may use another format, another order of members or
 * another spelling of a value: the fingerprint stays the same.
 */
export function idempotencyOf(exchange: Routed, key: string, body: unknown): Idempotency {
  const scope = Object.entries(scopeOf(exchange, exchange.resource)).sort(byName)
  // The id covers the whole URL of the list. So the same key at another host, in another version or
  // below another parent is a different key.
  const address = exchange.root + exchange.listPath
  return {
    id: digestOf(JSON.stringify([ownerOf(exchange), scope, address, key])),
    fingerprint: digestOf(canonicalText(exchange.resource.plan.canonical(body))),
  }
}

/**
 * Returns the owner of the key. If `idempotencyOwner` returns a name, that name is the owner. If
 * there is no such function, or if it returns `undefined`, the principal's name is the owner (its
 * `sub` with its `iss`, or the principal itself if it is a string or a number). If the principal
 * has no name but is plain data, its value is the owner, because equal principals have the same
 * permission and scope. Without a principal, all callers share one owner.
 *
 * Throws `ConfigurationError` if `idempotencyOwner` returns anything else, or if the principal
 * can't be distinguished from others. Without this error, a caller could see a record that another
 * caller has created.
 */
function ownerOf({ service, principal, req, resource }: Routed): readonly [by: string, name: string] {
  const given: unknown = service.idempotencyOwner?.(principal, req)
  if (typeof given === 'string' && given !== '') return ['service', given]
  // Nothing awaits this promise, and an unhandled rejection would end the process. So a rejection
  // is ignored here.
  if (given instanceof Promise) given.catch(() => {})
  if (given !== undefined) throw unknownOwner(resource)
  const name = principalName(principal)
  if (name !== undefined) return [typeof principal, name]
  if (principal === undefined || principal === null) return ['nobody', '']
  const value = plainText(principal)
  if (value === undefined) throw unknownOwner(resource)
  return ['value', value]
}

/** The claims that can differ between several tokens of the same holder (RFC 7519 4.1). */
const ofOneToken = new Set(['exp', 'nbf', 'iat', 'jti'])

/**
 * Returns a principal as a string, without the claims in `ofOneToken`. Returns `undefined` if the
 * string would not identify the principal. For example, the identity of an instance of a class may
 * be in private fields, which the string would not contain.
 */
function plainText(principal: unknown): string | undefined {
  // `principalName` found no usable `sub`. So if this principal has a `sub`, it is unusable, for
  // example empty, and several principals may have the same one.
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

const unknownOwner = ({ plan }: Routed['resource']): ConfigurationError =>
  invalidOption(
    `A POST to "${plan.collection}" has an ${header.idempotencyKey}, but its owner can't be determined. ` +
      'Set the option "idempotencyOwner" to a synchronous function (principal, req) => string that returns a ' +
      'different name for each caller. Without that function, the principal must have a "sub" or be plain data.',
  )

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

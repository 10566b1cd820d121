/**
 * Parses a token: three base64url parts, the first of which is the header (RFC 7515 3, 7.1). The
 * token is parsed before its signature is verified.
 */
import { isObject } from '../../definition/json.js'
import { parseJson } from '../../http/json-text.js'
import { isAlgorithm } from './algorithms.js'
import { maxDepth } from './claims.js'
import type { KeyQuestion } from './key-ring.js'
import { longestKid } from './keys.js'

/** The maximum length of a token, in characters. */
export const longestToken = 8192

/** A token whose signature has not been verified. */
export interface UnverifiedToken {
  /** The members of the header that select the key. */
  readonly header: KeyQuestion
  readonly type: string | undefined
  readonly payload: Uint8Array
}

/**
 * Returns the parts of a token, or a message that says why the token is malformed. The parts are
 * not trusted yet.
 */
export function readToken(token: string): UnverifiedToken | string {
  if (token.length > longestToken) return `The token is longer than ${longestToken} characters.`
  const parts = token.split('.', 4)
  if (parts.length !== 3) return 'The token does not have three parts.'
  const bytes = parts.map(decode)
  const [header, payload] = bytes
  if (header === undefined || payload === undefined || bytes[2] === undefined)
    return 'A part of the token is empty or not base64url.'
  const json = parseJson(header, { depth: maxDepth })
  if ('malformed' in json || !isObject(json.value))
    return 'The header is not a JSON object, or different JSON parsers may read it in different ways.'
  return readHeader(json.value, payload)
}

/**
 * Returns the relevant members of a header, or a message that says why the header is not valid. The
 * members `jwk`, `jku`, `x5u` and `x5c` are ignored, because a key that the token itself supplies
 * proves nothing (RFC 8725 3.10).
 */
function readHeader(header: Readonly<Record<string, unknown>>, payload: Uint8Array): UnverifiedToken | string {
  for (const name of ['crit', 'b64', 'zip']) {
    // An unknown critical extension must be refused (RFC 7515 4.1.11). `b64` and `zip` change how
    // the payload must be read (RFC 7797, RFC 7516 4.1.3).
    if (Object.hasOwn(header, name)) return `The header has "${name}", which is not supported.`
  }
  const { alg, kid, typ } = header
  if (!isAlgorithm(alg)) return 'The header has no supported algorithm.'
  if (Object.hasOwn(header, 'kid') && (typeof kid !== 'string' || kid === '' || kid.length > longestKid)) {
    return `The header has a "kid" that is not a string of 1 to ${longestKid} characters.`
  }
  if (Object.hasOwn(header, 'typ') && typeof typ !== 'string') return 'The header has a "typ" that is not a string.'
  return {
    header: Object.freeze(kid === undefined ? { alg } : { alg, kid: kid as string }),
    type: typ === undefined ? undefined : mediaTypeOf(typ as string),
    payload,
  }
}

/**
 * Returns a `typ` in the spelling that is used for comparisons: in lower case and without
 * `application/` (RFC 7515 4.1.9).
 */
export function mediaTypeOf(type: string): string {
  return type.toLowerCase().replace(/^application\//, '')
}

/**
 * Decodes a part of a token. Returns `undefined` if the part is empty or is not canonical
 * base64url. Padding, non-zero unused bits and characters of other alphabets are refused, so that
 * each token has only one spelling.
 */
function decode(part: string): Uint8Array | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined
}

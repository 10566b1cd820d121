/** The text of a token: three base64url parts, and the header in the first (RFC 7515 3, 7.1). All of it is checked before any signature is. */
import { isObject } from '../../definition/json.js'
import { parseJson } from '../../http/json-text.js'
import { isAlgorithm } from './algorithms.js'
import { depth } from './claims.js'
import type { KeyQuestion } from './key-ring.js'
import { longestKid } from './keys.js'

/** The longest token, in characters. */
export const longestToken = 8192

/** A token whose signature nobody has looked at. */
export interface UnverifiedToken {
  /** What chooses the key. */
  readonly header: KeyQuestion
  readonly type: string | undefined
  readonly payload: Uint8Array
}

/** The parts of a token, or what is wrong with its text. Nothing in it is believed yet. */
export function readToken(token: string): UnverifiedToken | string {
  if (token.length > longestToken) return `The token is longer than ${longestToken} characters.`
  const parts = token.split('.', 4)
  if (parts.length !== 3) return 'The token has not three parts.'
  const bytes = parts.map(decode)
  const [header, payload] = bytes
  if (header === undefined || payload === undefined || bytes[2] === undefined)
    return 'A part of the token is empty or not base64url.'
  const json = parseJson(header, { depth })
  if ('malformed' in json || !isObject(json.value))
    return 'The header is no JSON object that every reader would understand alike.'
  return readHeader(json.value, payload)
}

/**
 * The members of a header that count. `jwk`, `jku`, `x5u` and `x5c` are passed over: a key that the token brings proves nothing (RFC 8725 3.10).
 */
function readHeader(header: Readonly<Record<string, unknown>>, payload: Uint8Array): UnverifiedToken | string {
  for (const name of ['crit', 'b64', 'zip']) {
    // RFC 7515 4.1.11: who does not understand an extension that counts must refuse; b64 and zip change what the payload is (RFC 7797, RFC 7516 4.1.3).
    if (Object.hasOwn(header, name)) return `The header has "${name}", which is not supported.`
  }
  const { alg, kid, typ } = header
  if (!isAlgorithm(alg)) return 'The header names no algorithm that is allowed.'
  if (Object.hasOwn(header, 'kid') && (typeof kid !== 'string' || kid === '' || kid.length > longestKid)) {
    return `The header has a kid that is no text of 1 to ${longestKid} characters.`
  }
  if (Object.hasOwn(header, 'typ') && typeof typ !== 'string') return 'The header has a typ that is no text.'
  return {
    header: Object.freeze(kid === undefined ? { alg } : { alg, kid: kid as string }),
    type: typ === undefined ? undefined : mediaTypeOf(typ as string),
    payload,
  }
}

/** `typ` as it is compared: in lower case, without `application/` (RFC 7515 4.1.9). */
export function mediaTypeOf(type: string): string {
  return type.toLowerCase().replace(/^application\//, '')
}

/** The bytes of a part; `undefined` where it is empty or not spelled as encoders spell it. One token thus has one text: no padding, no spare bits, no other alphabet. */
function decode(part: string): Uint8Array | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined
}

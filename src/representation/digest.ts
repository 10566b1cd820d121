/** Digests for entity tags (HDR-2). */
import { hash } from 'node:crypto'

/**
 * Returns the length and the hash of a string or of bytes. The result contains neither dots nor
 * plus signs. One call of `hash` takes half the time that a `Hash` object takes. The package `etag`
 * uses such an object.
 */
export const tagDigest = (text: string | Buffer): string =>
  `${text.length.toString(16)}-${hash('sha1', text, 'base64url')}`

/** What stands for texts in entity tags (HDR-2). */
import { hash } from 'node:crypto'

/** The length of a text and its hash, in an alphabet without dots and plus signs. In one call, which takes half the time of an object that hashes, as `etag` makes. */
export const tagDigest = (text: string | Buffer): string => `${text.length.toString(16)}-${hash('sha1', text, 'base64url')}`

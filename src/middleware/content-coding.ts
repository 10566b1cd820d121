/** Content codings of request bodies (HDR-5; RFC 9110 8.4.1). */
import { constants } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { printable } from '../http/printable.js'
import { HttpProblem } from '../problem.js'
import { header } from '../wire.js'

/**
 * Decodes a body from its content coding. `limit` is the maximum number of decoded bytes. Rejects
 * with `malformed-body` (400) for invalid data, and with the problem that `tooLarge` returns (413)
 * if there are more than `limit` bytes. The decoder `identity` does not check the limit.
 */
export type Decode = (bytes: Uint8Array, limit: number, tooLarge: () => HttpProblem) => Promise<Uint8Array> | Uint8Array

const unpack = (decompress: (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>): Decode => {
  return async (bytes, limit, tooLarge) => {
    try {
      // The limit applies while decompressing, so that a small body can't expand without bound.
      return await decompress(bytes, { maxOutputLength: Math.min(limit, constants.MAX_LENGTH) })
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
      throw new HttpProblem('malformed-body', {
        detail: 'The body cannot be decoded by its Content-Encoding.',
        cause: error,
      })
    }
  }
}

/** The decoder of a body without a content coding. */
export const identity: Decode = (bytes) => bytes

const gzip = unpack(promisify(gunzip))

const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', gzip],
  // `x-gzip` is equivalent to `gzip` (RFC 9110 8.4.1.3).
  ['x-gzip', gzip],
  ['br', unpack(promisify(brotliDecompress))],
  ['deflate', unpack(promisify(inflate))],
  ['identity', identity],
  ['', identity],
])

/**
 * Returns the decoder for the body of a request with these header fields. Throws 415 with
 * `Accept-Encoding` if the coding is not supported, or if the body has several codings (RFC 9110
 * 12.5.3, 15.5.16).
 */
export function decoderOf(headers: IncomingHttpHeaders): Decode {
  const coding = headers['content-encoding']
  if (coding === undefined) return identity
  const decode = decoders.get(coding.trim().toLowerCase())
  if (decode !== undefined) return decode
  const detail =
    `The Content-Encoding ${JSON.stringify(printable(coding))} is not supported. Send the body without a coding, or ` +
    `with one of ${supported.join(', ')}.`
  const errors = [
    {
      header: header.contentEncoding,
      detail,
      allowed: [...supported, 'identity'],
      code: 'unsupported',
      clause: 'HDR-5',
    },
  ]
  throw new HttpProblem('unsupported-content', {
    detail,
    headers: { [header.acceptEncoding]: supported.join(', ') },
    errors,
  })
}

const supported = ['gzip', 'br', 'deflate']

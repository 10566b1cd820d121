/**
 * Adjusts the strong tags of bodies that a middleware in front, such as `compression`, encodes (RFC
 * 9110 8.8.3.3). It decides about encoding while the head is written, so the tag can't be computed
 * earlier: it follows the `Content-Encoding` that is set.
 */
import type { ServerResponse } from 'node:http'
import { codedTag, isCoded } from '../http/entity-tags.js'
import { header } from '../wire.js'
import { listText } from './header-fields.js'

/**
 * Replaces the `Etag` of a response, as long as it equals `tag`, by the tag of the encoded bytes
 * whenever `Content-Encoding` is set. Returns a function that stops this.
 */
export function followCoding(res: ServerResponse, tag: string): () => void {
  const own = Object.hasOwn(res, 'setHeader')
  const { setHeader } = res
  let given = codedTag(tag, listText(res.getHeader(header.contentEncoding)))
  const following: typeof setHeader = (name, value) => {
    setHeader.call(res, name, value)
    if (isContentEncoding(name) && res.getHeader(header.etag) === given) {
      given = codedTag(tag, listText(value))
      setHeader.call(res, header.etag, given)
    }
    return res
  }
  if (res.getHeader(header.etag) === tag) setHeader.call(res, header.etag, given)
  res.setHeader = following
  return () => {
    if (res.setHeader !== following) return
    if (own) res.setHeader = setHeader
    else Reflect.deleteProperty(res, 'setHeader')
  }
}

const isContentEncoding = (name: unknown): boolean => String(name).toLowerCase() === 'content-encoding'

/**
 * True if the 200 in place of this 304 would have `Vary: Accept-Encoding`: then the 304 must have
 * it too (RFC 9110 15.4.5). `compression` adds it only to responses with a body. It is detected by
 * the `flush` method that it adds, or by a tag of an encoded body.
 */
export function compresses(res: ServerResponse, headers: Readonly<Record<string, string>>): boolean {
  if (/no-transform/i.test(headers[header.cacheControl] ?? String(res.getHeader(header.cacheControl) ?? '')))
    return false
  return Object.hasOwn(res, 'flush') || isCoded(headers[header.etag] ?? '')
}

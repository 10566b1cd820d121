/**
 * Adjusts strong entity tags if a middleware in front of the service, such as `compression`,
 * encodes the body (RFC 9110 8.8.3.3). Such a middleware chooses the encoding when the response
 * head is written, so the final tag can't be computed earlier. The tag is replaced when the
 * middleware sets `Content-Encoding`.
 */
import type { ServerResponse } from 'node:http'
import { codedTag, isCoded } from '../http/entity-tags.js'
import { header } from '../wire.js'
import { listText } from './header-fields.js'

/**
 * Watches the header fields of a response. Whenever `Content-Encoding` is set, `Etag` is replaced
 * with the tag of the encoded bytes, unless other code has changed `Etag`. `tag`: the tag of the
 * bytes without an encoding. Returns a function that stops watching.
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
 * Returns true if a 200 in place of this 304 would probably have `Vary: Accept-Encoding`. In that
 * case, the 304 must have this field too (RFC 9110 15.4.5). The caller adds the field, because
 * `compression` adds it only to responses with a body. This function assumes that `compression` is
 * in use if the response has the method `flush`, which `compression` adds, or if the tag is that of
 * an encoded body.
 */
export function compresses(res: ServerResponse, headers: Readonly<Record<string, string>>): boolean {
  if (/no-transform/i.test(headers[header.cacheControl] ?? String(res.getHeader(header.cacheControl) ?? '')))
    return false
  return Object.hasOwn(res, 'flush') || isCoded(headers[header.etag] ?? '')
}

/**
 * Strong tags of bodies that somebody in front packs, such as `compression` (RFC 9110 8.8.3.3). It decides that while the head of the answer leaves, so the tag can't be
 * known before: it follows the `Content-Encoding` that is set.
 */
import type { ServerResponse } from 'node:http'
import { codedTag, isCoded } from '../http/entity-tags.js'
import { header } from '../wire.js'
import { listText } from './header-fields.js'

/** Makes the `Etag` of an answer, as long as it is this one, that of the coded bytes whenever a `Content-Encoding` is set. Gives a function that ends this. */
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
 * True where the full answer in the place of this 304 would have `Vary: Accept-Encoding`, which a 304 must then have too (RFC 9110 15.4.5). `compression` says so of
 * answers with a body alone; it is known by the `flush` that it gives an answer, and by a tag of a coded body.
 */
export function compresses(res: ServerResponse, headers: Readonly<Record<string, string>>): boolean {
  if (/no-transform/i.test(headers[header.cacheControl] ?? String(res.getHeader(header.cacheControl) ?? ''))) return false
  return Object.hasOwn(res, 'flush') || isCoded(headers[header.etag] ?? '')
}

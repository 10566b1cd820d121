/** Header fields of a representation that is not sent, because a problem is sent instead. */
import type { ServerResponse } from 'node:http'
import { header } from '../wire.js'
import { bodyFields, removeFields } from './header-fields.js'
import { withoutPages } from './pagination.js'

const representationFields = [
  ...bodyFields,
  header.contentLocation,
  header.etag,
  header.location,
  header.preferenceApplied,
  header.totalCount,
  'Accept-Ranges',
  'Content-Disposition',
  'Last-Modified',
]

/**
 * Removes the header fields that a hand-written route has set for a representation (RFC 9110 8). Of
 * `Link`, only the links to other pages are removed.
 */
export function removeRepresentationFields(res: ServerResponse): void {
  removeFields(res, representationFields)
  const links = res.getHeader(header.link)
  if (links === undefined) return
  const kept = withoutPages(String(links))
  if (kept === '') res.removeHeader(header.link)
  else res.setHeader(header.link, kept)
}

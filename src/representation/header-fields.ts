/** Header fields of responses, in the forms that Node stores. */
import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import { header } from '../wire.js'

/**
 * The fields that describe a body and have no meaning without one (RFC 9110 8.3 to 8.6, 14.4; RFC
 * 9112 6.1).
 */
export const bodyFields: readonly string[] = Object.freeze([
  header.contentType,
  header.contentLength,
  header.contentEncoding,
  'Content-Language',
  'Content-Range',
  header.transferEncoding,
])

/** Removes fields that a handler has set. */
export function removeFields(res: ServerResponse, names: readonly string[]): void {
  // Removing an unset `Content-Length` would tell Node not to send one, and `compression` to expect
  // a body of unknown length.
  for (const name of names) if (res.hasHeader(name)) res.removeHeader(name)
}

/** A list field as one text, regardless of the form in which it was set. */
export function listText(value: OutgoingHttpHeader | readonly string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}

/** Adds missing names to a `Vary` field. */
export function mergeVary(before: OutgoingHttpHeader | undefined, added: string): string {
  const text = listText(before)
  if (text === '') return added
  const known = new Set(text.split(',').map((name) => name.trim().toLowerCase()))
  const missing = added.split(',').filter((name) => !known.has(name.trim().toLowerCase()))
  return known.has('*') || missing.length === 0 ? text : `${text}, ${missing.join(',').trim()}`
}

/** Adds links to a `Link` field. Compared as text, not parsed: addresses may contain commas. */
export function mergeLinks(before: OutgoingHttpHeader | undefined, added: string): string {
  const text = listText(before)
  if (added.includes(text)) return added
  return text.includes(added) ? text : `${text}, ${added}`
}

/**
 * Helpers for header fields of responses. Node stores the value of a field as a string, a number or
 * a list of strings.
 */
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

/** Removes the fields with these names from the response. */
export function removeFields(res: ServerResponse, names: readonly string[]): void {
  // Only fields that are set are removed. After the removal of a `Content-Length` that is not set,
  // Node would send no `Content-Length`, and `compression` would expect a body of unknown length.
  for (const name of names) if (res.hasHeader(name)) res.removeHeader(name)
}

/**
 * Returns the value of a list field as one string. The value may have been set as a string or as a
 * list.
 */
export function listText(value: OutgoingHttpHeader | readonly string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}

/** Adds names to the value of a `Vary` field, except names that it already contains. */
export function mergeVary(before: OutgoingHttpHeader | undefined, added: string): string {
  const text = listText(before)
  if (text === '') return added
  const known = new Set(text.split(',').map((name) => name.trim().toLowerCase()))
  const missing = added.split(',').filter((name) => !known.has(name.trim().toLowerCase()))
  return known.has('*') || missing.length === 0 ? text : `${text}, ${missing.join(',').trim()}`
}

/**
 * Adds links to the value of a `Link` field, unless the field already contains them. The values are
 * compared as strings. They can't be split at commas, because URLs may contain commas.
 */
export function mergeLinks(before: OutgoingHttpHeader | undefined, added: string): string {
  const text = listText(before)
  if (added.includes(text)) return added
  return text.includes(added) ? text : `${text}, ${added}`
}

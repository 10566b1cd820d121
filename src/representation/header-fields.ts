/** Header fields of answers, as Node holds them. */
import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import { header } from '../wire.js'

/** The fields that speak of a body, and mean nothing without one (RFC 9110 8.3 to 8.6, 14.4; RFC 9112 6.1). */
export const bodyFields: readonly string[] = Object.freeze([
  header.contentType,
  header.contentLength,
  header.contentEncoding,
  'Content-Language',
  'Content-Range',
  header.transferEncoding,
])

/** Takes fields back that a handler has set. */
export function removeFields(res: ServerResponse, names: readonly string[]): void {
  // Node takes the removal of a length that nobody has set for a wish to send none, and whoever packs the answer for a body without an end.
  for (const name of names) if (res.hasHeader(name)) res.removeHeader(name)
}

/** A list field as one text, in whatever form it was set. */
export function listText(value: OutgoingHttpHeader | readonly string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}

/** The latest merge: a service merges the same two fields with each answer, which takes half a microsecond. */
let latest = { text: '', added: '', merged: '' }

/** A `Vary` field with names added that it lacks. */
export function mergeVary(before: OutgoingHttpHeader | undefined, added: string): string {
  const text = listText(before)
  if (text === '') return added
  if (text !== latest.text || added !== latest.added) latest = { text, added, merged: merged(text, added) }
  return latest.merged
}

function merged(text: string, added: string): string {
  const known = new Set(text.split(',').map((name) => name.trim().toLowerCase()))
  const missing = added.split(',').filter((name) => !known.has(name.trim().toLowerCase()))
  return known.has('*') || missing.length === 0 ? text : `${text}, ${missing.join(',').trim()}`
}

/** A `Link` field with links added. They are not taken apart: a comma in an address parts nothing. */
export function mergeLinks(before: OutgoingHttpHeader | undefined, added: string): string {
  const text = listText(before)
  if (added.includes(text)) return added
  return text.includes(added) ? text : `${text}, ${added}`
}

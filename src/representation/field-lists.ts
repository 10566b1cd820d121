/** List fields as Node holds them. */
import type { OutgoingHttpHeader } from 'node:http'

/** A list field as one text, in whatever form it was set. */
export function listText(value: OutgoingHttpHeader | readonly string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}

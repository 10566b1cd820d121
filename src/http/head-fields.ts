/** The header fields that are passed to `writeHead` of a response. */
import type { OutgoingHttpHeader } from 'node:http'
import { isContainer } from '../definition/json.js'

/**
 * Returns the fields as pairs of name and value. `writeHead` accepts an object, a list of
 * alternating names and values, and a list of pairs. In lists, a name may occur several times.
 */
export function headFields(fields: unknown): readonly (readonly [name: string, value: OutgoingHttpHeader])[] {
  if (!isContainer(fields)) return []
  const flat: readonly unknown[] = Array.isArray(fields) ? fields.flat() : Object.entries(fields).flat(1)
  const pairs: (readonly [string, OutgoingHttpHeader])[] = []
  for (let at = 0; at < flat.length; at += 2) {
    const [name, value] = [String(flat[at]), flat[at + 1]]
    if (name !== '' && value !== undefined) pairs.push([name, value as OutgoingHttpHeader])
  }
  return pairs
}

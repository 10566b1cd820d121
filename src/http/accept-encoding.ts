/** The content codings that a request accepts (RFC 9110 12.5.3). */
import { parseQuality } from './accept.js'
import { splitList, tokenEnd } from './field-grammar.js'

/**
 * True if an `Accept-Encoding` field accepts a coding. A request without the field accepts no
 * coding: RFC 9110 12.5.3 would allow any coding, but clients that omit the field usually can't
 * decode any. Malformed elements are ignored. `x-gzip` means `gzip` (RFC 9110 8.4.1.3).
 *
 * @example acceptsCoding('gzip;q=0.5, *;q=0', 'gzip') // true
 */
export function acceptsCoding(field: string | undefined, coding: string): boolean {
  let named: number | undefined
  let others = 0
  for (const element of splitList(field ?? '')) {
    const [name, quality] = weighted(element.trim()) ?? ['', 0]
    if (name === coding || name === `x-${coding}`) named = Math.max(named ?? 0, quality)
    else if (name === '*') others = quality
  }
  return (named ?? others) > 0
}

/**
 * The coding of an element, converted to lower case, and its weight. The coding may be `*`. The
 * result is `undefined` if the element is malformed.
 */
function weighted(element: string): [name: string, quality: number] | undefined {
  const end = tokenEnd(element, 0)
  const weight = /^[ \t]*(?:;[ \t]*q=([^ \t]*))?$/i.exec(element.slice(end))
  const quality = weight === null ? undefined : weight[1] === undefined ? 1 : parseQuality(weight[1])
  return end === 0 || quality === undefined ? undefined : [element.slice(0, end).toLowerCase(), quality]
}

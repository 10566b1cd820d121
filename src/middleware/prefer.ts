/** Reads `Prefer: return=...` (RFC 7240; VERB-2, VERB-10). */
import type { IncomingMessage } from 'node:http'
import { quotedEnd, skipSpace, splitList, tokenEnd, unquote } from '../http/field-grammar.js'

export type ReturnPreference = 'minimal' | 'representation'

/**
 * Returns the client's preference for the response to a write. If `return` occurs more than once,
 * only the first occurrence counts (RFC 7240 2). An unknown or malformed value is ignored.
 */
export function returnPreference({ headers }: Pick<IncomingMessage, 'headers'>): ReturnPreference | undefined {
  const field = headers.prefer
  if (field === undefined) return undefined
  for (const element of splitList(String(field))) {
    const start = skipSpace(element, 0)
    const end = tokenEnd(element, start)
    if (element.slice(start, end).toLowerCase() !== 'return') continue
    const value = preferenceValue(element, end)?.toLowerCase()
    return value === 'minimal' || value === 'representation' ? value : undefined
  }
  return undefined
}

/**
 * Returns the value of a preference. Parameters may follow the value after a semicolon (RFC 7240
 * 2).
 */
function preferenceValue(element: string, nameEnd: number): string | undefined {
  const equals = skipSpace(element, nameEnd)
  if (element[equals] !== '=') return undefined
  const start = skipSpace(element, equals + 1)
  const quoted = element[start] === '"'
  const end = quoted ? quotedEnd(element, start) : tokenEnd(element, start)
  const rest = element[skipSpace(element, end)]
  if (end < 0 || (rest !== undefined && rest !== ';')) return undefined
  const word = element.slice(start, end)
  return quoted ? unquote(word) : word
}

export const prefersMinimal = (req: Pick<IncomingMessage, 'headers'>): boolean => returnPreference(req) === 'minimal'

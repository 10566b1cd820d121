/**
 * Writes values into Markdown as code. The delimiter around a value has more backquotes than any
 * sequence of backquotes in the value (CommonMark 6.1, 4.5).
 */
import { visibleText } from './visible-text.js'

/** A value as code on one line. A blank value becomes `(empty)`, without backquotes. */
export function codeSpan(value: string): string {
  const text = visibleText(value.replace(/\r\n?/g, '\n')).replace(/\s+/g, ' ').trim()
  if (text === '') return '(empty)'
  const fence = fenceFor(text, 1)
  // The spaces separate a backquote at either end of the value from the delimiter.
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** A value as a block of code on separate lines. */
export function codeBlock(value: string): string {
  const text = visibleText(value.replace(/\r\n?/g, '\n'))
  const fence = fenceFor(text, 3)
  return `${fence}text\n${text}\n${fence}\n`
}

function fenceFor(text: string, min: number): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  return '`'.repeat(Math.max(min, longest + 1))
}

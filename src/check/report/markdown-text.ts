/**
 * Values in Markdown: in code, delimited by more backquotes than the value has (CommonMark 6.1,
 * 4.5).
 */
import { visibleText } from './visible-text.js'

/** A value on one line. */
export function codeSpan(value: string): string {
  const text = visibleText(value.replace(/\r\n?/g, '\n')).replace(/\s+/g, ' ').trim()
  if (text === '') return '(empty)'
  const fence = fenceFor(text, 1)
  // The spaces separate a backquote at either end from the delimiter.
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** A value on separate lines. */
export function codeBlock(value: string): string {
  const text = visibleText(value.replace(/\r\n?/g, '\n'))
  const fence = fenceFor(text, 3)
  return `${fence}text\n${text}\n${fence}\n`
}

function fenceFor(text: string, min: number): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  return '`'.repeat(Math.max(min, longest + 1))
}

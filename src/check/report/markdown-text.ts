/** Values in Markdown: in code, delimited by more backquotes than the value has (CommonMark 6.1, 4.5). */

/** A value on one line. */
export function codeSpan(value: string): string {
  const text = visible(value).replace(/\s+/g, ' ').trim()
  if (text === '') return '(empty)'
  const fence = fenceFor(text, 1)
  // A space keeps a backquote at either end apart from the delimiter.
  return /^`|`$/.test(text) ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** A value on lines of its own. */
export function codeBlock(value: string): string {
  const text = visible(value)
  const fence = fenceFor(text, 3)
  return `${fence}text\n${text}\n${fence}\n`
}

function fenceFor(text: string, least: number): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  return '`'.repeat(Math.max(least, longest + 1))
}

/** Control characters, and those that reorder text, are shown as U+FFFD. */
const visible = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu, '\ufffd')

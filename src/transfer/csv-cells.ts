/** Cells and rows of CSV as text (RFC 4180), and texts that a spreadsheet would take for formulas. */

/** What a format of CSV says of its cells. */
export interface CellRules {
  readonly separator: string
  readonly escapeFormulas: boolean
}

/** Characters at which a program may see a cell end, or a text begin and end, whatever it splits rows by. */
const quoted = /[",;\t|\r\n]|^[\s\uFEFF]|[\s\uFEFF]$/

/** What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection), after any signs of ours. */
const formula = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/** A text as a cell: one that is empty stands in quotes, so that it differs from a value that is not there. */
export function textCell(text: string, { separator, escapeFormulas }: CellRules): string {
  const safe = escapeFormulas ? escapeFormula(text) : text
  return safe === '' || quoted.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * A text that no spreadsheet takes for a formula: one that would be begins with `'`. So does one that
 * looks like the result, so that the sign can be taken away again.
 */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text that `escapeFormula` was given. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

/** Writes cells of CSV (RFC 4180), and escapes texts that spreadsheets would treat as formulas. */

/** The options of a CSV format that concern cells. */
export interface CellRules {
  readonly separator: string
  readonly escapeFormulas: boolean
}

/**
 * Characters that must be quoted, whatever the separator is, because some program may treat them as
 * the end of a cell, or as whitespace to trim.
 */
const quoted = /[",;\t|\r\n]|^[\s\uFEFF]|[\s\uFEFF]$/

/**
 * The beginning of a text that a spreadsheet would treat as a formula (OWASP, CSV Injection). Any
 * number of escaping `'` may precede it.
 */
const formula = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/** The cell for a text. An empty text is quoted, to distinguish it from an absent value. */
export function textCell(text: string, { separator, escapeFormulas }: CellRules): string {
  const safe = escapeFormulas ? escapeFormula(text) : text
  return safe === '' || quoted.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Puts a `'` in front of a text that a spreadsheet would treat as a formula. A text that already
 * looks escaped gets a further `'`, so that the escaping can be reversed.
 */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** Reverses `escapeFormula`. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

/** Writes CSV cells (RFC 4180), and escapes strings that spreadsheets would treat as formulas. */

/** The options of a CSV format that affect cells. */
export interface CellRules {
  readonly separator: string
  readonly escapeFormulas: boolean
}

/**
 * Matches a cell that must be quoted, regardless of the separator. Some programs treat the matched
 * characters as the end of a cell, or as whitespace to trim.
 */
const quoted = /[",;\t|\r\n]|^[\s\uFEFF]|[\s\uFEFF]$/

/**
 * Matches the beginning of a string that a spreadsheet would treat as a formula (OWASP, CSV
 * Injection). Any number of `'` may come first, so that strings that look escaped match too.
 */
const formula = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/** The cell for a string. An empty string is quoted, to distinguish it from an absent value. */
export function textCell(text: string, { separator, escapeFormulas }: CellRules): string {
  const safe = escapeFormulas ? escapeFormula(text) : text
  return safe === '' || quoted.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Puts a `'` in front of a string that a spreadsheet would treat as a formula. A string that
 * already looks escaped gets another `'`, so that the escaping can be reversed.
 */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** Reverses `escapeFormula`. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

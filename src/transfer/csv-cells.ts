/** Writes cells of CSV (RFC 4180), and escapes texts that spreadsheets would treat as formulas. */

/** The options of a CSV format that concern cells. */
export interface CellRules {
  readonly separator: string
  readonly escapeFormulas: boolean
}

/**
 * Characters that some program may treat as the end of a cell, or as whitespace to trim, for any
 * separator.
 */
const quoted = /[",;\t|\r\n]|^[\s\uFEFF]|[\s\uFEFF]$/

/**
 * The beginning of a formula for a spreadsheet (OWASP, CSV Injection), possibly after escaping
 * signs.
 */
const formula = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/** A text as a cell. An empty text is quoted, to distinguish it from an absent value. */
export function textCell(text: string, { separator, escapeFormulas }: CellRules): string {
  const safe = escapeFormulas ? escapeFormula(text) : text
  return safe === '' || quoted.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Escapes a text that a spreadsheet would treat as a formula with a leading `'`. A text that looks
 * escaped is escaped too, so that the sign can be removed again.
 */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** Reverses `escapeFormula`. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

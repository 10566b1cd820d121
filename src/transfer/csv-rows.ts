/**
 * Splits CSV into rows and cells (RFC 4180). Each row is parsed only when the caller requests it.
 */
import type { HttpProblem } from '../problem.js'
import { longestRow, malformedRow } from './malformed-row.js'

/** The maximum number of cells in a row. No real table has this many columns. */
const maxCells = 10_000

/**
 * A cell. A quoted empty cell contains the empty string. An unquoted empty cell contains no value.
 */
export interface Cell {
  readonly text: string
  readonly quoted: boolean
}

/** A row, and the number of the line in which it begins. The first line of the text is 1. */
export interface CsvRow {
  readonly cells: readonly Cell[]
  readonly line: number
}

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * The rows of a text whose lines end with LF or CRLF. Throws `malformed-body` (400) for invalid
 * CSV.
 */
export function* csvRows(text: string, separator: string): Generator<CsvRow, void, undefined> {
  const scanner = new Scanner(text, separator)
  for (let row = scanner.row(); row !== undefined; row = scanner.row()) yield row
}

class Scanner {
  readonly #text: string
  readonly #separator: number
  #at = 0
  /** The position and the line at which the current row begins. */
  #begin = 0
  #line = 1
  /** The number of line ends within quotes in the current row. */
  #inside = 0

  constructor(text: string, separator: string) {
    this.#text = text
    this.#separator = separator.charCodeAt(0)
  }

  row(): CsvRow | undefined {
    if (this.#at >= this.#text.length) return undefined
    this.#begin = this.#at
    const line = this.#line
    const cells = [this.#cell()]
    while (this.#text.charCodeAt(this.#at) === this.#separator) {
      this.#at += 1
      if (cells.length === maxCells) throw this.#malformed(`there are more than ${maxCells} cells`)
      cells.push(this.#cell())
    }
    if (this.#text.charCodeAt(this.#at) === carriageReturn) this.#at += 1
    this.#at += 1
    this.#line += 1 + this.#inside
    this.#inside = 0
    return { cells, line }
  }

  #cell(): Cell {
    const cell = this.#text.charCodeAt(this.#at) === quote ? this.#quoted() : this.#plain()
    if (this.#at - this.#begin > longestRow) throw this.#malformed(tooLong)
    return cell
  }

  #plain(): Cell {
    const begin = this.#at
    while (!this.#isCellEnd()) {
      if (this.#text.charCodeAt(this.#at) === quote) throw this.#malformed(strayQuote)
      this.#at += 1
    }
    return { text: this.#text.slice(begin, this.#at), quoted: false }
  }

  #quoted(): Cell {
    const begin = this.#at + 1
    let doubled = false
    let end = this.#closing(begin)
    for (; this.#text.charCodeAt(end + 1) === quote; end = this.#closing(end + 2)) doubled = true
    this.#at = end + 1
    if (!this.#isCellEnd()) throw this.#malformed(textAfterQuote)
    const inner = this.#text.slice(begin, end)
    return { text: doubled ? inner.replaceAll('""', '"') : inner, quoted: true }
  }

  /** Returns the position of the next quote, and counts the line ends before that quote. */
  #closing(from: number): number {
    const end = this.#text.indexOf('"', from)
    const known = end === -1 ? this.#text.length : end
    if (known - this.#begin > longestRow) throw this.#malformed(tooLong)
    if (end === -1) throw this.#malformed('a quote is opened and never closed')
    // A loop finds the line ends, because `indexOf` would not stop at the quote. For each cell of a
    // long row, `indexOf` would search the rest of the row for a line end.
    for (let at = from; at < end; at += 1) if (this.#text.charCodeAt(at) === lineFeed) this.#inside += 1
    return end
  }

  /** Whether a cell ends at the current position. A CR without LF is an ordinary character. */
  #isCellEnd(): boolean {
    const code = this.#text.charCodeAt(this.#at)
    if (code === this.#separator || code === lineFeed || this.#at >= this.#text.length) return true
    return code === carriageReturn && this.#text.charCodeAt(this.#at + 1) === lineFeed
  }

  #malformed(fault: string): HttpProblem {
    return malformedRow(this.#line, `${fault} (RFC 4180)`)
  }
}

const tooLong = `there are more than ${longestRow} characters: a quote may be missing`
const textAfterQuote =
  'something follows a closing quote. End the cell after this quote, or double each quote inside the cell'
const strayQuote = 'there is a quote within an unquoted cell. Quote the cell and double the quotes in it'

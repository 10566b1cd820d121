import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeFormula, textCell, unescapeFormula } from '../../src/transfer/csv-cells.js'

/** Random strings. Many contain special characters of CSV or of spreadsheets. */
const oddText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', '|', ' ', '\uFEFF', '＝', 'a', '1'),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
)

describe('cells of CSV', () => {
  it('RFC 4180: another CSV reader reads the original string from every cell that textCell() writes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(oddText, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(',', ';', '\t', '|'),
        (table, separator) => {
          const text = table
            .map((row) => row.map((cell) => textCell(cell, { separator, escapeFormulas: false })).join(separator))
            .join('\r\n')
          expect(parse(text, { delimiter: separator, record_delimiter: '\r\n' })).toEqual(table)
        },
      ),
    )
  })

  it('an escaped string never starts like a formula, and unescapeFormula() restores the original', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        const cell = escapeFormula(text)
        expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/)
        expect(unescapeFormula(cell)).toBe(text)
      }),
    )
  })

  it.each([
    ['=1+1', "'=1+1"],
    ["'=1", "''=1"],
    ["'tis", "'tis"],
    ['', ''],
    ['-5', "'-5"],
  ])('escapeFormula() turns %j into %j', (text, cell) => {
    expect(escapeFormula(text)).toBe(cell)
  })
})

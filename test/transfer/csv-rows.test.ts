/** The rows of CSV texts, compared with the result of another CSV reader. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HttpProblem } from '../../src/problem.js'
import { csvRows } from '../../src/transfer/csv-rows.js'

const pieces = ['"', '""', ',', ';', '\n', '\r\n', '\r', 'a', ' ', "'", '\uFEFFx', 'ñ😀', '"a"', '"a\nb"', '"a\r\n""b"']
const oddText = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))

/** The cells as strings, row by row; `undefined` if the text is not CSV. */
function ours(text: string): readonly (readonly string[])[] | undefined {
  try {
    return [...csvRows(text, ',')].map(({ cells }) => cells.map((cell) => cell.text))
  } catch (error) {
    expect(error).toBeInstanceOf(HttpProblem)
    return undefined
  }
}

function theirs(text: string): readonly (readonly string[])[] | undefined {
  try {
    return parse(text, { record_delimiter: ['\r\n', '\n'], relax_column_count: true })
  } catch {
    return undefined
  }
}

const refused = (text: string) => {
  expect(ours(text)).toBeUndefined()
  try {
    return [...csvRows(text, ',')].length
  } catch (error) {
    return (error as HttpProblem).detail
  }
}

describe('rows of CSV', () => {
  it('RFC 4180: csvRows() returns the same rows as another reader, and refuses the same texts', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        expect(ours(text)).toEqual(theirs(text))
      }),
      { numRuns: 5000 },
    )
  })

  it('each row has the number of the line in which it starts, even after cells that contain line ends', () => {
    const cell = fc.constantFrom('a', '', '"x\ny"', '"x\r\ny"', '"\r\n\r\n\n"', '"""\n"')
    const ends = fc.constantFrom('\n', '\r\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, ends), { minLength: 1, maxLength: 8 }), (rows) => {
        const texts = rows.map(([one, other, end]) => `${one},${other}${end}`)
        const lines = texts.map((_, i) => texts.slice(0, i).join('').split('\n').length)
        expect([...csvRows(texts.join(''), ',')].map(({ line }) => line)).toEqual(lines)
      }),
    )
  })

  it('each cell states whether it was quoted, because only a quoted empty cell is an empty string', () => {
    expect([...csvRows('"",\n', ',')]).toEqual([
      {
        line: 1,
        cells: [
          { text: '', quoted: true },
          { text: '', quoted: false },
        ],
      },
    ])
  })

  it.each([
    ['a\n"b', 'a quote is opened and never closed'],
    ['a\n"b"c', 'something follows a closing quote'],
    ['a\nb"c', 'there is a quote within an unquoted cell'],
    [`a\n"${'b'.repeat(1_048_577)}"`, 'there are more than 1048576 characters: a quote may be missing'],
    [`a\n"${'b\n'.repeat(2_000_000)}`, 'there are more than 1048576 characters: a quote may be missing'],
    [`a\n${'b'.repeat(1_048_577)}`, 'there are more than 1048576 characters'],
    [`a\n${','.repeat(10_000_000)}`, 'there are more than 10000 cells'],
    [`a\n${'""",'.repeat(11)}`, 'a quote is opened and never closed'],
  ])(
    'HDR-5: an invalid row is refused, and the detail names the line in which the row begins: case %#',
    (text, fault) => {
      expect(refused(text)).toContain(`In the row that begins in line 2, ${fault}`)
    },
  )
})

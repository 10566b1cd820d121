import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotedEnd, skipSpace, splitList, tokenEnd, unquote } from '../../src/http/field-grammar.js'

/** Writes a string as a quoted string (RFC 9110 5.6.4). */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
const quotable = fc.string({ unit: fc.constantFrom(...'ab,;= "\\\t\u00e9'.split('')) })

describe('field grammar', () => {
  it('HDR-1: optional white space consists only of spaces and tabs (RFC 9110 5.6.3)', () => {
    expect([skipSpace(' \t a', 0), skipSpace('a', 0), skipSpace('\u00a0a', 0), skipSpace('  ', 0)]).toEqual([
      3, 0, 0, 2,
    ])
  })

  it('HDR-1: a token ends at the first character that is not tchar (RFC 9110 5.6.2)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => tokenEnd(text, 0) === (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]*/.exec(text)?.[0].length ?? 0),
      ),
    )
  })

  it('HDR-1: a quoted string ends at its closing quote, and unquoting it returns the original string', () => {
    fc.assert(
      fc.property(quotable, fc.string(), (text, rest) => {
        expect(quotedEnd(quoted(text) + rest, 0)).toBe(quoted(text).length)
        expect(unquote(quoted(text))).toBe(text)
      }),
    )
    for (const text of ['"', '"a', '"a\\"', '"a\\', '"a\n"', '"a\\\n"', '"\u007f"'])
      expect(quotedEnd(text, 0), text).toBe(-1)
  })

  it('HDR-1: a list is split at commas outside quoted strings', () => {
    fc.assert(
      fc.property(fc.array(quotable, { minLength: 1 }), (texts) => {
        expect(splitList(texts.map((text) => ` a=${quoted(text)}`).join(','))).toEqual(
          texts.map((text) => ` a=${quoted(text)}`),
        )
      }),
    )
    expect(splitList('a,,b,')).toEqual(['a', '', 'b', ''])
    expect(splitList('a,"b,c')).toEqual(['a', '"b,c'])
  })
})

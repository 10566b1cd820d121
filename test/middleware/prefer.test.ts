import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prefersMinimal, returnPreference } from '../../src/middleware/prefer.js'
import { raw } from './majors.js'

const preferring = (prefer: string | undefined) => ({ headers: { prefer } }) as unknown as IncomingMessage
const of = (prefer: string | undefined) => returnPreference(preferring(prefer))

describe('returnPreference', () => {
  it.each([
    ['return=minimal', 'minimal'],
    ['return=representation', 'representation'],
    ['RETURN=Minimal', 'minimal'],
    [' return \t= "minimal" ', 'minimal'],
    ['return="mini\\mal"', 'minimal'],
    ['return=minimal; foo="a,b"; bar', 'minimal'],
    ['return=minimal ;', 'minimal'],
    ['respond-async, wait=10, return=representation', 'representation'],
    ['foo="a, return=minimal", return=representation', 'representation'],
    ['foo; return=minimal, return=representation', 'representation'],
    [',, return=minimal,', 'minimal'],
  ])('VERB-10, RFC 7240: %s asks for %s', (field, preference) => {
    expect(of(field)).toBe(preference)
    expect(prefersMinimal(preferring(field))).toBe(preference === 'minimal')
  })

  it.each([
    undefined,
    '',
    'return',
    'return=',
    'return=""',
    'return=none',
    'return=minimal x',
    'return="minimal',
    'return="minimal"x',
    'return minimal',
    'returns=minimal',
    'x-return=minimal',
    'foo; return=minimal',
    'foo="return=minimal"',
    'foo="a, return=minimal',
  ])('VERB-10, RFC 7240: %s has no known return preference', (field) => {
    expect(of(field)).toBeUndefined()
  })

  it('RFC 7240 2: the first of several "return" preferences counts, even if its value is unknown', () => {
    expect(of('return=minimal, return=representation')).toBe('minimal')
    expect(of('return=representation, return=minimal')).toBe('representation')
    expect(of('return=other, return=minimal')).toBeUndefined()
  })

  it('RFC 7240 2: several header lines are one list', async () => {
    const lines = 'Prefer: wait=1\r\nPrefer: return=minimal\r\nPrefer: return=representation\r\n'
    const answer = await raw(
      (req, res) => res.end(returnPreference(req)),
      `GET / HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`,
    )
    expect(answer.endsWith('\r\n\r\n7\r\nminimal\r\n0\r\n\r\n') || answer.endsWith('minimal')).toBe(true)
  })

  it('VERB-10: any string results in one of the two "return" preferences or in none', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('return', '=', 'minimal', '"', ',', ';', ' ', '\\', 'x') }),
        (field) => {
          expect([undefined, 'minimal', 'representation']).toContain(of(field))
        },
      ),
    )
  })

  it('VERB-10: earlier preferences with other names do not change the result', () => {
    const word = fc.stringMatching(/^[a-qs-z]{1,8}$/)
    const element = fc
      .tuple(word, fc.string({ unit: fc.constantFrom('a', ',', ';', '=', ' ', 'return=minimal') }))
      .map(([name, text]) => `${name}="${text}"`)
    fc.assert(
      fc.property(fc.array(element), (others) => {
        expect(of([...others, 'return=representation'].join(', '))).toBe('representation')
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { integerChanges, needsCheck, numberEnd } from '../../src/http/json-number.js'
import { cpuTime } from '../cpu-time.js'

const grammar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/
const literal = fc.stringMatching(/^-?(?:0|[1-9]\d{0,25})(?:\.\d{1,25})?(?:[eE][+-]?\d{1,2})?$/)

describe('JSON numbers', () => {
  it('HDR-5: numberEnd finds the end of the longest number that the grammar allows (RFC 8259 6)', () => {
    fc.assert(fc.property(literal, (number) => numberEnd(`x${number},`, 1) === number.length + 1))
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'-+.eE0123') }),
        (text) => numberEnd(text, 0) === (grammar.exec(text)?.[0].length ?? 0),
      ),
    )
  })

  it('HDR-5: integerChanges finds integers that a double would change', () => {
    for (const changing of [
      '9007199254740993',
      '-9007199254740993',
      '12345678901234567890',
      '9007199254740993.0',
      '9007199254740993e0',
      '90071992547409930e-1',
      '0.9007199254740993e16',
    ]) {
      expect(integerChanges(changing), changing).toBe(true)
    }
    for (const same of [
      '0',
      '-0',
      '9007199254740991',
      '9007199254740992',
      '1e16',
      '1E+16',
      '10000000000000000.0',
      '1152921504606846976',
      '1e308',
      '0e999999',
      '1e-999999',
    ]) {
      expect(integerChanges(same), same).toBe(false)
    }
  })

  it('HDR-5: the rounding of a fraction does not count as a change', () => {
    for (const rounded of ['0.1', '0.12345678901234567890', '9007199254740993.5', '1.5e-300'])
      expect(integerChanges(rounded), rounded).toBe(false)
  })

  it('HDR-5: an integer counts as changed if and only if a double preserves neither its value nor its digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (integer) => {
        const read = Number(integer)
        expect(integerChanges(String(integer))).toBe(BigInt(read) !== integer && decimalOf(read) !== integer)
      }),
    )
  })

  it('REP-7: every number that JSON.stringify writes is read unchanged', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (double) => !integerChanges(JSON.stringify(double)),
      ),
    )
    for (const double of [2 ** 60, 1e21, 1e23, 6.02214076e23, Number.MAX_VALUE])
      expect(integerChanges(JSON.stringify(double))).toBe(false)
  })

  it('HDR-5: needsCheck returns false only for numbers that are read unchanged', () => {
    fc.assert(
      fc.property(
        literal,
        (number) => needsCheck(number, 0, number.length) || (!integerChanges(number) && !Object.is(Number(number), -0)),
      ),
    )
  })

  it('HDR-5: integerChanges takes linear time, even for a hostile literal of a megabyte', () => {
    const started = cpuTime()
    for (const digits of ['0', '1', '01']) integerChanges(`0.${digits.repeat(1_000_000 / digits.length)}e5`)
    integerChanges(`1${'0'.repeat(1_000_000)}e-999999`)
    expect(cpuTime() - started).toBeLessThan(5_000)
  })
})

/** The integer value of the shortest decimal form of a double. */
function decimalOf(double: number): bigint {
  const [mantissa = '', exponent = '0'] = String(double).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length)
}

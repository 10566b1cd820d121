/**
 * REP-4: if a `numeric` column refuses a decimal, the message states which decimals the column
 * accepts. PostgreSQL 15 and later allow scales that are negative or above the precision.
 */
import { expect, it } from 'vitest'
import { decimals, decimalTexts } from '../../../src/adapters/postgres/values/number-types.js'

it.each<
  [scale: string, limits: readonly number[], held: readonly string[], refused: readonly string[], message: string]
>([
  [
    '(5, 2)',
    [5, 2],
    ['123.45', '0'],
    ['1234', '0.123'],
    'must have at most 3 digits before and 2 after the decimal point',
  ],
  [
    '(3, -2)',
    [3, -2],
    ['12300', '99900', '0'],
    ['12345', '100000', '0.1'],
    'must be a multiple of 100 with at most 5 digits before the decimal point',
  ],
  [
    '(2, 4)',
    [2, 4],
    ['0.0012', '0.0099', '0'],
    ['0.1234', '0.00123', '1'],
    'must have 2 zeros directly after the decimal point, and at most 4 digits after it in total',
  ],
])(
  'REP-4: if a numeric%s column refuses a decimal, the message states which decimals the column accepts',
  (_, limits, held, refused, message) => {
    const texts = decimalTexts(limits)
    for (const value of held) expect(texts.fault(value), value).toBeUndefined()
    for (const value of refused) expect(texts.fault(value), value).toBe(message)
    const numbers = decimals(limits)
    for (const value of held) expect(numbers.fault(Number(value)), value).toBeUndefined()
    for (const value of refused) expect(numbers.fault(Number(value)), value).toBe(message)
  },
)

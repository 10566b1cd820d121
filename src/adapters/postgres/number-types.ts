/** The types of PostgreSQL that hold numbers. */
import { canonicalDecimal, canonicalInt64, digitsOf } from '../../http/decimal.js'
import type { Scalar } from '../contract.js'
import { asText, type ColumnType } from './column-type.js'
import { valueTexts } from './value-texts.js'

const finite = (text: string): number | null => (Number.isFinite(Number(text)) ? Number(text) : null)
/** The digits of a number without an exponent: some types read none. */
const digits = (value: Scalar): string => String(Object.is(value, -0) ? 0 : value)

export function wholeNumbers(cast: string, bound: number): ColumnType {
  const fits = (value: Scalar): boolean => Number.isInteger(value) && (value as number) >= -bound && (value as number) < bound
  return {
    cast,
    holds: ['integer', 'number'],
    samples: [0, 1],
    inJson: true,
    read: asText,
    // A number that a double rounds would be told as another one.
    decode: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : null),
    faithful: (text) => Number.isSafeInteger(Number(text)),
    encode: digits,
    fault: (value) => (fits(value) ? undefined : `must be a whole number from ${-bound} to ${bound - 1}`),
    compare(op, value) {
      const number = value as number
      // The column is compared as what it is, so that its index serves; values between or beyond
      // its own are brought there.
      if (Number.isSafeInteger(number)) return { op, text: digits(number), cast: 'bigint' }
      if (op === '=') return 'never'
      const upwards = op === '>' || op === '>='
      if (Math.abs(number) > bound) return number < 0 === upwards ? { op: '>=', text: String(-bound), cast: 'bigint' } : 'never'
      return { op: upwards ? '>' : '<=', text: digits(Math.floor(number)), cast: 'bigint' }
    },
  }
}

export function decimals([precision, scale = 0]: readonly number[]): ColumnType {
  return {
    cast: 'numeric',
    holds: ['integer', 'number'],
    samples: [0, 1],
    inJson: true,
    read: asText,
    decode: finite,
    faithful: (text) => Number.isFinite(Number(text)) && plainDigits(Number(text)).join('.') === plainText(text),
    encode: digits,
    fault(value) {
      if (precision === undefined) return undefined
      const [whole, fraction] = plainDigits(value as number)
      if (fraction.length <= scale && whole.length <= precision - scale) return undefined
      return `must have at most ${precision - scale} digits before and ${scale} behind the decimal point`
    },
    compare: (op, value) => ({ op, text: digits(value), cast: 'numeric' }),
  }
}

/** The digits before and behind the point, without an exponent, leading or trailing zeros. */
function plainDigits(value: number): readonly [whole: string, fraction: string] {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const all = mantissa.replace('.', '')
  const point = 1 + Number(exponent)
  const whole = point <= 0 ? '' : all.slice(0, point).padEnd(point, '0')
  const fraction = point <= 0 ? '0'.repeat(-point) + all : all.slice(point)
  return [whole.replace(/^0+/, ''), fraction.replace(/0+$/, '')]
}

/** The same of a decimal as the database writes it. */
function plainText(text: string): string {
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  return `${whole.replace(/^0+/, '')}.${fraction.replace(/0+$/, '')}`
}

export function floats(cast: string, stored: (value: number) => number): ColumnType {
  return {
    cast,
    holds: ['integer', 'number'],
    samples: [0, 1],
    inJson: true,
    read: asText,
    decode: finite,
    faithful: (text) => Number.isFinite(Number(text)),
    encode: digits,
    fault: (value) => (stored(value as number) === value ? undefined : 'must be a number that single precision can hold'),
    compare(op, value) {
      if (stored(value as number) === value) return { op, text: digits(value), cast }
      return op === '=' ? 'never' : { op, text: digits(value), cast: 'double precision' }
    },
  }
}

/** What a `real` gives back for a number: the shortest decimal that leads to the same single. */
export function shortestSingle(value: number): number {
  const single = Math.fround(value)
  for (let precision = 1; precision < 10; precision++) {
    const short = Number(single.toPrecision(precision))
    if (Math.fround(short) === single) return short
  }
  return Number.NaN
}

/** Whole numbers as texts (format `int64`): for those that a double can't hold. */
export function wholeNumberTexts(cast: string, bits: number): ColumnType {
  const [least, most] = [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
  return valueTexts({
    cast,
    samples: ['0', '1'],
    formats: ['int64', 'decimal'],
    counts: true,
    expects: 'a whole number as text, such as "42"',
    canonical: canonicalInt64,
    holdsNot: (text) => (BigInt(text) < least || BigInt(text) > most ? `must be from ${least} to ${most} here` : undefined),
    // The column is compared as what it is, so that its index serves.
    beyond: (op, text) => ({ op, text, cast: 'bigint' }),
  })
}

/** Digits that a `numeric` of any precision has at most, before and behind the point. */
const numericLimits = [131_072, 16_383] as const

/**
 * Decimals as texts (format `decimal`): every digit of a `numeric`. NaN and infinity, which no
 * decimal says, are null, as they are where the member is a number.
 */
export function decimalTexts([precision, scale = 0]: readonly number[]): ColumnType {
  const [whole, fraction] = precision === undefined ? numericLimits : [precision - scale, scale]
  const isWhole = precision !== undefined && scale === 0 && precision <= 18
  const type = valueTexts({
    cast: 'numeric',
    samples: ['0', '1'],
    formats: isWhole ? ['decimal', 'int64'] : ['decimal'],
    expects: 'a decimal number as text, such as "1234.56"',
    canonical: canonicalDecimal,
    holdsNot(text) {
      const [before, behind] = digitsOf(text)
      // A scale below zero rounds before the point, one above the precision leaves no room for the first digits behind it.
      const isHeld =
        scale >= 0 && scale <= (precision ?? scale)
          ? before.length <= whole && behind.length <= fraction
          : fitsOddScale(text, precision ?? 0, scale)
      return isHeld
        ? undefined
        : `must have at most ${Math.max(whole, 0)} digits before and ${Math.max(fraction, 0)} behind the decimal point`
    },
    beyond: (op, text) => (tooManyDigits(text) ? 'never' : { op, text, cast: 'numeric' }),
  })
  return {
    ...type,
    plain: false,
    decode: (text) => canonicalDecimal(text) ?? null,
    faithful: (text) => canonicalDecimal(text) !== undefined,
  }
}

const tooManyDigits = (text: string): boolean => {
  const [before, behind] = digitsOf(text)
  return before.length > numericLimits[0] || behind.length > numericLimits[1]
}

/** Whether a `numeric(precision, scale)` keeps a decimal, where the scale is negative or above the precision. */
function fitsOddScale(text: string, precision: number, scale: number): boolean {
  const [before, behind] = digitsOf(text)
  if (behind.length > Math.max(scale, 0)) return false
  if (scale < 0 && !new RegExp(`^$|0{${-scale}}$`).test(before)) return false
  const digits = (before + behind.padEnd(Math.max(scale, 0), '0')).replace(/^0+/, '')
  return digits.length - Math.max(-scale, 0) <= precision
}

/** Kinds of columns that hold numbers. */
import fc from 'fast-check'
import type { Kind } from './kinds.js'

const whole = (min: number, max: number) =>
  fc.oneof(
    fc.integer({ min, max }),
    fc.constantFrom(min, max, 0, 1, -1).filter((value) => value >= min && value <= max),
  )

/**
 * Generates the same numbers as `arbitrary`, but 0 in place of `-0`, which JSON does not preserve.
 */
const plain = <T extends number>(arbitrary: fc.Arbitrary<T>) => arbitrary.map((value) => value + 0)

const sameNumber = (value: unknown): string => String(Number(value) + 0)

/** Other strings for the same number. */
const numberSpellings = (value: unknown): readonly string[] => {
  const number = value as number
  return [
    `${number}.0`,
    `+${number}`,
    `0${number}`,
    ` ${number}`,
    number.toExponential(),
    ...(number === 0 ? ['-0', '0e0'] : []),
  ]
}

/** The decimal string without superfluous zeros. Equal numbers have equal strings. */
const sameDecimal = (value: unknown): string => {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(String(value)) ?? []
  const digits = `${whole.replace(/^0+/, '') || '0'}.${fraction.replace(/0+$/, '')}`
  return `${sign === '-' && digits !== '0.' ? '-' : ''}${digits}`
}

const decimalSpellings = (value: unknown): readonly string[] => {
  const text = String(value)
  return [
    text.includes('.') ? `${text}0` : `${text}.0`,
    `+${text}`,
    text.replace(/^(-?)/, '$100'),
    `${text}e0`,
    ` ${text}`,
  ]
}

const wholeKind = (name: string, type: string, min: number, max: number, foreign: readonly string[]): Kind => ({
  name,
  type,
  schema: { type: 'integer' },
  values: whole(min, max),
  odd: fc.constantFrom(max + 1, min - 1, 2 ** 53 - 1, 1e15),
  means: sameNumber,
  spellings: numberSpellings,
  compares: 'all',
  keyable: true,
  foreign,
})

export const numberKinds: readonly Kind[] = [
  wholeKind('smallint', 'smallint', -(2 ** 15), 2 ** 15 - 1, ['32767', '-32768']),
  wholeKind('int', 'integer', -(2 ** 31), 2 ** 31 - 1, ['2147483647', '-2147483648']),
  {
    ...wholeKind('bigint', 'bigint', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, ['9007199254740991']),
    odd: fc.constantFrom(1e15, 123456789012),
    inexact: ['9223372036854775807', '9007199254740993', '-9007199254740993'],
  },
  {
    name: 'positive domain',
    type: 'laws_positive',
    setup:
      'DO $$ BEGIN CREATE DOMAIN laws_positive AS integer CHECK (VALUE > 0); EXCEPTION WHEN duplicate_object THEN ' +
      'NULL; END $$',
    schema: { type: 'integer' },
    values: whole(1, 2 ** 31 - 1),
    odd: fc.constantFrom(0, -1),
    means: sameNumber,
    spellings: numberSpellings,
    compares: 'all',
    keyable: true,
  },
  {
    name: 'numeric(9,2)',
    type: 'numeric(9,2)',
    schema: { type: 'number' },
    values: whole(-(10 ** 9 - 1), 10 ** 9 - 1).map((cents) => cents / 100),
    odd: fc.constantFrom(0.001, 1e7, 1e21, 1e-7),
    means: sameNumber,
    spellings: numberSpellings,
    compares: 'all',
    keyable: true,
    foreign: ['0.10', '1234567.89'],
    inexact: [`'NaN'`],
  },
  {
    name: 'numeric',
    type: 'numeric',
    schema: { type: 'number' },
    values: plain(
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
        fc.constantFrom(0.1, 1e21, 1e-7, 5e-324),
      ),
    ),
    means: sameNumber,
    compares: 'all',
    keyable: false,
    foreign: ['1.50', '0.000', '100'],
    inexact: [`'NaN'`, '0.12345678901234567890123', '12345678901234567890.5', '1e400'],
  },
  {
    name: 'real',
    type: 'real',
    schema: { type: 'number' },
    values: plain(
      fc.oneof(
        fc.constantFrom(0, 0.1, 1.5, -2.25, 16777216, 1e-40, 3.4028235e38),
        fc.integer({ min: -(2 ** 24), max: 2 ** 24 }),
      ),
    ),
    odd: fc.constantFrom(0.1234567891, 16777217, 1e300),
    means: sameNumber,
    spellings: numberSpellings,
    compares: 'all',
    keyable: false,
    foreign: ['0.1', '1e-45', '3.4e38'],
    inexact: [`'NaN'`, `'Infinity'`, `'-Infinity'`],
  },
  {
    name: 'double',
    type: 'double precision',
    schema: { type: 'number' },
    values: plain(
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2),
      ),
    ),
    means: sameNumber,
    spellings: numberSpellings,
    compares: 'all',
    keyable: false,
    foreign: ['0.1', `'-0'`, '1.7976931348623157e308', '5e-324'],
    inexact: [`'NaN'`, `'Infinity'`, `'-Infinity'`],
  },
  {
    name: 'decimal',
    type: 'numeric',
    schema: { type: 'string', format: 'decimal' },
    values: fc.oneof(
      fc.constantFrom('0', '0.1', '12345678901234567890.12345', '-99999999999999999999', '0.00000000000000000001'),
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    ),
    odd: fc.constantFrom('1e5', '+1', '', 'NaN', '1.', '.5', '1,5', '01.50', '-0'),
    means: sameDecimal,
    spellings: decimalSpellings,
    compares: 'all',
    keyable: false,
    foreign: ['1.50', '0.000', '12345678901234567890.5', '-1e20'],
    inexact: [`'NaN'`],
    optional: true,
  },
  {
    name: 'int64',
    type: 'bigint',
    schema: { type: 'string', format: 'int64' },
    values: fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      fc.constantFrom('9223372036854775807', '-9223372036854775808', '9007199254740993', '0'),
    ),
    odd: fc.constantFrom('9223372036854775808', '+1', '01', '', '1.0', '-0', ' 1'),
    means: sameDecimal,
    spellings: (value) => [`+${value}`, `0${value}`, `${value}.0`, ` ${value}`],
    compares: 'all',
    keyable: true,
    foreign: ['9223372036854775807', '-9223372036854775808', '9007199254740993'],
    optional: true,
  },
]

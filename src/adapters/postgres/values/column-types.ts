/** The PostgreSQL types that hold JSON scalars, by name. */

import type { Shape } from '../../../definition/shape.js'
import { canonicalUuid, valueFormat } from '../../../definition/value-formats.js'
import type { Scalar } from '../../contract.js'
import { asText, type ColumnType } from './column-type.js'
import { bytes, hardwareAddresses, networkAddresses } from './network-types.js'
import { decimals, decimalTexts, floats, shortestSingle, wholeNumbers, wholeNumberTexts } from './number-types.js'
import { rangeOf } from './range-types.js'
import { textFault } from './text-faults.js'
import { dates, durations, instants, times, timestamps, timesWithOffset } from './time-types.js'
import { valueTexts } from './value-texts.js'

/** The parts of a member's schema that decide how its column is read. */
export type Declared = Pick<Shape, 'format' | 'types'> | undefined

/**
 * The type of a column, by the name that `format_type` returns. `undefined` if the SQL type holds
 * no JSON scalar. If the schema declares a number as a string (format `decimal` or `int64`), the
 * values are strings.
 */
export function columnType(
  name: string,
  labels: readonly string[] | undefined,
  declared: Declared,
): ColumnType | undefined {
  if (labels !== undefined) return enumeration(name, labels)
  const [base, arguments_] = parted(name)
  const [precision] = arguments_
  const isText = declared?.types.has('string') === true
  switch (base) {
    case 'smallint':
      return isText ? wholeNumberTexts(base, 16) : wholeNumbers(base, 2 ** 15)
    case 'integer':
      return isText ? wholeNumberTexts(base, 32) : wholeNumbers(base, 2 ** 31)
    case 'bigint':
      return isText ? wholeNumberTexts(base, 64) : wholeNumbers(base, 2 ** 53)
    case 'numeric':
      return isText ? decimalTexts(arguments_) : decimals(arguments_)
    case 'real':
      return floats('real', shortestSingle)
    case 'double precision':
      return floats('double precision', (value) => value)
    case 'boolean':
      return booleans
    case 'text':
    case 'name':
    case 'character varying':
    case 'character':
      return written(texts(base, precision), declared)
    case 'uuid':
      return uuids
    case 'date':
      return dates
    case 'time without time zone':
      return times(precision)
    case 'time with time zone':
      return timesWithOffset(precision)
    case 'timestamp without time zone':
      return timestamps(precision)
    case 'timestamp with time zone':
      return instants(precision)
    case 'interval':
      return durations(precision)
    case 'inet':
    case 'cidr':
      return networkAddresses(base)
    case 'macaddr':
    case 'macaddr8':
      return hardwareAddresses(base)
    case 'bytea':
      return bytes
    default:
      // The name may include a schema, because an extension can be installed in any schema.
      return /^(?:\w+\.)?citext$/.test(base)
        ? written(texts(base, undefined), declared)
        : rangeOf(base, (inner) => columnType(inner, undefined, asTexts))
  }
}

/** Bounds of ranges are read as strings, so that no digits are lost. */
const asTexts: Declared = { format: undefined, types: new Set(['string']) }

/** `numeric(10,2)` -> `numeric`, `[10, 2]`. */
function parted(name: string): readonly [base: string, numbers: readonly number[]] {
  const found = /^([^(]*?)\s*\(([-\d,]+)\)(.*)$/.exec(name)
  return found === null ? [name, []] : [`${found[1]}${found[3]}`, (found[2] as string).split(',').map(Number)]
}

const uuids = valueTexts({
  cast: 'uuid',
  samples: ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001'],
  formats: ['uuid'],
  width: [36, 36],
  inJson: true,
  expects: 'a UUID such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  canonical: canonicalUuid,
})

const always = (): boolean => true
const asItIs = (text: string): string => text

const booleans: ColumnType = {
  cast: 'boolean',
  holds: ['boolean'],
  samples: [false, true],
  inJson: true,
  read: asText,
  decode: (text) => text === 'true',
  faithful: always,
  encode: String,
  fault: () => undefined,
  compare: (op, value) => ({ op, text: String(value), cast: 'boolean' }),
}

function texts(base: string, length: number | undefined): ColumnType {
  const padded = base === 'character'
  const cast = padded ? 'bpchar' : base === 'character varying' ? 'text' : base
  const max = length ?? (padded ? 1 : undefined)
  return {
    cast,
    holds: ['string'],
    samples: ['', 'a'],
    // `array_to_json` would show the padding of `character` values.
    inJson: !padded,
    ...(max === undefined ? {} : { width: [0, max] as const }),
    read: (sql) => (base === 'text' ? sql : `${sql}::text`),
    decode: asItIs,
    plain: true,
    faithful: always,
    encode: String,
    fault(value) {
      const text = value as string
      if (max !== undefined && text.length > max && [...text].length > max) return `must have at most ${max} characters`
      if (padded && text.endsWith(' ')) return 'cannot end with a space'
      return textFault(text)
    },
    compare: (op, value) =>
      padded && op === '=' && (value as string).endsWith(' ') ? 'never' : { op, text: value as string, cast },
  }
}

/**
 * A text column whose member has a format with a canonical spelling. Values are written and
 * compared in this spelling. If another writer has stored a value in another spelling, the database
 * treats that value as a different string.
 */
function written(type: ColumnType, declared: Declared): ColumnType {
  const format = valueFormat(declared)
  if (format === undefined) return type
  const { canonical, expects } = format
  const of = (value: Scalar): Scalar => canonical(value as string) ?? value
  const mismatch = (value: Scalar): string | undefined =>
    canonical(value as string) === undefined ? `must be ${expects}` : undefined
  return {
    ...type,
    samples: textSamples[format.name] ?? type.samples,
    faithful: (text) => canonical(text) === text,
    encode: (value) => String(of(value)),
    fault: (value) => mismatch(value) ?? type.fault(of(value)),
    mismatch,
    compare: (op, value) => type.compare(op, of(value)),
  }
}

/**
 * Two sample values for each format. Samples must have the format, because columns may have CHECK
 * constraints for it.
 */
const textSamples: Readonly<Record<string, ColumnType['samples']>> = {
  'local-date-time': ['2000-01-01T00:00:00.0000000', '2000-01-02T00:00:00.0000000'],
  'date-time': ['2000-01-01T00:00:00.000Z', '2000-01-02T00:00:00.000Z'],
  uuid: uuids.samples,
  'local-time': ['00:00:00', '00:00:01'],
  time: ['00:00:00Z', '00:00:01Z'],
  duration: ['PT0S', 'P1D'],
  decimal: ['0', '1'],
  int64: ['0', '1'],
}

function enumeration(cast: string, labels: readonly string[]): ColumnType {
  const [first = '', ...others] = labels
  const fits = (value: Scalar): boolean => labels.includes(value as string)
  return {
    cast,
    holds: ['string'],
    samples: [first, ...others],
    inJson: true,
    read: asText,
    decode: asItIs,
    plain: true,
    faithful: always,
    encode: String,
    fault: (value) => textFault(value as string),
    labelFault: (value) => (fits(value) ? undefined : `must be one of ${labels.join(', ')}`),
    compare(op, value) {
      if (fits(value)) return { op, text: value as string, cast }
      if (op === '=') return { op, text: value as string, cast: 'text', asText: true }
      return { op, text: value as string, cast, isLabel: true }
    },
  }
}

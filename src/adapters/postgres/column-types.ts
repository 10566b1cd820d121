/** The types of PostgreSQL that hold JSON scalars, by their names. */
import { canonicalLocalDateTime } from '../../http/local-date-time.js'
import type { Scalar } from '../contract.js'
import { asText, type ColumnType } from './column-type.js'
import { decimals, floats, shortestSingle, wholeNumbers } from './number-types.js'
import { textFault } from './text-faults.js'

/** The type of a column, as `format_type` writes it; `undefined` where no JSON scalar fits it. */
export function columnType(name: string, labels: readonly string[] | undefined, format: string | undefined): ColumnType | undefined {
  const [base, arguments_] = parted(name)
  if (labels !== undefined) return enumeration(name, labels)
  switch (base) {
    case 'smallint':
      return wholeNumbers(base, 2 ** 15)
    case 'integer':
      return wholeNumbers(base, 2 ** 31)
    case 'bigint':
      return wholeNumbers(base, 2 ** 53)
    case 'numeric':
      return decimals(arguments_)
    case 'real':
      return floats('real', shortestSingle)
    case 'double precision':
      return floats('double precision', (value) => value)
    case 'boolean':
      return booleans
    case 'text':
    case 'name':
    case 'citext':
    case 'character varying':
    case 'character':
      return texts(base, arguments_[0])
    case 'uuid':
      return exactTexts('uuid', uuids, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID in lower case')
    case 'date':
      return {
        ...exactTexts('date', ['2000-01-01', '2000-01-02'], /^\d{4}-\d\d-\d\d$/, 'must be a date from 0001-01-01 on, YYYY-MM-DD', isDay),
        // Its text depends on the session's DateStyle.
        read: (sql) => inRange(sql, `to_char(${sql}, 'YYYY-MM-DD')`),
      }
    case 'time without time zone':
      return exactTexts(
        'time',
        ['00:00:00', '00:00:01'],
        /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{0,5}[1-9])?$/,
        'must be a time, HH:MM:SS, with at most six digits behind the point, the last not 0',
      )
    case 'timestamp without time zone':
      return timestamps(arguments_[0] ?? 6)
    case 'timestamp with time zone':
      return format === 'local-date-time' ? undefined : instants
    default:
      return undefined
  }
}

/** `numeric(10,2)` -> `numeric`, `[10, 2]`. */
function parted(name: string): readonly [base: string, numbers: readonly number[]] {
  const found = /^([^(]*?)\s*\(([\d,]+)\)(.*)$/.exec(name)
  return found === null ? [name, []] : [`${found[1]}${found[3]}`, (found[2] as string).split(',').map(Number)]
}

const uuids = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001'] as const

const always = (): boolean => true
const asItIs = (text: string): string => text

const booleans: ColumnType = {
  cast: 'boolean',
  holds: ['boolean'],
  samples: [false, true],
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
  const most = length ?? (padded ? 1 : undefined)
  return {
    cast,
    holds: ['string'],
    samples: ['', 'a'],
    read: (sql) => (base === 'text' ? sql : `${sql}::text`),
    decode: asItIs,
    plain: true,
    faithful: always,
    encode: String,
    fault(value) {
      const text = value as string
      if (most !== undefined && text.length > most && [...text].length > most) return `must have at most ${most} characters`
      if (padded && text.endsWith(' ')) return 'can not end with a space here'
      return textFault(text)
    },
    compare: (op, value) => (padded && op === '=' && (value as string).endsWith(' ') ? 'never' : { op, text: value as string, cast }),
  }
}

/** A type of one canonical text for each value. What is no such text it can neither hold nor find; ranges go by the text. */
function exactTexts(
  cast: string,
  samples: ColumnType['samples'],
  pattern: RegExp,
  why: string,
  real: (value: string) => boolean = () => true,
): ColumnType {
  const fits = (value: Scalar): boolean => pattern.test(value as string) && real(value as string)
  return {
    cast,
    holds: ['string'],
    samples,
    read: asText,
    decode: asItIs,
    plain: true,
    faithful: (text) => fits(text),
    encode: String,
    fault: (value) => (fits(value) ? undefined : why),
    compare: (op, value) => (fits(value) ? { op, text: value as string, cast } : 'never'),
  }
}

const isDay = (text: string): boolean => !text.startsWith('0000') && canonicalLocalDateTime(`${text}T00:00:00`) !== undefined

/** Local date-times in a `timestamp`: it holds six digits behind the point, or fewer. */
function timestamps(precision: number): ColumnType {
  const held = 20 + precision
  const fits = (text: string): boolean => /^0*$/.test(text.slice(held)) && !text.startsWith('0000')
  const canonical = (value: Scalar): string | undefined => canonicalLocalDateTime(value as string)
  return {
    cast: 'timestamp',
    holds: ['string'],
    samples: ['2000-01-01T00:00:00', '2000-01-02T00:00:00'],
    read: (sql) => inRange(sql, `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.US"0"')`),
    decode: asItIs,
    plain: true,
    faithful: (text) => canonical(text) !== undefined,
    encode: (value) => (canonical(value) ?? String(value)).slice(0, 26),
    fault(value) {
      const text = canonical(value)
      if (text === undefined) return 'must be a local date-time'
      return fits(text) ? undefined : `must have at most ${precision} digits behind the decimal point here, and a year from 0001`
    },
    compare(op, value) {
      const text = canonical(value)
      if (text === undefined) return 'never'
      if (text.startsWith('0000')) return op === '>' || op === '>=' ? { op: '>=', text: '0001-01-01T00:00:00', cast: 'timestamp' } : 'never'
      if (fits(text)) return { op, text: text.slice(0, 26), cast: 'timestamp' }
      // Between two moments that the column can hold: the one below stands for it.
      if (op === '=') return 'never'
      return { op: op === '>' || op === '>=' ? '>' : '<=', text: text.slice(0, held), cast: 'timestamp' }
    },
  }
}

/** What a date says in four digits of the year; the others, and infinity, are shown in the words of the database, so that none passes for another. */
const inRange = (sql: string, shown: string): string =>
  `CASE WHEN ${sql} >= '0001-01-01' AND ${sql} < '10000-01-01' THEN ${shown} ELSE ${sql}::text END`

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6}0*)?Z$/
const isInstant = (value: Scalar): boolean => {
  const text = String(value)
  return utc.test(text) && isDay(text.slice(0, 10)) && canonicalLocalDateTime(text.slice(0, 19)) !== undefined
}

/** Moments in a `timestamptz`, as RFC 3339 in UTC: as JavaScript writes them, with three digits behind the point, and six where they are finer. */
const instants: ColumnType = {
  cast: 'timestamptz',
  holds: ['string'],
  samples: ['2000-01-01T00:00:00.000Z', '2000-01-02T00:00:00.000Z'],
  read: (sql) => inRange(sql, `regexp_replace(to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '000$', '') || 'Z'`),
  decode: asItIs,
  plain: true,
  faithful: isInstant,
  encode: String,
  fault: (value) =>
    isInstant(value) ? undefined : 'must be a date-time in UTC with at most six digits behind the point, such as 2026-01-31T09:30:00.000Z',
  compare: (op, value) => (isInstant(value) ? { op, text: String(value), cast: 'timestamptz' } : 'never'),
}

function enumeration(cast: string, labels: readonly string[]): ColumnType {
  const [first = '', ...others] = labels
  const fits = (value: Scalar): boolean => labels.includes(value as string)
  return {
    cast,
    holds: ['string'],
    samples: [first, ...others],
    read: asText,
    decode: asItIs,
    plain: true,
    // A label that was not there when the table was described has no known rank.
    faithful: fits,
    encode: String,
    fault: (value) => textFault(value as string),
    labelFault: (value) => (fits(value) ? undefined : `must be one of ${labels.join(', ')}`),
    compare(op, value) {
      if (fits(value)) return { op, text: value as string, cast }
      return op === '=' ? { op, text: value as string, cast: 'text', asText: true } : 'never'
    },
  }
}

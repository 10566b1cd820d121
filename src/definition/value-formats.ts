/**
 * Formats whose values have several spellings. For each value, one of these spellings is the
 * canonical string. The value is stored, compared and sent as its canonical string (REP-4, QUERY-1,
 * PATH-11).
 */
import { canonicalDecimal, canonicalInt64, compareDecimals } from '../http/decimal.js'
import { canonicalDuration, compareDurations } from '../http/duration.js'
import { canonicalInstant, canonicalLocalTime, canonicalTime, compareInstants, compareTimes } from '../http/instant.js'
import { canonicalLocalDateTime } from '../http/local-date-time.js'
import { placesOf } from './schema-places.js'
import type { Shape } from './shape.js'

export interface ValueFormat {
  readonly name: string
  /** The canonical string of a value; `undefined` for an invalid string. */
  canonical(text: string): string | undefined
  /**
   * Compares two canonical strings by their values. The result is negative, zero or positive.
   * Absent if comparing the canonical strings as text gives the same order.
   */
  readonly compare?: (a: string, b: string) => number
  /** A phrase for a valid value, for messages such as `"id" must be ...`. */
  readonly expects: string
  /**
   * True if the strings are numbers. In that case, an id in a path must be the canonical string, as
   * for members of type number (PATH-11).
   */
  readonly isNumber?: boolean
}

const uuid = /^(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** The canonical string of a UUID (RFC 9562 4): lower case, without `urn:uuid:`. */
export const canonicalUuid = (text: string): string | undefined => uuid.exec(text)?.[1]?.toLowerCase()

const formats: readonly ValueFormat[] = [
  {
    name: 'local-date-time',
    canonical: canonicalLocalDateTime,
    expects: 'a local date-time such as 2024-01-31T08:30:00.1234567: up to seven fractional digits, no zone',
  },
  {
    name: 'date-time',
    canonical: canonicalInstant,
    compare: compareInstants,
    expects:
      'a date-time with an offset such as 2026-01-31T09:30:00.000Z or 2026-01-31T10:30:00+01:00, in the ' +
      'years 0001 to 9999 (UTC)',
  },
  { name: 'uuid', canonical: canonicalUuid, expects: 'a UUID such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff' },
  { name: 'local-time', canonical: canonicalLocalTime, expects: 'a time without a zone such as 09:30:00' },
  {
    name: 'time',
    canonical: canonicalTime,
    compare: compareTimes,
    expects: 'a time with an offset such as 09:30:00Z or 10:30:00+01:00',
  },
  {
    name: 'duration',
    canonical: canonicalDuration,
    compare: compareDurations,
    expects: 'a duration such as P1Y2M10DT2H30M, with at most nine fractional digits in the seconds',
  },
  {
    name: 'decimal',
    canonical: canonicalDecimal,
    compare: compareDecimals,
    expects: 'a decimal number as text, such as "1234.56"',
    isNumber: true,
  },
  {
    name: 'int64',
    canonical: canonicalInt64,
    compare: compareDecimals,
    expects: 'a whole number as text, from "-9223372036854775808" to "9223372036854775807"',
    isNumber: true,
  },
]

/** The formats by name. */
export const valueFormats: ReadonlyMap<string, ValueFormat> = new Map(formats.map((format) => [format.name, format]))

/** Whether the shape, or the shape of a nested value, has one of these formats. */
export function hasFormats(shape: Shape): boolean {
  for (const [, place] of placesOf(shape)) if (valueFormat(place) !== undefined) return true
  return false
}

/** The format of a string; `undefined` if strings of this shape are compared as they are. */
export const valueFormat = (shape: Pick<Shape, 'format' | 'types'> | undefined): ValueFormat | undefined =>
  shape?.format === undefined || (shape.types.size > 0 && !shape.types.has('string'))
    ? undefined
    : valueFormats.get(shape.format)

/**
 * Returns the function that converts strings of a shape to canonical strings; `undefined` if the
 * strings are compared as they are. If an `enum` or `const` lists the value, the function returns
 * the spelling in the schema, so that validation accepts the result.
 */
export function canonicalOf(
  shape: Pick<Shape, 'format' | 'types' | 'values'> | undefined,
): ValueFormat['canonical'] | undefined {
  const format = valueFormat(shape)
  if (format === undefined) return undefined
  const listed = (shape?.values ?? []).filter((value) => typeof value === 'string')
  if (listed.length === 0) return format.canonical
  const written = new Map(listed.map((value) => [format.canonical(value) ?? value, value]))
  return (text) => {
    const canonical = format.canonical(text)
    return canonical === undefined ? undefined : (written.get(canonical) ?? canonical)
  }
}

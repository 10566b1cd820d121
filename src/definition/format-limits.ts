/**
 * If a schema has a `format`, checks that its other constraints allow the canonical strings of the
 * format (REP-4). These are the strings that are validated and stored. Conflicts that can be
 * detected are reported when the resource is defined.
 */
import { ConfigurationError } from '../problem.js'
import { constantsOf, partsOf } from './schema-parts.js'
import { placesOf } from './schema-places.js'
import type { JsonSchema } from './schema-types.js'
import type { Shape } from './shape.js'
import { type ValueFormat, valueFormat } from './value-formats.js'

/**
 * Throws `ConfigurationError` for a constraint that conflicts with a format: a value of `enum`,
 * `const` or `default` that does not have the format, a `minLength` or `maxLength` that excludes
 * all canonical strings, or a `pattern` that matches a string of the format but not the canonical
 * string of the same value.
 */
export function checkFormats(collection: string, schema: JsonSchema, shape: Shape): void {
  for (const [path, place] of placesOf(shape)) {
    const format = valueFormat(place)
    if (format !== undefined) checkFormat(`"${path}" of "${collection}"`, format, place, partsOf(schema, place.node))
  }
}

function checkFormat(what: string, format: ValueFormat, { fallback }: Shape, parts: readonly JsonSchema[]): void {
  const { name, canonical } = format
  const refuse = (why: string): never => {
    throw new ConfigurationError('invalid-schema', `${what} has the format "${name}", ${why}`)
  }
  for (const part of parts) {
    for (const value of [...(constantsOf(part) ?? []), fallback?.value]) {
      if (typeof value === 'string' && canonical(value) === undefined)
        refuse(
          `but ${JSON.stringify(value)} in its enum, const or default does not have this format. ` +
            `Use ${format.expects}.`,
        )
    }
    const { pattern, minLength, maxLength } = part as {
      readonly pattern?: unknown
      readonly minLength?: unknown
      readonly maxLength?: unknown
    }
    const [min, max] = widths[name] ?? [0, Number.POSITIVE_INFINITY]
    if (typeof maxLength === 'number' && maxLength < min)
      refuse(
        `but its maxLength of ${maxLength} excludes all canonical strings of the format, which have at least ` +
          `${min} characters. Leave maxLength out.`,
      )
    if (typeof minLength === 'number' && minLength > max)
      refuse(
        `but its minLength of ${minLength} excludes all canonical strings of the format, which have at most ` +
          `${max} characters. Leave minLength out.`,
      )
    const other = typeof pattern === 'string' ? nonCanonicalMatch(pattern, format) : undefined
    if (other !== undefined)
      refuse(
        `but its pattern matches "${other}" and not "${canonical(other)}", the canonical string that is ` +
          'validated and stored. Change the pattern to match canonical strings, or leave it out.',
      )
  }
}

/**
 * Returns a string that has the format and matches `pattern`, although the canonical string of the
 * same value does not match. Returns `undefined` if no such string is known.
 */
function nonCanonicalMatch(pattern: string, { name, canonical }: ValueFormat): string | undefined {
  const test = expression(pattern)
  return test && spellings[name]?.find((text) => test.test(text) && !test.test(canonical(text) as string))
}

function expression(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    // The validator reports the error in the pattern.
    return undefined
  }
}

/** The minimum and maximum length of the canonical strings of each format, if known. */
const widths: Readonly<Record<string, readonly [min: number, max: number]>> = {
  'local-date-time': [27, 27],
  'date-time': [24, Number.POSITIVE_INFINITY],
  uuid: [36, 36],
  'local-time': [8, Number.POSITIVE_INFINITY],
  time: [9, Number.POSITIVE_INFINITY],
}

/**
 * A UUID for each version (except 2) and each variant digit, because a pattern may allow only some
 * versions or variants.
 */
const uuids = ['1', '4', '7', '8', '3', '5', '6'].flatMap((version) =>
  ['8', '9', 'a', 'b'].map((variant) => `6f9619ff-8b86-${version}d01-${variant}42d-00cf4fc964ff`),
)
const padded = Array.from({ length: 18 }, (_, i) => '5'.padStart(i + 2, '0'))

/** Some strings of each format that are not canonical, but that a pattern may require. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  'local-date-time': ['', '.5', '.12', '.123', '.123456'].map((fraction) => `2026-01-31T09:30:00${fraction}`),
  'date-time': [
    ...['Z', '+00:00', '.0Z', '.123456789000Z', '.000000Z', '.000+00:00'].map((end) => `2026-01-31T09:30:00${end}`),
    ...[
      '2026-01-31T10:30:00+01:00',
      '2026-01-31T10:30:00.000+01:00',
      '2026-01-31 09:30:00Z',
      '2026-01-31t09:30:00.000z',
    ],
  ],
  time: ['09:30:00z', '09:30:00+00:00', '09:30:00.000Z'],
  'local-time': ['09:30:00.0', '09:30:00.000', '09:30:00.000000'],
  duration: ['P1W', 'P14M', 'PT90M', 'PT5400S', 'PT36H0M0S', 'P0Y0M1DT0H0M0S'],
  uuid: uuids.flatMap((one) => [one.toUpperCase(), `urn:uuid:${one}`]),
  decimal: ['1.50', '-1.50', '10.00', '0.50', '1.500', '1.5000', '5.0', '+5', '+1.5', '-0', ...padded],
  int64: ['+5', '-05', ...padded],
}

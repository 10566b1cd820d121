/**
 * The life cycle of a part of a version (VER-2, VER-3). A part is one method of a path, or a path
 * with everything below it, such as a collection.
 */
import util from 'node:util'
import { dateExamples, httpDate, structuredDate, timeOfDate } from '../http/dates.js'
import { invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { header } from '../wire.js'

/**
 * A `Date`, a day such as `2027-01-31` (from its first moment in UTC), or a date-time with a zone,
 * such as `2027-01-31T18:00:00-03:00` (RFC 3339).
 */
export type DateOption = Date | string

/** The deprecation of a part: its start, its announced end, and the replacement of the part. */
export interface Deprecation {
  /**
   * The date of the deprecation, sent as `Deprecation` (RFC 9745). Default: the start of 1970, sent
   * as `@0`.
   */
  readonly since?: DateOption
  /** The announced end, sent as `Sunset` (RFC 8594). The part is served until it is `retired`. */
  readonly sunset?: DateOption
  /**
   * The replacement, sent as `Link` with `rel="successor-version"` (RFC 5829). The replacement is
   * an absolute URL, or a path below the version, such as `pedidos`. In a path, `{name}` is
   * replaced with the value from the path of the request.
   */
  readonly use?: string
}

/** The declared life cycle of a part of a version. */
export interface PartLifeOptions {
  /**
   * Retires the part and everything below its path: the response to every request is 410 with an
   * empty body, whatever the credentials (VER-2). With `true`, the part is retired immediately.
   * With `since`, the part is retired from that date on. The date is announced as `Sunset`, unless
   * `deprecated` has a `sunset`.
   */
  readonly retired?: true | { readonly since: DateOption }
  /**
   * Announces the deprecation in responses, in OpenAPI documents and in the event `onResponse`
   * (VER-3). Default: not deprecated.
   */
  readonly deprecated?: true | Deprecation
}

/** The resolved life cycle of a part. Times are milliseconds since 1970. */
export interface Life {
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  /** The time from which the response is 410. `-Infinity` if the part is retired immediately. */
  readonly retired: number | undefined
  readonly use: string | undefined
}

export const dateKind: Kind = {
  by: `a Date, or ${dateExamples}`,
  is: (value) => util.types.isDate(value) || typeof value === 'string',
}

export const deprecationKinds: Kinds<Deprecation> = { since: dateKind, sunset: dateKind, use: 'string' }

export const retirementKinds: Kinds<{ readonly since: DateOption }> = { since: { required: dateKind } }

export const partLifeKinds: Kinds<PartLifeOptions> = {
  retired: [{ oneOf: [true] }, { options: retirementKinds }],
  deprecated: [{ oneOf: [true] }, { options: deprecationKinds }],
}

/**
 * Converts a date to milliseconds. Throws `ConfigurationError` if the date is invalid or if header
 * fields can't hold the date. `field` is the name of the option in the message.
 */
export function timeOf(field: string, given: DateOption): number {
  const value = typeof given === 'string' ? (timeOfDate(given) ?? Number.NaN) : given.getTime()
  try {
    httpDate(value)
    return value
  } catch {
    throw invalidOption(`${field} is "${String(given)}", which is not a date. Use a Date, or ${dateExamples}.`)
  }
}

const optionalTime = (field: string, given: DateOption | undefined): number | undefined =>
  given === undefined ? undefined : timeOf(field, given)

/**
 * Resolves the life cycle of the part `what`. Returns `undefined` if no life cycle is declared.
 * Throws `ConfigurationError` if a date is invalid, or if the dates contradict each other.
 */
export function resolveLife(what: string, { retired, deprecated }: PartLifeOptions): Life | undefined {
  if (retired === undefined && deprecated === undefined) return undefined
  const said: Deprecation = deprecated === undefined || deprecated === true ? {} : deprecated
  const since = deprecated === undefined ? undefined : (optionalTime(`"deprecated.since" of ${what}`, said.since) ?? 0)
  const announced = optionalTime(`"deprecated.sunset" of ${what}`, said.sunset)
  const end =
    retired === undefined || retired === true ? undefined : timeOf(`"retired.since" of ${what}`, retired.since)
  if (announced !== undefined && end !== undefined && end < announced)
    throw invalidOption(`${what} retires before its announced sunset. Set "retired.since" to the sunset or later.`)
  const sunset = announced ?? end
  if (since !== undefined && sunset !== undefined && sunset < since)
    throw invalidOption(`The sunset of ${what} is before its deprecation. Give a later date (RFC 9745 4).`)
  return Object.freeze({
    deprecated: since,
    sunset,
    retired: retired === true ? Number.NEGATIVE_INFINITY : end,
    use: said.use,
  })
}

/**
 * Combines the life cycle of a part with the life cycle of the larger part that contains it. Each
 * date is the earlier of the two dates. The part's own replacement takes precedence.
 */
export function mergedLife(part: Life | undefined, whole: Life | undefined): Life | undefined {
  if (part === undefined || whole === undefined) return part ?? whole
  return Object.freeze({
    deprecated: earliest(part.deprecated, whole.deprecated),
    sunset: earliest(part.sunset, whole.sunset),
    retired: earliest(part.retired, whole.retired),
    use: part.use ?? whole.use,
  })
}

/** The earlier of two optional times. */
export const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

/** Whether a part has retired. */
export const isOver = (life: Pick<Life, 'retired'> | undefined, now: number): boolean =>
  life?.retired !== undefined && life.retired <= now

/** The header fields `Deprecation` and `Sunset`, if the life cycle has these dates. */
export const lifeFields = ({ deprecated, sunset }: Pick<Life, 'deprecated' | 'sunset'>): Record<string, string> => ({
  ...(deprecated === undefined ? {} : { [header.deprecation]: structuredDate(deprecated) }),
  ...(sunset === undefined ? {} : { [header.sunset]: httpDate(sunset) }),
})

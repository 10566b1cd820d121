/** The life of a part of a version: a collection, what stands below it, an endpoint, or one method (VER-2, VER-3). */
import util from 'node:util'
import { httpDate, structuredDate } from '../http/dates.js'
import { invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { header } from '../wire.js'

/** A date, or a text that `new Date` takes, such as `2027-01-31`. */
export type DateOption = Date | string

/** Since when a part is deprecated, until when it is served, and what takes its place. */
export interface Deprecation {
  /** Sent as `Deprecation` (RFC 9745). Default: since always, `@0`. */
  readonly since?: DateOption
  /** When it is to end: sent as `Sunset` (RFC 8594). It goes on until it is `retired`. */
  readonly sunset?: DateOption
  /**
   * What to use in its place: a path below the version, such as `pedidos`, in which `{name}` is filled from the path of the
   * request; or an absolute address. Sent as `Link` with `rel="successor-version"` (RFC 5829).
   */
  readonly use?: string
}

/** The life of a part of a version, as a team declares it. */
export interface PartLifeOptions {
  /**
   * Answers 410 with an empty body, whatever the credentials, here and everywhere below (VER-2): at once, or from a date on,
   * which is announced as its `Sunset`.
   */
  readonly retired?: true | { readonly since: DateOption }
  /** Says so in every answer, in documents and in the event `onResponse` (VER-3). Default: it is not. */
  readonly deprecated?: true | Deprecation
}

/** The life of a part, resolved. Times are milliseconds since 1970. */
export interface Life {
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  /** From when on it is 410; `-Infinity` where it is so at once. */
  readonly retired: number | undefined
  readonly use: string | undefined
}

export const dateKind: Kind = {
  by: 'a Date, or a text such as "2027-01-31"',
  is: (value) => util.types.isDate(value) || ['string', 'number'].includes(typeof value),
}

export const deprecationKinds: Kinds<Deprecation> = { since: dateKind, sunset: dateKind, use: 'string' }

export const retirementKinds: Kinds<{ readonly since: DateOption }> = { since: { required: dateKind } }

export const partLifeKinds: Kinds<PartLifeOptions> = {
  retired: [{ oneOf: [true] }, { options: retirementKinds }],
  deprecated: [{ oneOf: [true] }, { options: deprecationKinds }],
}

/** The milliseconds of a date. Throws `ConfigurationError` where it is none that a header field can hold; `field` names it. */
export function timeOf(field: string, given: DateOption): number {
  const value = new Date(given).getTime()
  try {
    httpDate(value)
    return value
  } catch {
    throw invalidOption(`${field} is "${String(given)}", which is no date. Give a Date or "2027-01-31".`)
  }
}

const optionalTime = (field: string, given: DateOption | undefined): number | undefined =>
  given === undefined ? undefined : timeOf(field, given)

/** The life of what `what` names; `undefined` where nothing is declared. Throws `ConfigurationError` where its dates contradict each other. */
export function resolveLife(what: string, { retired, deprecated }: PartLifeOptions): Life | undefined {
  if (retired === undefined && deprecated === undefined) return undefined
  const said: Deprecation = deprecated === undefined || deprecated === true ? {} : deprecated
  const since = deprecated === undefined ? undefined : (optionalTime(`deprecated.since of ${what}`, said.since) ?? 0)
  const announced = optionalTime(`deprecated.sunset of ${what}`, said.sunset)
  const end = retired === undefined || retired === true ? undefined : timeOf(`retired.since of ${what}`, retired.since)
  if (announced !== undefined && end !== undefined && end < announced)
    throw invalidOption(`${what} is announced until its sunset and retires before. Let retired.since be the sunset, or later.`)
  const sunset = announced ?? end
  if (since !== undefined && sunset !== undefined && sunset < since)
    throw invalidOption(`The sunset of ${what} is before its deprecation. Give a later date (RFC 9745 4).`)
  return Object.freeze({ deprecated: since, sunset, retired: retired === true ? Number.NEGATIVE_INFINITY : end, use: said.use })
}

/** The life of a part of something: the earliest dates of both, and what the part itself says of its successor. */
export function mergedLife(part: Life | undefined, whole: Life | undefined): Life | undefined {
  if (part === undefined || whole === undefined) return part ?? whole
  return Object.freeze({
    deprecated: earliest(part.deprecated, whole.deprecated),
    sunset: earliest(part.sunset, whole.sunset),
    retired: earliest(part.retired, whole.retired),
    use: part.use ?? whole.use,
  })
}

/** The earlier of two times, of which either may be missing. */
export const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

/** Whether something has retired. */
export const isOver = (life: Pick<Life, 'retired'> | undefined, now: number): boolean => life?.retired !== undefined && life.retired <= now

/** `Deprecation` and `Sunset`, as far as they apply. */
export const lifeFields = ({ deprecated, sunset }: Pick<Life, 'deprecated' | 'sunset'>): Record<string, string> => ({
  ...(deprecated === undefined ? {} : { [header.deprecation]: structuredDate(deprecated) }),
  ...(sunset === undefined ? {} : { [header.sunset]: httpDate(sunset) }),
})

/** The life cycle of a version: its deprecation, its end, and its successor (VER-2, VER-3). */
import type { ServerResponse } from 'node:http'
import { invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { type DateOption, dateKind, lifeFields, timeOf } from '../plan/life.js'
import { ConfigurationError } from '../problem.js'
import { formatLink } from '../representation/answer.js'
import { mergeLinks } from '../representation/header-fields.js'
import { header } from '../wire.js'
import { Brownouts, type BrownoutsOption, brownoutsKind } from './brownouts.js'
import { checkVersionName } from './version-names.js'

/** The declared life cycle of a version. */
export interface LifecycleOptions {
  /**
   * The time from which the version is deprecated, sent as `Deprecation` (RFC 9745). A `Date`, a
   * day such as `2027-01-31` (from its first moment in UTC), or a date-time with a zone, such as
   * `2027-01-31T18:00:00Z`.
   */
  readonly deprecated?: DateOption
  /** The time at which the version will end, sent as `Sunset` (RFC 8594). */
  readonly sunset?: DateOption
  /** Whether requests to the version get 410 from the sunset on (VER-2). Default false. */
  readonly retireAtSunset?: boolean
  /**
   * The name of the version that replaces this version. Its URL is sent as `Link` with
   * `rel="successor-version"` (RFC 5829).
   */
  readonly successor?: string
  /**
   * Periods in which the version is unavailable: a list, or a function that returns the current
   * list. The OpenAPI documents of the version announce the periods. Requires `deprecated`.
   */
  readonly brownouts?: BrownoutsOption
}

export const lifecycleKinds: Kinds<LifecycleOptions> = {
  deprecated: dateKind,
  sunset: dateKind,
  retireAtSunset: 'boolean',
  successor: 'string',
  brownouts: brownoutsKind,
}

/** A resolved life cycle. Times are in milliseconds since 1970. */
export interface Lifecycle {
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  readonly retireAtSunset: boolean
  readonly successor: string | undefined
  readonly brownouts: Brownouts | undefined
  /** The header fields `Deprecation` and `Sunset`, if the version has these dates. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Resolves the life cycle of the version `name`. `names` contains all versions of the service
 * except those that are `'retired'`.
 *
 * @throws ConfigurationError `version-malformed` if `name` is not a version, or if the successor is
 * not in `names` or is the version itself; `invalid-option` if a date cannot be sent in a header
 * field, if the sunset is before the deprecation (RFC 9745 4), or if an option requires a date that
 * is missing
 */
export function resolveLifecycle(name: string, options: LifecycleOptions, names: readonly string[]): Lifecycle {
  checkVersionName(name)
  const { successor, retireAtSunset = false } = options
  if (successor !== undefined && (successor === name || !names.includes(successor))) {
    const others = names.filter((other) => other !== name)
    throw new ConfigurationError(
      'version-malformed',
      `The successor of ${name} is "${successor}", which is not another version of this service. ` +
        `${others.length === 0 ? 'Remove "successor"' : `Set "successor" to one of ${others.join(', ')}`}.`,
    )
  }
  const deprecated = optional(`"deprecated" of ${name}`, options.deprecated)
  const sunset = optional(`"sunset" of ${name}`, options.sunset)
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated)
    throw invalidOption(`The sunset of ${name} is before its deprecation. Set "sunset" to a later time (RFC 9745 4).`)
  if (retireAtSunset && sunset === undefined)
    throw invalidOption(`${name} has "retireAtSunset" but no "sunset". Set "sunset" too.`)
  const { brownouts } = options
  if (brownouts !== undefined && deprecated === undefined)
    throw invalidOption(
      `${name} has brownouts but is not deprecated, so its clients would not know why it is unavailable. ` +
        'Set the option "deprecated" too.',
    )
  return Object.freeze({
    deprecated,
    sunset,
    retireAtSunset,
    successor,
    brownouts: brownouts === undefined ? undefined : new Brownouts(name, brownouts),
    headers: lifeFields({ deprecated, sunset }),
  })
}

const optional = (field: string, given: DateOption | undefined): number | undefined =>
  given === undefined ? undefined : timeOf(field, given)

export const isRetired = ({ retireAtSunset, sunset }: Lifecycle, now: number): boolean =>
  retireAtSunset && sunset !== undefined && now >= sunset

/**
 * Returns the header fields that announce the end of a version (VER-3). `successor` is the URL that
 * replaces the requested URL.
 */
export function noticeHeaders(
  { headers }: Pick<Lifecycle, 'headers'>,
  successor: string | undefined,
): Record<string, string> {
  return successor === undefined
    ? { ...headers }
    : { ...headers, [header.link]: formatLink(successor, 'successor-version') }
}

/**
 * Sets the header fields that announce the end of a version, on a response that other code writes.
 * Links that are already set are kept.
 */
export function setNotices(res: ServerResponse, notices: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(notices)) {
    res.setHeader(name, name === header.link ? mergeLinks(res.getHeader(name), value) : value)
  }
}

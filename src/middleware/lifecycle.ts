/** The life of a version: since when it is deprecated, when it ends, and what takes its place (VER-2, VER-3). */
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

/** The life of a version, as a team declares it. */
export interface LifecycleOptions {
  /** When the version became deprecated: sent as `Deprecation` (RFC 9745). A date, or what `new Date` takes. */
  readonly deprecated?: DateOption
  /** When it is to end: sent as `Sunset` (RFC 8594). */
  readonly sunset?: DateOption
  /** Answer 410 from the sunset on (VER-2). Default false. */
  readonly retireAtSunset?: boolean
  /** The version to go to: sent as `Link` with `rel="successor-version"` (RFC 5829). */
  readonly successor?: string
  /** Times at which it answers nothing, announced in its documents: a list, or a function that gives the current one. It must be deprecated. */
  readonly brownouts?: BrownoutsOption
}

export const lifecycleKinds: Kinds<LifecycleOptions> = {
  deprecated: dateKind,
  sunset: dateKind,
  retireAtSunset: 'boolean',
  successor: 'string',
  brownouts: brownoutsKind,
}

/** The life of a version, resolved. Times are milliseconds since 1970. */
export interface Lifecycle {
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  readonly retireAtSunset: boolean
  readonly successor: string | undefined
  readonly brownouts: Brownouts | undefined
  /** `Deprecation` and `Sunset`, as far as they apply. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Throws `ConfigurationError` where a name is no version, a date none that a header can hold, a version ends before it is deprecated (RFC 9745 4), or its successor
 * is not among `names`.
 */
export function resolveLifecycle(name: string, options: LifecycleOptions, names: readonly string[]): Lifecycle {
  checkVersionName(name)
  const { successor, retireAtSunset = false } = options
  if (successor !== undefined && (successor === name || !names.includes(successor))) {
    const others = names.filter((other) => other !== name)
    throw new ConfigurationError(
      'version-malformed',
      `The successor of ${name} is "${successor}", which is no other version here. ${others.length === 0 ? 'Leave it out' : `Name one of ${others.join(', ')}`}.`,
    )
  }
  const deprecated = optional(`deprecated of ${name}`, options.deprecated)
  const sunset = optional(`sunset of ${name}`, options.sunset)
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated)
    throw invalidOption(`The sunset of ${name} is before its deprecation. Give a later date (RFC 9745 4).`)
  if (retireAtSunset && sunset === undefined)
    throw invalidOption(`${name} is to retire at its sunset, and has none. Give it a sunset.`)
  const { brownouts } = options
  if (brownouts !== undefined && deprecated === undefined)
    throw invalidOption(
      `${name} has brownouts and is not deprecated: its clients would not know why. Give it deprecated.`,
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

/** What a version says of its own end (VER-3). `successor` is the absolute address to go to. */
export function noticeHeaders(
  { headers }: Pick<Lifecycle, 'headers'>,
  successor: string | undefined,
): Record<string, string> {
  return successor === undefined
    ? { ...headers }
    : { ...headers, [header.link]: formatLink(successor, 'successor-version') }
}

/** Sets the notices of a version on an answer that others write. The links that they have set before stay. */
export function setNotices(res: ServerResponse, notices: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(notices)) {
    res.setHeader(name, name === header.link ? mergeLinks(res.getHeader(name), value) : value)
  }
}

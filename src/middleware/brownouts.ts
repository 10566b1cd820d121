/**
 * Brownouts: periods in which an old version is unavailable, so that its clients notice before it
 * ends (VER-3).
 */
import { causeText } from '../failures/line.js'
import { checkArgument, invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { type DateOption, dateKind, timeOf } from '../plan/life.js'
import { Unavailable } from '../problem.js'
import { unawaited } from '../promise.js'
import { tokenClient } from '../usage/clients.js'
import { header } from '../wire.js'

/** A period in which a version is unavailable. */
export interface BrownoutOptions {
  /** The time at which it begins. */
  readonly from: DateOption
  /** The time at which it ends; also sent as `Retry-After`. */
  readonly until: DateOption
  /**
   * 410 with an empty body, as after the end of the version; or 503 with a problem. Default 503.
   */
  readonly status?: 410 | 503
  /**
   * Clients that are still served, by `azp` or `client_id` of their token. If set, requests are
   * authenticated first.
   */
  readonly exempt?: readonly string[]
}

/**
 * A list, or a function that returns the current list. It is called for each request of the
 * version.
 */
export type BrownoutsOption = readonly BrownoutOptions[] | (() => readonly BrownoutOptions[])

/** A brownout, resolved. Times are milliseconds since 1970. */
export interface Brownout {
  readonly from: number
  readonly until: number
  readonly status: 410 | 503
  readonly exempt: readonly string[]
}

export const brownoutKinds: Kinds<BrownoutOptions> = {
  from: { required: dateKind },
  until: { required: dateKind },
  status: { oneOf: [410, 503] },
  exempt: { each: 'string' },
}

const listKind: Kind = { each: { options: brownoutKinds } }

export const brownoutsKind: Kind = [listKind, 'function']

/** The brownouts of one version. */
export class Brownouts {
  readonly #name: string
  readonly #given: () => readonly Brownout[]
  /** The last error that was reported. An error is reported once, not for each request. */
  #reported: string | undefined

  /**
   * Throws `ConfigurationError` if a list is invalid. The list of a function is checked when it is
   * called.
   */
  constructor(name: string, given: BrownoutsOption) {
    this.#name = name
    if (typeof given === 'function') this.#given = () => parsed(name, unawaited(given()))
    else {
      const list = parsed(name, given)
      this.#given = () => list
    }
  }

  /**
   * The brownouts that have not ended, earliest first. Throws if the function throws or returns an
   * invalid list.
   */
  coming(now: number): readonly Brownout[] {
    return this.#given()
      .filter(({ until }) => until > now)
      .toSorted((one, other) => one.from - other.from)
  }

  /**
   * The brownout at a time, extended to the end of those that follow without a gap; `undefined` if
   * there is none. Those for which `isSkipped` is true are ignored. If the function fails, the
   * error is passed to `report`, once, and the version is served normally.
   */
  at(now: number, isSkipped: (brownout: Brownout) => boolean, report: (error: unknown) => void): Brownout | undefined {
    let coming: readonly Brownout[]
    try {
      coming = this.coming(now).filter((one) => !isSkipped(one))
    } catch (error) {
      const text = causeText(error)
      if (this.#reported !== text) report(error)
      this.#reported = text
      return undefined
    }
    this.#reported = undefined
    const first = coming.find(({ from }) => from <= now)
    if (first === undefined) return undefined
    let { until } = first
    for (const other of coming) if (other.from <= until) until = Math.max(until, other.until)
    return { ...first, until }
  }

  /**
   * The brownouts for documents: without exempt clients and without past ones. Empty if the
   * function fails.
   */
  announced(now: number): readonly Readonly<Record<string, unknown>>[] {
    try {
      return this.coming(now).map(({ from, until, status }) => ({
        from: new Date(from).toISOString(),
        until: new Date(until).toISOString(),
        status,
      }))
    } catch {
      return []
    }
  }

  /** The problem of a brownout with 503. */
  problem({ until }: Brownout, now: number): Unavailable {
    return new Unavailable({
      retryAfter: secondsUntil(until, now),
      detail:
        `${this.#name} is unavailable until ${new Date(until).toISOString()} in an announced brownout, because it ` +
        'will end. Nothing was changed. Use its successor.',
    })
  }
}

function parsed(name: string, given: unknown): readonly Brownout[] {
  checkArgument(`brownouts of ${name}`, given, listKind)
  return (given as readonly BrownoutOptions[]).map(({ from, until, status = 503, exempt = [] }) => {
    const times = {
      from: timeOf(`brownouts.from of ${name}`, from),
      until: timeOf(`brownouts.until of ${name}`, until),
    }
    if (times.until <= times.from)
      throw invalidOption(`A brownout of ${name} ends before it begins. Set until to a later time than from.`)
    return { ...times, status, exempt: [...exempt] }
  })
}

/** Seconds until the end, rounded up, at least one. */
const secondsUntil = (until: number, now: number): number => Math.max(1, Math.ceil((until - now) / 1000))

/** The header fields of a 410, with the end of the brownout. */
export const brownoutFields = ({ until }: Brownout, now: number): Record<string, string> => ({
  [header.cacheControl]: 'no-store',
  [header.retryAfter]: String(secondsUntil(until, now)),
})

/** Whether a principal is exempt from a brownout. */
export function isExempt({ exempt }: Brownout, principal: unknown): boolean {
  const client = exempt.length === 0 ? undefined : tokenClient(principal)
  return client !== undefined && exempt.includes(client)
}

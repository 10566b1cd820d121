/**
 * Brownouts: periods in which an old version is unavailable on purpose, so that its clients notice
 * that the version will end (VER-3).
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
  /** The time at which the brownout begins. */
  readonly from: DateOption
  /** The time at which the brownout ends. `Retry-After` contains the seconds until then. */
  readonly until: DateOption
  /**
   * The status of responses during the brownout. A 410 has an empty body, like the responses after
   * the end of the version. A 503 has a problem body (RFC 9457). Default 503.
   */
  readonly status?: 410 | 503
  /**
   * The clients that are still served, identified by the `azp` or `client_id` of their token. If
   * this list is set, `api` authenticates requests before it applies the brownout.
   */
  readonly exempt?: readonly string[]
}

/**
 * A list of brownouts, or a function that returns the current list. The function is called for each
 * request to the version.
 */
export type BrownoutsOption = readonly BrownoutOptions[] | (() => readonly BrownoutOptions[])

/** A resolved brownout. Times are in milliseconds since 1970. */
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
  /** The text of the last reported error. While an error recurs, it is not reported again. */
  #reported: string | undefined

  /**
   * Throws `ConfigurationError` if `given` is an invalid list. If `given` is a function, its list
   * is checked whenever the function is called.
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
   * Returns the brownouts that have not ended, in the order in which they begin. Throws if the
   * service's function throws or returns an invalid list.
   */
  notEnded(now: number): readonly Brownout[] {
    return this.#given()
      .filter(({ until }) => until > now)
      .toSorted((one, other) => one.from - other.from)
  }

  /**
   * Returns the brownout at the time `now`, or `undefined` if there is none. If other brownouts
   * follow it without a gap, the returned brownout ends when the last of them ends. Brownouts for
   * which `isSkipped` is true are ignored. If the service's function fails, the result is
   * `undefined`, so the version is served normally. The error is passed to `report`, but not again
   * while it recurs.
   */
  at(now: number, isSkipped: (brownout: Brownout) => boolean, report: (error: unknown) => void): Brownout | undefined {
    let notEnded: readonly Brownout[]
    try {
      notEnded = this.notEnded(now).filter((one) => !isSkipped(one))
    } catch (error) {
      const text = causeText(error)
      if (this.#reported !== text) report(error)
      this.#reported = text
      return undefined
    }
    this.#reported = undefined
    const first = notEnded.find(({ from }) => from <= now)
    if (first === undefined) return undefined
    let { until } = first
    for (const other of notEnded) if (other.from <= until) until = Math.max(until, other.until)
    return { ...first, until }
  }

  /**
   * Returns the current and future brownouts for OpenAPI documents, without their exempt clients.
   * The list is empty if the service's function fails.
   */
  announced(now: number): readonly Readonly<Record<string, unknown>>[] {
    try {
      return this.notEnded(now).map(({ from, until, status }) => ({
        from: new Date(from).toISOString(),
        until: new Date(until).toISOString(),
        status,
      }))
    } catch {
      return []
    }
  }

  /** Returns the problem for a brownout with the status 503. */
  problem({ until }: Brownout, now: number): Unavailable {
    const problem = new Unavailable({
      retryAfter: secondsUntil(until, now),
      detail:
        `${this.#name} is unavailable until ${new Date(until).toISOString()} because of an announced brownout. ` +
        'This version will end, so use its successor. Nothing was changed.',
    })
    brownoutProblems.add(problem)
    return problem
  }
}

const brownoutProblems = new WeakSet<object>()

/**
 * Whether an error is the problem of a brownout. Such a problem is not reported to `onError`: a
 * brownout is announced, so it is not a failure. Thousands of log lines about it would hide real
 * failures.
 */
export const isBrownoutProblem = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && brownoutProblems.has(error)

function parsed(name: string, given: unknown): readonly Brownout[] {
  checkArgument(`The list "brownouts" of ${name}`, given, listKind)
  return (given as readonly BrownoutOptions[]).map(({ from, until, status = 503, exempt = [] }) => {
    const times = {
      from: timeOf(`"brownouts.from" of ${name}`, from),
      until: timeOf(`"brownouts.until" of ${name}`, until),
    }
    if (times.until <= times.from)
      throw invalidOption(`In a brownout of ${name}, "until" is not later than "from". Set "until" to a later time.`)
    return { ...times, status, exempt: [...exempt] }
  })
}

/** The seconds until the end, rounded up, and at least 1. */
const secondsUntil = (until: number, now: number): number => Math.max(1, Math.ceil((until - now) / 1000))

/**
 * The header fields of a 410 during a brownout. `Retry-After` contains the seconds until the
 * brownout ends.
 */
export const brownoutFields = ({ until }: Brownout, now: number): Record<string, string> => ({
  [header.cacheControl]: 'no-store',
  [header.retryAfter]: String(secondsUntil(until, now)),
})

/** Whether a principal is exempt from a brownout. */
export function isExempt({ exempt }: Brownout, principal: unknown): boolean {
  const client = exempt.length === 0 ? undefined : tokenClient(principal)
  return client !== undefined && exempt.includes(client)
}

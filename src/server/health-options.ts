/** The options of `health()` and `probes()`, and their defaults. */

import type { IncomingMessage } from 'node:http'
import { checkArgument, checkOptions, invalidOption } from '../options/check.js'
import { type Kinds, type TextKind, timer } from '../options/kinds.js'

/**
 * A function that checks a dependency. The check fails if the function throws, rejects, or takes
 * longer than `timeout`. `signal` is aborted at the timeout.
 */
export type Check = (signal: AbortSignal) => unknown

/** A check, and the effect of its failure. */
export interface HealthCheck {
  readonly check: Check
  /**
   * False if the service works without this dependency: a failure is reported, but the service
   * stays ready. Default true.
   */
  readonly required?: boolean
}

/** The common options of `health()` and `probes()`. Times are in milliseconds. */
interface Common {
  /** How long the result of a check is cached. Default 1,000. */
  readonly maxAge?: number
  /** Timeout of a check; at least 1. Default 2,000. */
  readonly timeout?: number
  /** Path of the liveness probe. Default `/live`. */
  readonly livePath?: string
  /** Path of the readiness probe. Default `/ready`. */
  readonly readyPath?: string
  /**
   * The server whose shutdown makes the readiness probe respond with 503. Default: the server of
   * `createServer()` that received the request. Set this option if the probes run on a server of
   * their own.
   */
  readonly server?: { readonly draining: boolean }
  /** The prefix of `type` in problems, like the option `problemBase` of `api()`. */
  readonly problemBase?: string
}

/** The options of `health()`. Times are in milliseconds. */
export interface HealthOptions extends Common {
  /**
   * The checks of the service's dependencies, by name, such as
   * `{ database: () => readiness.query('SELECT 1') }`. Responses can show the names (see `shows`).
   * Default: none.
   */
  readonly checks?: Readonly<Record<string, Check | HealthCheck>>
  /**
   * Whether the service has started. Until the function returns true, the readiness probe responds
   * with 503. Default: always true.
   */
  readonly started?: () => boolean
  /**
   * Whether the response to this request for `readyPath` shows the state of the service and the
   * names and results of the checks, as JSON. If the function throws, nothing is shown. Default:
   * never.
   */
  readonly shows?: (req: IncomingMessage) => boolean
  /**
   * Called with the error and the name of each failed check. Default: one line is written to
   * `console.error` when an outage begins, and one when the outage ends.
   */
  readonly onFailure?: (error: unknown, check: string) => void
}

/** The options of `probes()`. Times are in milliseconds. */
export interface ProbesOptions extends Common {
  /**
   * Checks whether the service can do its work, for example with a query on a dedicated connection.
   * Default: no check.
   */
  readonly check?: Check
  /**
   * Called with the error of each failed check. Default: one line is written to `console.error`
   * when an outage begins, and one when the outage ends.
   */
  readonly onFailure?: (error: unknown) => void
}

type Defaults = Required<Pick<HealthOptions, 'maxAge' | 'timeout' | 'livePath' | 'readyPath'>>

const defaults: Defaults = { maxAge: 1_000, timeout: 2_000, livePath: '/live', readyPath: '/ready' }

const path: TextKind = { a: 'a path such as "/live"', like: /^\/[^?#]*$/ }

const common = {
  maxAge: timer,
  timeout: { ...timer, from: 1 },
  livePath: path,
  readyPath: path,
  server: {
    by: 'the result of createServer(), which has a boolean "draining"',
    is: (value) => typeof (value as Partial<NonNullable<Common['server']>> | null)?.draining === 'boolean',
  },
  problemBase: 'string',
} as const satisfies Kinds<Common>

export const healthCheckKinds: Kinds<HealthCheck> = { check: 'function', required: 'boolean' }

export const healthKinds: Kinds<HealthOptions> = {
  ...common,
  checks: 'table',
  started: 'function',
  shows: 'function',
  onFailure: 'function',
}

export const probesKinds: Kinds<ProbesOptions> = { ...common, check: 'function', onFailure: 'function' }

/** A check with its name. */
export interface NamedCheck {
  readonly name: string
  readonly check: Check
  readonly required: boolean
}

export interface ResolvedHealth extends Omit<HealthOptions, 'checks' | keyof Defaults>, Defaults {
  readonly checks: readonly NamedCheck[]
}

/** The options with their defaults. Throws `ConfigurationError` if an option is invalid. */
export function resolveHealth(given: HealthOptions): ResolvedHealth {
  checkOptions('health()', given, healthKinds)
  const checks = Object.entries(given.checks ?? {}).map(([name, one]) => namedCheck(name, one))
  return { ...withDefaults('health()', given), checks }
}

/**
 * The options of `probes()` with their defaults. The only check has no name in the options, and
 * gets the name `check`. Throws `ConfigurationError` if an option is invalid.
 */
export function resolveProbes(given: ProbesOptions): ResolvedHealth {
  checkOptions('probes()', given, probesKinds)
  const { check, ...rest } = given
  return {
    ...withDefaults('probes()', rest),
    checks: check === undefined ? [] : [{ name: 'check', check, required: true }],
  }
}

function namedCheck(name: string, given: Check | HealthCheck): NamedCheck {
  if (!/^[\w .:-]{1,64}$/.test(name)) {
    throw invalidOption(
      `The option "checks" of health() contains "${name.slice(0, 80)}", which is not a valid name. Use 1 to 64 ` +
        'letters, digits, spaces or _ . : -',
    )
  }
  if (typeof given === 'function') return { name, check: given, required: true }
  const what = `the check "${name}" of health()`
  checkArgument(what, given, ['function', 'table'])
  checkOptions(what, given, healthCheckKinds)
  if (given.check === undefined)
    throw invalidOption(`The check "${name}" of health() has no "check". Set it to a function.`)
  return { name, check: given.check, required: given.required ?? true }
}

function withDefaults<T extends Common>(of: string, given: T): T & Defaults {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const options = { ...defaults, ...set } as T & Defaults
  if (options.livePath === options.readyPath) {
    throw invalidOption(
      `The options "livePath" and "readyPath" of ${of} are both "${options.livePath}". Use two different paths.`,
    )
  }
  return options
}

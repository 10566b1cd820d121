/**
 * The clauses that have a mode. With a mode, an existing service can enforce a clause later. For
 * the other clauses, this file contains the messages that say why they have no mode.
 */
import { clauses } from '../clauses.js'
import { nearMiss } from '../near-miss.js'
import { invalidOption } from '../options/check.js'
import { count, type Kinds } from '../options/kinds.js'

/** The statuses that a successful DELETE of an item may have (VERB-6). */
export const deleteStatuses = [204, 202, 200] as const
export type DeleteStatus = (typeof deleteStatuses)[number]

/** For each clause: the behavior of the service before it enforced the clause. */
export interface ClauseSettings {
  /**
   * Unknown parameters were ignored. If a parameter was repeated, its `first` (default) or `last`
   * value was used.
   */
  readonly 'QUERY-8': { readonly repeated?: 'first' | 'last' }
  /**
   * The old maximum of `limit`. The response to a larger `limit` is 400. A page is never truncated
   * silently.
   */
  readonly 'QUERY-5': { readonly upTo?: number }
  /** Lists had no `x-total-count`. */
  readonly 'QUERY-7': Readonly<Record<never, never>>
  /** The response to an unacceptable `Accept` was 406, or it was in JSON. */
  readonly 'HDR-1': { readonly as?: 406 | 'json' }
  /**
   * A request without `If-Match` was allowed to change a record. A tag in `If-Match` is always
   * compared, in every mode.
   */
  readonly 'HDR-3': Readonly<Record<never, never>>
  /** Bodies of these media types or ranges, such as `text/plain` or `text/*`, were read as JSON. */
  readonly 'HDR-5': { readonly types?: readonly string[] }
  /** A HEAD request for an item got the same response as a GET request, without the body. */
  readonly 'VERB-8': Readonly<Record<never, never>>
  /** The status and the body of a successful DELETE; `body` is any JSON value. */
  readonly 'VERB-6': { readonly status?: DeleteStatus; readonly body?: unknown }
  /** Links were plain URLs instead of `{ href }`. */
  readonly 'REP-1': Readonly<Record<never, never>>
  /** Errors had the format that the function in the option `shape` produces. */
  readonly 'ERR-3': Readonly<Record<never, never>>
}

/** A clause that has a mode. */
export type ModedClause = keyof ClauseSettings

/** A media type, or a range of them. */
const mediaRange = {
  a: 'a media type such as "text/plain", or a range such as "text/*" or "*/*"',
  like: /^(?:\*\/\*|[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+))$/,
}

/** The valid settings of each clause. */
export const settingKinds: { readonly [C in ModedClause]: Kinds<ClauseSettings[C]> } = {
  'QUERY-8': { repeated: { oneOf: ['first', 'last'] } },
  'QUERY-5': { upTo: count },
  'QUERY-7': {},
  'HDR-1': { as: { oneOf: [406, 'json'] } },
  'HDR-3': {},
  'HDR-5': { types: { each: mediaRange, min: 1 } },
  'VERB-8': {},
  'VERB-6': { status: { oneOf: deleteStatuses }, body: 'any' },
  'REP-1': {},
  'ERR-3': {},
}

/** Every clause that has a mode. */
export const modedClauses = Object.keys(settingKinds) as readonly ModedClause[]

/**
 * Clauses that are always enforced, because they protect data and callers. An entry with a trailing
 * `-` stands for all ids with this prefix.
 */
const guards = ['AUTH-', 'LIMIT-', 'VERB-13', 'HDR-8', 'HDR-2'] as const

const hintsFor: Readonly<Record<string, string>> = {
  'QUERY-4':
    'To accept other names for offest, use the option parameters: { offest: ["page"] }. To set the number of ' +
    'the first page, use "page.first" of a version or of a definition.',
  'QUERY-1': 'For repeated parameters, set QUERY-8.',
  'HDR-4': 'A client that sends no If-None-Match never gets a 304.',
  'VER-2': 'To retire a version, change its entry in "versions".',
}

/**
 * Returns the error for a clause that the option `conventions` does not accept. `what` names the
 * owner of the option: a function or the service. The message gives the reason, and lists the
 * clauses that the option accepts.
 */
export function unfitClause(what: string, id: string, offered: readonly ModedClause[]): Error {
  const start = `The option "conventions" of ${what} names "${id.slice(0, 80)}"`
  const list = `This option accepts modes for: ${offered.join(', ')}.`
  if (
    guards.some((guard) => id === guard || (guard.endsWith('-') && id.startsWith(guard) && Object.hasOwn(clauses, id)))
  ) {
    return invalidOption(
      `${start}, which protects data and callers, so it is always enforced. Remove the entry. ${list}`,
    )
  }
  if ((modedClauses as readonly string[]).includes(id))
    return invalidOption(`${start}, which does not apply to ${what}. ${list}`)
  if (Object.hasOwn(clauses, id)) {
    const other = hintsFor[id] === undefined ? '' : ` ${hintsFor[id]}`
    return invalidOption(`${start}, which has no mode: it is always enforced.${other} ${list}`)
  }
  const near = nearMiss(id, offered) ?? nearMiss(id, Object.keys(clauses))
  return invalidOption(
    `${start}, which is not a clause. ${near === undefined ? '' : `Did you mean "${near}"? `}${list}`,
  )
}

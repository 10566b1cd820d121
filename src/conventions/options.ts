/** The option `conventions`: the mode of each clause, checked when the service is built. */
import { isObject } from '../definition/json.js'
import { timeOfDay } from '../http/dates.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { type ClauseSettings, type ModedClause, settingKinds, unfitClause } from './clauses.js'

/**
 * `off`: the service behaves as it did before, and nothing is counted. `report`: the service
 * behaves as it did before, and reports a finding for each request that enforcement would have
 * refused, and for each response that enforcement would have changed. `enforce` (the default): the
 * clause is enforced.
 */
export type Mode = 'off' | 'report' | 'enforce'

/** The settings of a clause, including its mode. */
export interface ModeOptions {
  readonly mode: Mode
  /**
   * The templates of the routes that the entry applies to, such as `/v1/orders` or
   * `/v1/orders/{id}`. A template without a version, such as `/orders`, applies in every version.
   * On other routes, the clause is enforced. Default: all routes.
   */
  readonly routes?: readonly string[]
  /**
   * The last day of the mode, such as `2027-03-01` (in UTC). After this day, the service logs an
   * error at most once a day.
   */
  readonly until?: string
  /**
   * What happens after `until`. `report`: the mode stays in effect. `refuse`: the clause is
   * enforced. Default `report`.
   */
  readonly onExpired?: 'report' | 'refuse'
  /**
   * With `enforce`: the share of clients for which the clause is enforced, such as 0.1. For all
   * other clients, violations are only reported. Default: 1.
   */
  readonly share?: number
}

/** The mode of a clause, alone or with settings that describe the legacy behavior. */
export type ConventionOption<C extends ModedClause> = Mode | (ModeOptions & ClauseSettings[C])

/** The modes of clauses, by id. A clause without an entry is enforced. */
export type Conventions<C extends ModedClause = ModedClause> = { readonly [Id in C]?: ConventionOption<Id> }

/**
 * A validated entry of the option `conventions`. A clause that is enforced for all clients has no
 * entry.
 */
export interface Convention<C extends ModedClause = ModedClause> {
  readonly clause: C
  readonly mode: Mode
  /** The templates to which the entry applies; `undefined` if it applies to all routes. */
  readonly routes: readonly string[] | undefined
  /** When the entry expires, in milliseconds since 1970. */
  readonly expires: number | undefined
  /** The option `until`. */
  readonly until: string | undefined
  /** Whether the clause is enforced after the entry has expired. */
  readonly refusesExpired: boolean
  /** The share of clients for which the clause is enforced. */
  readonly share: number
  readonly settings: ClauseSettings[C]
}

/** The function that has the option `conventions`. */
export interface ConventionOwner {
  /** The name of the function in messages, such as `api()`. */
  readonly what: string
  readonly clauses: readonly ModedClause[]
  /** True for a middleware. In that case, a hand-written handler writes the response. */
  readonly handWritten: boolean
  /** Whether the option `shape` is given. */
  readonly shaped?: boolean
  /** Whether `If-Match` is required. */
  readonly requiresIfMatch?: boolean
}

const modes = ['off', 'report', 'enforce'] as const

const day = 24 * 60 * 60 * 1000

/** Midnight at the end of the day; `undefined` if the string is not a calendar date. */
function endOf(until: string): number | undefined {
  const start = timeOfDay(until)
  return start === undefined ? undefined : start + day
}

const dayKind: Kind = { a: 'a day such as "2027-03-01"', like: { test: (text) => endOf(text) !== undefined } }

const templateKind: Kind = { a: 'a template such as "/v1/orders" or "/v1/orders/{id}"', like: /^\/[^\s?#]*$/ }

/** The valid values of the settings that every clause has. */
export const modeKinds: Kinds<ModeOptions> = {
  mode: { required: { oneOf: modes } },
  routes: { each: templateKind, min: 1 },
  until: dayKind,
  onExpired: { oneOf: ['report', 'refuse'] },
  share: { from: 0, to: 1, above: true },
}

/**
 * Validates the entries of the option `conventions`, and drops those that enforce a clause for all
 * clients. Throws `ConfigurationError` if an entry is invalid.
 */
export function resolveConventions(given: Conventions | undefined, owner: ConventionOwner): readonly Convention[] {
  if (given === undefined) return []
  const found: Convention[] = []
  for (const [id, entry] of Object.entries(given)) {
    if (entry === undefined) continue
    const clause = id as ModedClause
    if (!owner.clauses.includes(clause)) throw unfitClause(owner.what, id, owner.clauses)
    const resolved = resolveEntry(clause, entry, owner)
    if (resolved !== undefined) found.push(resolved)
  }
  return found
}

function resolveEntry(clause: ModedClause, entry: unknown, owner: ConventionOwner): Convention | undefined {
  const name = `"conventions.${clause}" of ${owner.what}`
  if (!isObject(entry) && !modes.some((mode) => mode === entry)) {
    throw invalidOption(
      `The option ${name} is neither a mode nor an object. Give "off", "report", "enforce", or { mode: "report" }.`,
    )
  }
  const options = isObject(entry) ? entry : { mode: entry }
  const kinds = { ...modeKinds, ...settingKinds[clause] } as Kinds<ModeOptions>
  const {
    mode,
    routes,
    until,
    onExpired,
    share = 1,
    ...settings
  } = checkOptions<ModeOptions>(`the entry ${name}`, options, kinds)
  if (share < 1 && mode !== 'enforce') {
    throw invalidOption(
      `The entry ${name} has "share", which is only for the mode "enforce". Set "mode" to "enforce", or remove ` +
        '"share".',
    )
  }
  if (mode === 'enforce' && share === 1) return undefined
  if (onExpired === 'refuse' && until === undefined) {
    throw invalidOption(
      `The entry ${name} has "onExpired" but no "until", so it never expires. Add a date, such as until: "2027-03-01".`,
    )
  }
  const fault = settingFault(clause, settings, owner)
  if (fault !== undefined) throw invalidOption(`The entry ${name} ${fault}`)
  return Object.freeze({
    clause,
    mode,
    routes: routes?.map(canonicalTemplate),
    until,
    expires: until === undefined ? undefined : endOf(until),
    refusesExpired: onExpired === 'refuse',
    share,
    settings: Object.freeze({ ...settings }),
  })
}

/**
 * Returns the end of the message about a wrong entry: a setting is missing or not allowed, or the
 * entry has no effect. Returns `undefined` if nothing is wrong. A setting is required if the
 * library can't guess the legacy behavior without it.
 */
function settingFault(
  clause: ModedClause,
  settings: Partial<
    ClauseSettings['QUERY-5'] & ClauseSettings['HDR-1'] & ClauseSettings['VERB-6'] & ClauseSettings['HDR-5']
  >,
  { handWritten, shaped, requiresIfMatch }: ConventionOwner,
): string | undefined {
  switch (clause) {
    case 'QUERY-5':
      if (settings.upTo !== undefined) return undefined
      return (
        'does not say what the old maximum was. Give the old maximum, such as upTo: 500. A larger limit gets 400, ' +
        'and a page is never truncated.'
      )
    case 'HDR-1':
      if (settings.as !== undefined) return undefined
      return 'does not say which response an unacceptable Accept gets. Set "as" to 406 or "json".'
    case 'HDR-5':
      if (settings.types !== undefined) return undefined
      return 'does not say which media types were read as JSON. Give types: ["text/plain"], or types: ["*/*"] for all.'
    case 'VERB-6':
      if (handWritten) {
        if (settings.status === undefined && settings.body === undefined) return undefined
        return 'has "status" or "body", but your handler writes the response. Remove them.'
      }
      if (settings.body !== undefined && !isJson(settings.body))
        return "has a body that JSON can't represent. Give plain data, such as { deleted: true }."
      if (settings.status === 204 && settings.body !== undefined)
        return "has a body, but a 204 can't have one. Give status: 200."
      if (settings.status !== undefined || settings.body !== undefined) return undefined
      return 'does not say which response a DELETE gets. Give status: 200, body: { deleted: true }, or both.'
    case 'ERR-3':
      if (shaped === true) return undefined
      return (
        'needs a function that converts problems to the old format. Give the option shape: ' +
        '(problem) => ({ body: { error: problem.title } }).'
      )
    case 'HDR-3':
      if (requiresIfMatch === true) return undefined
      return (
        'has no effect, because If-Match is not required. Require it with requireIfMatch: true, or with ' +
        'ifMatch({ required: true }).'
      )
    default:
      return undefined
  }
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

/** Replaces Express's `:id` in a template with `{id}`. */
const namedInBraces = (template: string): string => template.replace(/:(\w+)(?:\([^()]*\))?/g, '{$1}')

/** Removes the trailing slash of a template, and replaces Express's `:id` with `{id}`. */
export function canonicalTemplate(template: string): string {
  const named = namedInBraces(template)
  return named.length > 1 && named.endsWith('/') ? named.slice(0, -1) : named
}

/**
 * Whether an entry applies to a route. `version`: the version segment; empty if it is not known.
 */
export function isForRoute({ routes }: Convention, version: string, template: string | undefined): boolean {
  if (routes === undefined) return true
  if (template === undefined) return false
  const own = canonicalTemplate(template)
  return routes.includes(own) || (version !== '' && routes.includes(`/${version}${own}`))
}

/**
 * Throws `ConfigurationError` if an entry names a template that no version serves, because such a
 * template has no effect.
 */
export function checkTemplates(
  what: string,
  conventions: readonly Convention[],
  served: readonly { readonly version: string; readonly template: string }[],
): void {
  const known = new Set(
    served.flatMap(({ version, template }) => [template, ...(version === '' ? [] : [`/${version}${template}`])]),
  )
  for (const { clause, routes = [] } of conventions) {
    const stray = routes.find((route) => !known.has(route))
    if (stray === undefined) continue
    const whole = served.map(({ version, template }) => (version === '' ? template : `/${version}${template}`))
    const fix = didYouMean(nearMiss(stray, whole), whole.slice(0, 30), 'Served routes')
    throw invalidOption(
      `The entry "conventions.${clause}" of ${what} is for "${stray}", which no version serves. ${fix}`,
    )
  }
}

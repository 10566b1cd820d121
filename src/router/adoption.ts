/**
 * Resolves the options for a service that existed before it adopted the conventions. This happens
 * once, when the service is created.
 */
import { modedClauses } from '../conventions/clauses.js'
import { reportExpiredEntries } from '../conventions/expiry.js'
import { modesOf } from '../conventions/modes.js'
import { type Convention, type Conventions, checkTemplates, resolveConventions } from '../conventions/options.js'
import {
  type ParameterNames,
  type ParameterOptions,
  parameterKinds,
  resolveParameters,
} from '../conventions/parameters.js'
import { type ProblemShape, withShape } from '../conventions/shape.js'
import type { Kinds } from '../options/kinds.js'
import type { TableSettings } from '../plan/route-methods.js'
import type { Hooks } from './hooks.js'
import type { ServedVersion } from './served-version.js'
import type { Service } from './service.js'

/**
 * Options of `api` and `resourceRouter` for services whose clients were written before the service
 * adopted the conventions.
 */
export interface AdoptionOptions {
  /**
   * The mode of each clause that an existing service can't follow yet: `{ 'QUERY-8': 'report' }`.
   * With `off` or `report`, the service responds as it did before. `report` also calls `onFinding`
   * for every request that would have been refused or would have got a different response if the
   * clause were enforced. Default: every clause is enforced, except ERR-3 if `shape` is set. See
   * docs/adopting.md.
   */
  readonly conventions?: Conventions
  /**
   * Aliases of query parameters, and names of parameters to ignore. In the conventions, the
   * parameter for the page number is spelled `offest`. In the example
   * `{ offest: ['page'], ignore: ['_', 'utm_*'] }`, `page` is an alias of `offest`.
   */
  readonly parameters?: ParameterOptions
  /**
   * Returns error bodies in the form that the service used before. An entry for clause ERR-3 in
   * `conventions` decides which requests get this form. Without such an entry, all errors have this
   * form, and no findings for ERR-3 are reported.
   */
  readonly shape?: ProblemShape
}

export const adoptionKinds: Kinds<AdoptionOptions> = {
  conventions: 'table',
  parameters: { options: parameterKinds },
  shape: 'function',
}

/** The resolved options. */
export interface Adoption {
  /** The clauses that are not fully enforced, with their modes. */
  readonly conventions: readonly Convention[]
  readonly parameters: ParameterNames | undefined
  readonly shape: ProblemShape | undefined
}

/**
 * Resolves the options and reports expired entries of `conventions`. Throws `ConfigurationError`
 * for an invalid option.
 */
export function resolveAdoption(
  options: AdoptionOptions & Pick<Hooks, 'onConventionExpired'> & { readonly requireIfMatch?: boolean },
): Adoption {
  const { shape, requireIfMatch: requiresIfMatch = false, onConventionExpired } = options
  const owner = {
    what: 'the service',
    clauses: modedClauses,
    handWritten: false,
    shaped: shape !== undefined,
    requiresIfMatch,
  }
  const conventions = resolveConventions(withShape(options).conventions, owner)
  reportExpiredEntries(conventions, onConventionExpired)
  const parameters = resolveParameters('the service', options.parameters)
  return { conventions, parameters, shape }
}

/**
 * Returns the settings that all routes of a version share. `own` holds the version's own settings.
 */
export const tableSettings = (
  service: Service,
  version: string,
  own: Pick<TableSettings, 'page' | 'parameters'> = service,
): TableSettings => ({
  page: own.page,
  caches: service.caches,
  parameters: own.parameters,
  ...(service.conventions.length === 0
    ? {}
    : { modesOf: (template: string) => modesOf(service.conventions, version, template) }),
})

/**
 * Throws `ConfigurationError` if an entry of `conventions` names a route that no version serves.
 */
export function checkRoutesOfConventions({ conventions }: Service, served: readonly ServedVersion[]): void {
  const places = served.flatMap(({ name, table }) => table.routes.map(({ template }) => ({ version: name, template })))
  checkTemplates('the service', conventions, places)
}

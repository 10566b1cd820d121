/** The options of a service that lived before it followed the conventions, resolved once. */
import { modedClauses } from '../conventions/clauses.js'
import { tellExpiredOf } from '../conventions/expiry.js'
import { modesOf } from '../conventions/modes.js'
import { type Convention, type Conventions, checkTemplates, resolveConventions } from '../conventions/options.js'
import { type ParameterNames, type ParameterOptions, parameterKinds, resolveParameters } from '../conventions/parameters.js'
import { type ProblemShape, withShape } from '../conventions/shape.js'
import type { Kinds } from '../options/kinds.js'
import type { TableSettings } from '../plan/route-methods.js'
import type { Hooks } from './hooks.js'
import type { ServedVersion } from './served-version.js'
import type { Service } from './service.js'

/** What `api` and `resourceRouter` take for clients that came before the conventions. */
export interface AdoptionOptions {
  /**
   * The mode of each clause that a living service can't follow yet: `{ 'QUERY-8': 'report' }`. `off` and `report` answer as the service did before; `report` notifies
   * `onFinding` of what enforcing would have refused or changed. Default: every clause is enforced. See docs/adopting.md.
   */
  readonly conventions?: Conventions
  /** Other names of query parameters, and names that are ignored: `{ offest: ['page'], ignore: ['_', 'utm_*'] }`. */
  readonly parameters?: ParameterOptions
  /** The form that errors had, for the clause ERR-3 in `conventions`; alone, it is used for all and nothing is told. */
  readonly shape?: ProblemShape
}

export const adoptionKinds: Kinds<AdoptionOptions> = {
  conventions: 'table',
  parameters: { options: parameterKinds },
  shape: 'function',
}

/** The options, resolved. */
export interface Adoption {
  /** The clauses that are not simply enforced. */
  readonly conventions: readonly Convention[]
  readonly parameters: ParameterNames | undefined
  readonly shape: ProblemShape | undefined
}

/** Throws `ConfigurationError` where an option makes no sense, and tells of entries that have expired. */
export function resolveAdoption(
  options: AdoptionOptions & Pick<Hooks, 'onConventionExpired'> & { readonly requireIfMatch?: boolean },
): Adoption {
  const { shape, requireIfMatch: requiresIfMatch = false, onConventionExpired } = options
  const owner = { what: 'the service', clauses: modedClauses, handWritten: false, shaped: shape !== undefined, requiresIfMatch }
  const conventions = resolveConventions(withShape(options).conventions, owner)
  tellExpiredOf(conventions, onConventionExpired)
  const parameters = resolveParameters('the service', options.parameters)
  return { conventions, parameters, shape }
}

/** What holds for all routes of a version. `own`: what it says itself. */
export const tableSettings = (
  service: Service,
  version: string,
  own: Pick<TableSettings, 'page' | 'parameters'> = service,
): TableSettings => ({
  page: own.page,
  caches: service.caches,
  parameters: own.parameters,
  ...(service.conventions.length === 0 ? {} : { modesOf: (template: string) => modesOf(service.conventions, version, template) }),
})

/** Throws `ConfigurationError` for an entry of `conventions` whose route none of the versions serves. */
export function checkRoutesOfConventions({ conventions }: Service, served: readonly ServedVersion[]): void {
  const places = served.flatMap(({ name, table }) => table.routes.map(({ template }) => ({ version: name, template })))
  checkTemplates('the service', conventions, places)
}

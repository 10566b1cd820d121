/**
 * Applies the option `conventions` to hand-written routes. The option sets the mode (`off`,
 * `report` or `enforce`) of each clause that a middleware implements.
 */
import type { IncomingMessage } from 'node:http'
import type { ModedClause } from '../conventions/clauses.js'
import { reportExpiredEntries } from '../conventions/expiry.js'
import { type ExpiredConvention, type Finding, Findings, reportFinding } from '../conventions/finding.js'
import { type Legacy, legacyOf, modesOf } from '../conventions/modes.js'
import {
  type Convention,
  type ConventionOwner,
  type Conventions,
  canonicalTemplate,
  resolveConventions,
} from '../conventions/options.js'
import type { Kinds } from '../options/kinds.js'
import { expressRoute } from '../telemetry/express-route.js'
import { boundedName } from '../usage/names.js'
import { type Usage, usageKind } from '../usage/usage.js'
import { principals } from './authenticate.js'
import type { ExpressRequest } from './middleware.js'
import { fromVersion, splitVersion } from './version-names.js'

/**
 * The modes of the clauses that a middleware implements, and the hooks for requests that violate
 * these clauses.
 */
export interface ConventionsOptions<C extends ModedClause> {
  /**
   * The mode of each clause, such as `{ 'QUERY-8': 'report' }`. Default: all clauses are enforced.
   * See docs/adopting.md.
   */
  readonly conventions?: Pick<Conventions, C>
  /**
   * Called if a request violates a clause that is not enforced yet (mode `report`), or uses an
   * alias of a parameter. Called once for each violation or alias, at most 20 times for one
   * request.
   */
  onFinding?(event: Finding, req: IncomingMessage): void
  /**
   * Counts the findings. Example: `usage({ store, client: 'token' })`. Default: findings are not
   * counted.
   */
  readonly usage?: Usage | undefined
  /**
   * Called at most once a day for each entry of `conventions` whose last day (`until`) is past.
   * Such an entry is also logged.
   */
  onConventionExpired?(event: ExpiredConvention): void
}

export const conventionsKinds: Kinds<ConventionsOptions<ModedClause>> = {
  conventions: 'table',
  onFinding: 'function',
  onConventionExpired: 'function',
  usage: usageKind,
}

/** The version and the route of a request. */
interface Place {
  readonly version: string
  /** The route template below the version; `undefined` if Express has not matched a route yet. */
  readonly template: string | undefined
}

/** The modes of the clauses that one middleware implements. */
export class RouteConventions {
  readonly #conventions: readonly Convention[]
  readonly #options: ConventionsOptions<never>
  readonly #findings = new WeakMap<IncomingMessage, Findings>()

  /** Throws `ConfigurationError` if an entry of `conventions` is invalid. */
  constructor(options: ConventionsOptions<never>, owner: Omit<ConventionOwner, 'handWritten'>) {
    this.#conventions = resolveConventions(options.conventions, { ...owner, handWritten: true })
    this.#options = options
    reportExpiredEntries(this.#conventions, options.onConventionExpired)
  }

  /**
   * Whether an entry of `conventions` says that the clause is not enforced, or that it is enforced
   * only for a share of the clients.
   */
  has(clause: ModedClause): boolean {
    return this.#conventions.some((one) => one.clause === clause)
  }

  /**
   * Returns the legacy behavior that this request gets for a clause. Returns `undefined` if the
   * clause is enforced for this request.
   */
  legacy<C extends ModedClause>(clause: C, req: IncomingMessage): Legacy<C> | undefined {
    if (this.#conventions.length === 0) return undefined
    const { version, template } = placeOf(req)
    return legacyOf(modesOf(this.#conventions, version, template), clause, {
      req,
      principal: principals.find(req)?.principal,
      finding: (id, detail) => this.finding(id, detail, req),
      onConventionExpired: this.#options.onConventionExpired,
    })
  }

  /**
   * Reports that a request violates a clause. `detail` is the name of a parameter, header field or
   * method, or the code of a problem. For one request, each combination of a clause and a detail is
   * reported only once.
   */
  finding(clause: string, detail: string, req: IncomingMessage): void {
    const name = boundedName(detail)
    const findings = this.#findings.get(req) ?? new Findings()
    this.#findings.set(req, findings)
    if (!findings.isNew(clause, name)) return
    const { version, template } = placeOf(req)
    const principal = principals.find(req)?.principal
    reportFinding(this.#options, clause, name, {
      req,
      principal,
      method: req.method ?? 'GET',
      version: version || undefined,
      route: template,
    })
  }
}

function placeOf(req: ExpressRequest): Place {
  const route = expressRoute(req)
  if (route === undefined) return unknownPlace
  const template = canonicalTemplate(route)
  // If the mount path contains the version, the version is read from the mount path, not from the
  // template. `canonicalTemplate()` replaces each segment that equals the value of a parameter,
  // even in the mount path. So for the path `/v1/orders/v1` with the id `v1`, the template can be
  // `/{id}/orders/{id}`.
  const { baseUrl = '' } = req
  const mounted = fromVersion(baseUrl)
  if (mounted !== '') {
    const at = baseUrl.split('/').length - mounted.split('/').length + 1
    const below = template.split('/').slice(at + 1)
    return { version: splitVersion(mounted)?.name ?? '', template: `/${below.join('/')}` }
  }
  const found = splitVersion(fromVersion(template))
  return found === undefined
    ? { version: '', template }
    : { version: found.name, template: found.rest === '' ? '/' : found.rest }
}

const unknownPlace: Place = Object.freeze({ version: '', template: undefined })

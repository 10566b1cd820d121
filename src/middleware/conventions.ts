/** Modes of clauses on hand-written routes, for the single middlewares. */
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

/** The modes of the clauses that a middleware implements, and the hooks for findings. */
export interface ConventionsOptions<C extends ModedClause> {
  /**
   * The mode of each clause, such as `{ 'QUERY-8': 'report' }`. Default: all are enforced. See
   * docs/adopting.md.
   */
  readonly conventions?: Pick<Conventions, C>
  /**
   * Called with each request that violates a clause in `report`, or uses another name of a
   * parameter.
   */
  onFinding?(event: Finding, req: IncomingMessage): void
  /** Counts these requests: `usage({ store, client: 'token' })`. Default: none are counted. */
  readonly usage?: Usage | undefined
  /** Called once a day with each expired entry, in addition to the log. */
  onConventionExpired?(event: ExpiredConvention): void
}

export const conventionsKinds: Kinds<ConventionsOptions<ModedClause>> = {
  conventions: 'table',
  onFinding: 'function',
  onConventionExpired: 'function',
  usage: usageKind,
}

/** What is known about a request before its handler runs. */
interface Place {
  readonly version: string
  /** The route template below the version; `undefined` if Express has not matched a route yet. */
  readonly template: string | undefined
}

/** The modes of one middleware. */
export class RouteConventions {
  readonly #conventions: readonly Convention[]
  readonly #options: ConventionsOptions<never>
  readonly #findings = new WeakMap<IncomingMessage, Findings>()

  /** Throws `ConfigurationError` if an entry is invalid. */
  constructor(options: ConventionsOptions<never>, owner: Omit<ConventionOwner, 'handWritten'>) {
    this.#conventions = resolveConventions(options.conventions, { ...owner, handWritten: true })
    this.#options = options
    reportExpiredEntries(this.#conventions, options.onConventionExpired)
  }

  /** Whether a clause has a mode other than plain `enforce`. */
  has(clause: ModedClause): boolean {
    return this.#conventions.some((one) => one.clause === clause)
  }

  /** The old behaviour, if it still applies to this request. */
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

  /** Reports a request, once for each clause and name. */
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
  if (route === undefined) return nowhere
  const template = canonicalTemplate(route)
  // The version is read from the mount path: in the template, an id spelled like a version could be
  // taken for it.
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

const nowhere: Place = Object.freeze({ version: '', template: undefined })

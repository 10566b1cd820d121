/**
 * Findings: requests that would have been refused, or would have had another response, if a clause
 * had been enforced.
 */
import type { IncomingMessage } from 'node:http'
import { notify } from '../notify.js'
import { noteCounted } from '../usage/counted.js'
import type { Usage } from '../usage/usage.js'

/**
 * A request that would have been refused, or would have had another response, if the clause had
 * been enforced. A finding contains only names, never the value of a member, parameter or header.
 */
export interface Finding {
  readonly clause: string
  /**
   * The template of the route without the version, such as `/orders/{id}`; `undefined` if no route
   * matches.
   */
  readonly route: string | undefined
  /**
   * What the finding is about: the name of a parameter or header field, the code of a problem,
   * `HEAD`, `DELETE` or `href`. At most 64 characters. A name that could be a value, such as a
   * token, is replaced by `(other)`.
   */
  readonly detail: string
  readonly method: string
  /** The version segment, if the path has one. */
  readonly version: string | undefined
  /** The name of the client, if the option `usage` distinguishes clients. */
  readonly client?: string | undefined
}

/** An entry of `conventions` that is past its expiry date. */
export interface ExpiredConvention {
  readonly clause: string
  readonly mode: 'off' | 'report' | 'enforce'
  /** The option `until` of the entry. */
  readonly until: string
  /** The templates to which the entry applies; `undefined` if it applies to all routes. */
  readonly routes: readonly string[] | undefined
  /** Whether the clause is enforced now. */
  readonly enforced: boolean
}

/** The maximum number of findings that are reported for one request. */
const maxFindings = 20

/** The findings of one request. Each finding is reported once. */
export class Findings {
  readonly #reported = new Set<string>()

  /**
   * Returns true if a finding must be reported: it is new, and fewer than `maxFindings` findings
   * have been reported for this request. The finding then counts as reported.
   */
  isNew(clause: string, detail: string): boolean {
    const name = `${clause} ${detail}`
    if (this.#reported.has(name) || this.#reported.size >= maxFindings) return false
    this.#reported.add(name)
    return true
  }
}

/** The receivers of findings. */
export interface FindingListeners {
  readonly onFinding?: ((event: Finding, req: IncomingMessage) => void) | undefined
  readonly usage?: Usage | undefined
}

/** The request that caused a finding, with its version and route. */
export interface FoundIn {
  readonly req: IncomingMessage
  readonly principal: unknown
  readonly method: string
  readonly version: string | undefined
  readonly route: string | undefined
}

/**
 * The route under which a finding is counted. It includes the version, so that findings are counted
 * separately for each version.
 */
export const routeWithVersion = ({ version, route }: Pick<FoundIn, 'version' | 'route'>): string | undefined =>
  route === undefined || version === undefined ? route : `/${version}${route}`

/** Counts a finding, and calls `onFinding`. */
export function reportFinding(
  listeners: FindingListeners,
  clause: string,
  detail: string,
  { req, principal, ...place }: FoundIn,
): void {
  const { onFinding, usage } = listeners
  const client = usage?.clientOf(principal, req) ?? ''
  const { method, version, route } = place
  if (usage !== undefined) {
    usage.countBreak({
      clause,
      method,
      route: routeWithVersion(place),
      detail,
      client,
    })
    noteCounted(req, usage, clause)
  }
  notify(onFinding, () => ({ clause, route, detail, method, version, ...(client === '' ? {} : { client }) }), req)
}

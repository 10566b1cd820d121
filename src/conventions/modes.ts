/**
 * Determines the modes of a route (whether each clause is enforced), and whether a request gets the
 * legacy behavior.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { addressKey, principalKey } from '../limits/keys.js'
import { tokenClient } from '../usage/clients.js'
import type { ClauseSettings, ModedClause } from './clauses.js'
import { reportExpiredEntry } from './expiry.js'
import type { ExpiredConvention } from './finding.js'
import { type Convention, isForRoute } from './options.js'

/**
 * The entries of `conventions` that apply to a route, by clause. A clause without an entry is
 * enforced for all clients.
 */
export type Modes = { readonly [C in ModedClause]?: Convention<C> }

/** The data of a request that `legacyOf` needs. */
export interface ModedRequest {
  readonly req: IncomingMessage
  readonly principal: unknown
  /**
   * Reports that the request would have been refused, or the response changed, if the clause had
   * been enforced. `detail` is a name, such as that of a parameter, and never a value from the
   * request.
   */
  finding(clause: string, detail: string): void
  /** Called with expired entries; see `reportExpiredEntry`. */
  readonly onConventionExpired: ((event: ExpiredConvention) => unknown) | undefined
}

/** The legacy behavior of the service, for one request. */
export interface Legacy<C extends ModedClause> {
  readonly settings: ClauseSettings[C]
  /** Whether findings are reported. False if the mode is `off`. */
  readonly counts: boolean
  /**
   * Reports that the request would have been refused, or the response changed, if the clause had
   * been enforced. Has no effect if the mode is `off`.
   */
  found(detail: string): void
}

/**
 * Returns the modes of a route. Returns `undefined` if all clauses are enforced: requests to such a
 * route have no overhead.
 */
export function modesOf(
  conventions: readonly Convention[],
  version: string,
  template: string | undefined,
): Modes | undefined {
  const own = conventions.filter((convention) => isForRoute(convention, version, template))
  return own.length === 0
    ? undefined
    : (Object.freeze(Object.fromEntries(own.map((one) => [one.clause, one]))) as Modes)
}

/**
 * Returns the legacy behavior for a clause if it still applies to this request. Returns `undefined`
 * if the clause is enforced for this request.
 */
export function legacyOf<C extends ModedClause>(
  modes: Modes | undefined,
  clause: C,
  request: ModedRequest,
): Legacy<C> | undefined {
  const convention = modes?.[clause] as Convention<C> | undefined
  if (convention === undefined) return undefined
  const { expires, mode, settings } = convention
  if (expires !== undefined && Date.now() >= expires) {
    reportExpiredEntry(convention, request.onConventionExpired)
    if (convention.refusesExpired) return undefined
  }
  if (mode === 'enforce' && isInShare(convention.share, request)) return undefined
  const counts = mode !== 'off'
  return {
    settings,
    counts,
    found(detail) {
      if (counts) request.finding(clause, detail)
    },
  }
}

/**
 * Whether some requests can get the enforced behavior: the clause is enforced for a share of the
 * clients, or will be enforced after the entry has expired.
 */
export const isPartlyEnforced = ({ mode, refusesExpired }: Convention): boolean => mode === 'enforce' || refusesExpired

/**
 * Whether a client belongs to the share of clients for which clauses are enforced. The result
 * depends only on the key of the client and on the share, so it is the same in every request and
 * process, and for every clause with this share. A larger share includes all clients of a smaller
 * one.
 */
function isInShare(share: number, { req, principal }: Pick<ModedRequest, 'req' | 'principal'>): boolean {
  const hash = createHash('sha256').update(clientKey(req, principal)).digest()
  return hash.readUInt32BE(0) / 2 ** 32 < share
}

/**
 * Returns a key that identifies the client: the client id in its token, or else the name of the
 * principal, or else the IP address.
 */
function clientKey(req: IncomingMessage, principal: unknown): string {
  const client = tokenClient(principal)
  return client === undefined ? (principalKey(principal) ?? addressKey(req)) : `c:${client}`
}

/** What is told of a request that enforcing a clause would have refused, or answered otherwise. */
import type { IncomingMessage } from 'node:http'
import { notify } from '../notify.js'
import { noteCounted } from '../usage/counted.js'
import type { Usage } from '../usage/usage.js'

/** A request that departs from a clause. It holds names alone, and no value of a member, parameter or header. */
export interface Finding {
  readonly clause: string
  /** The template below the version, such as `/orders/{id}`; `undefined` where nothing matches. */
  readonly route: string | undefined
  /** What it is about: the name of a parameter or header field, the code of a problem. At most 64 characters. */
  readonly detail: string
  readonly method: string
  /** The version segment, where there is one. */
  readonly version: string | undefined
  /** The name of the client, where the option `usage` counts clients apart. */
  readonly client?: string | undefined
}

/** An entry of `conventions` whose day has passed. */
export interface ExpiredConvention {
  readonly clause: string
  readonly mode: 'off' | 'report' | 'enforce'
  /** The last day, as it was given. */
  readonly until: string
  /** The templates that it is for; `undefined`: all. */
  readonly routes: readonly string[] | undefined
  /** Whether the clause is enforced now. */
  readonly enforced: boolean
}

/** Findings of one request that are told: each once, and not more than so many. */
const mostFindings = 20

/** The findings of one request, each told once. */
export class Findings {
  readonly #told = new Set<string>()

  /** True where it was not told before. */
  isNew(clause: string, detail: string): boolean {
    const name = `${clause} ${detail}`
    if (this.#told.has(name) || this.#told.size >= mostFindings) return false
    this.#told.add(name)
    return true
  }
}

/** Who is told of findings. */
export interface FindingListeners {
  readonly onFinding?: ((event: Finding, req: IncomingMessage) => void) | undefined
  readonly usage?: Usage | undefined
}

/** What a finding is about, and who sent it. */
export interface FoundIn {
  readonly req: IncomingMessage
  readonly principal: unknown
  readonly method: string
  readonly version: string | undefined
  readonly route: string | undefined
}

/** Counts a finding, and tells the hook. */
export function tellFinding(listeners: FindingListeners, clause: string, detail: string, { req, principal, ...place }: FoundIn): void {
  const { onFinding, usage } = listeners
  const client = usage?.clientOf(principal, req) ?? ''
  const { method, version, route } = place
  if (usage !== undefined) {
    usage.countBreak({
      clause,
      method,
      route: route === undefined || version === undefined ? route : `/${version}${route}`,
      detail,
      client,
    })
    noteCounted(req, usage, clause)
  }
  notify(onFinding, () => ({ clause, route, detail, method, version, ...(client === '' ? {} : { client }) }), req)
}

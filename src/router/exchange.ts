/** One request on its way through the steps: what they have found out so far. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Idempotency } from '../adapters/contract.js'
import type { Action, Decided } from '../auth/permission.js'
import { decide, type Permission } from '../auth/permission.js'
import { type KeyValue, segmentOf } from '../definition/key.js'
import { decodeSegments } from '../http/targets.js'
import { privateCaching } from '../middleware/authenticate.js'
import { malformedHost } from '../middleware/base-address.js'
import { type Conditions, unconditional } from '../middleware/if-match.js'
import type { Middleware } from '../middleware/middleware.js'
import { isRetired, type Lifecycle, noticeHeaders } from '../middleware/versions.js'
import { collectionPath, itemPath } from '../plan/addresses.js'
import type { CompiledMethod } from '../plan/endpoint-plan.js'
import type { ListQuery } from '../plan/list-grammar.js'
import type { Match, Mounted, Route, RouteTable } from '../plan/routes.js'
import { ConfigurationError, type HttpProblem } from '../problem.js'
import type { Answer, Headers } from '../representation/answer.js'
import { json, type Representation } from '../representation/encoding.js'
import type { Change, Scopes, Visit } from './caller.js'
import { notify, type RequestEvent } from './hooks.js'
import type { Operation, Outcome } from './operations/operation.js'
import { type Patience, withinTime } from './patience.js'
import { requestIdOf } from './request-id.js'
import type { Service } from './service.js'

/** One version as it is served, or the only one of a `resourceRouter`. */
export interface ServedVersion {
  /** The segment, such as `v1`; empty where the router stands alone. */
  readonly name: string
  readonly table: RouteTable
  readonly life: Lifecycle | undefined
  /** Hand-written routes beside the resources. */
  readonly routes: Middleware | undefined
}

/** False for a version that has retired, by itself at its sunset or as declared (VER-2). */
export function isLiving(version: ServedVersion | 'retired'): version is ServedVersion {
  return version !== 'retired' && !(version.life !== undefined && isRetired(version.life, Date.now()))
}

/** Where a request came in. */
export interface Entrance {
  /** What the path leads to, where that is known already. */
  readonly match?: Match | undefined
  /** The path below the version, and the query, both raw. */
  readonly path: string
  readonly query: string
  /** The path that the router is mounted at. */
  readonly mountPath: string
  /** What of it stands below a configured `baseUrl`: the version, where an outer router serves it. */
  readonly mountTail: string
}

export class Exchange implements Visit {
  readonly requestId: string
  /** Those of the request, which its getter makes. */
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** True for the methods that change nothing. */
  readonly reads: boolean
  readonly path: string
  readonly query: string
  principal: unknown
  /** True once somebody has been found to ask: what is made for one principal is not for others (HDR-6). */
  authenticated = false
  route: Route | undefined
  keys: readonly KeyValue[] = []
  operation: Operation | undefined
  /** The value of `Allow` for this principal. */
  allow = ''
  representation: Representation = json
  conditions: Conditions = unconditional
  /** The list query, where the operation takes one. */
  list: ListQuery | undefined
  /** The associations to expand. */
  expand: readonly string[] = []
  /** Typed parameters of an endpoint. */
  parameters: Readonly<Record<string, unknown>> = {}
  /** The decoded body: a record, a patch or what an endpoint takes. */
  body: unknown
  /** What a repeat of this request is known by, where its client gave it a key (VERB-12). */
  idempotency: Idempotency | undefined
  scopes: Scopes | undefined
  /** True from the step `execute` on: the request counts in the load of its service. */
  executing = false
  /**
   * Whether the request has changed anything, as far as is known: every answer must agree with it
   * (VERB-13).
   */
  change: Change = 'none'
  /** Gives back the place of an export among those of its resource. */
  releaseExport: (() => void) | undefined
  outcome: Outcome | undefined
  /** What tells browsers whose scripts may read the answer, whatever it becomes (HDR-7). */
  sharing: Readonly<Record<string, string>> | undefined
  /** What the rate limit says of itself, for whatever answer it becomes (LIMIT-1). */
  limits: Headers | undefined
  answer: Answer | undefined
  problem: HttpProblem | undefined
  readonly #entrance: Entrance
  #started: number | undefined
  #root: string | undefined
  #base: string | undefined
  #patience: Patience | undefined
  #told = false

  constructor(
    readonly req: IncomingMessage,
    readonly res: ServerResponse,
    readonly service: Service,
    entrance: Entrance,
    /** The version where there is but one; else none, until the version step finds it among `versions` by `versionName`. */
    public version: ServedVersion,
    readonly versions?: ReadonlyMap<string, ServedVersion | 'retired'>,
    readonly versionName = '',
  ) {
    this.path = entrance.path
    this.query = entrance.query
    this.#entrance = entrance
    this.method = req.method ?? 'GET'
    this.reads = this.method === 'GET' || this.method === 'HEAD' || this.method === 'OPTIONS'
    this.headers = req.headers
    this.requestId = requestIdOf(this.headers)
    this.#started = service.hooks.onResponse === undefined && service.rateLimit === undefined ? undefined : performance.now()
  }

  /**
   * When it came; where nobody is told how long it took and no rate limit waits for its store, when it was first asked how long it had waited: before it waits for
   * anything, and a clock has its price.
   */
  get started(): number {
    this.#started ??= performance.now()
    return this.#started
  }

  /** The absolute address before the version (REP-5). Throws the `malformed-host` problem. */
  get root(): string {
    const root = this.#findRoot()
    if (root === undefined) throw malformedHost()
    return root
  }

  /** Throws where there is no address for links to begin with: before anything is changed, so that no write is answered 400. */
  checkHost(): void {
    void this.root
  }

  /** How long the team's code may take, all in all. */
  get patience(): Patience {
    this.#patience ??= withinTime(this)
    return this.#patience
  }

  /** The absolute address of the version, which links begin with. */
  get base(): string {
    this.#base ??= this.version.name === '' ? this.root : baseOf(`/${this.version.name}`, this.root)
    return this.#base
  }

  /** The path of the list that is asked for, from the version on: of an associated sub-collection, its parent's item and then its segment. */
  get listPath(): string {
    const { route, keys, resource, version } = this
    const from = version.name === '' ? '' : `/${version.name}`
    if (route?.association === undefined) return from + collectionPath(resource, keys)
    const { parent, as } = route.association
    return `${from}${itemPath(parent, keys)}/${segmentOf(as)}`
  }

  /** The resource of the route. */
  get resource(): Mounted {
    if (this.route?.resource === undefined) throw new Error('This route has no resource.')
    return this.route.resource
  }

  /** The method of the endpoint that the path leads to. */
  get called(): CompiledMethod | undefined {
    return this.route?.endpoint?.methods.get(this.method)
  }

  /** Milliseconds that the answer may take. */
  get timeout(): number {
    return this.called?.timeout ?? this.service.timeout
  }

  /** The key of the item that the path addresses. */
  get key(): KeyValue {
    return this.keys.at(-1) as KeyValue
  }

  get permission(): Permission | undefined {
    return this.service.permission
  }

  reached(mounted: Mounted): Mounted {
    return mounted
  }

  /** What the path leads to, where whoever let the request in has looked. */
  get match(): Match | undefined {
    return this.#entrance.match
  }

  /** The path of the request, as problems tell it. */
  get instance(): string {
    const { mountPath } = this.#entrance
    return `${mountPath}${this.versionName === '' ? '' : `/${this.versionName}`}${this.path}`
  }

  /** The `Cache-Control` of representations where a resource says nothing (HDR-6). */
  get cacheControl(): string {
    return this.authenticated ? privateCaching : 'no-cache'
  }

  /** What the team's permission says of something that this request would do, as far as it has one (AUTH-4). */
  decide(action: Action, resource: string, key?: KeyValue): Decided {
    const { permission } = this.service
    if (permission === undefined) return 'allow'
    if (!this.authenticated) {
      throw new ConfigurationError(
        'middleware-missing',
        'This service has a permission, and nobody says who asks. Give it authenticate: bearer({ keys }), or put an authenticating middleware in front.',
      )
    }
    return this.patience.settle(decide(permission, this.principal, { action, resource, key }))
  }

  /** What a deprecated version says of itself (VER-3): its successor's address of the same path, where there is one. */
  notices(): Readonly<Record<string, string>> | undefined {
    const { life } = this.version
    if (life === undefined) return undefined
    if (life.successor === undefined) return noticeHeaders(life, undefined)
    const next = this.versions?.get(life.successor)
    const served = next !== undefined && isLiving(next) && serves(next, this.path)
    // Every answer has its notices, also the one that refuses a malformed Host: then a path must do.
    const root = this.#findRoot() ?? this.#entrance.mountPath
    return noticeHeaders(life, `${root}/${life.successor}${served ? this.path : ''}`)
  }

  /** Ends the count of this request among those that execute, once. */
  leave(): void {
    if (this.executing) this.service.load.executing -= 1
    this.executing = false
    this.releaseExport?.()
    this.releaseExport = undefined
  }

  /** Tells the `onResponse` hook of the answer, once, whoever has written it. */
  tell(status: number): void {
    if (this.#told) return
    this.#told = true
    notify(this.service.hooks.onResponse, () => ({
      ...this.event(),
      status,
      code: this.problem?.code,
      clause: this.problem?.clause,
      duration: performance.now() - this.started,
    }))
  }

  /** What hooks are told of every event. */
  event(): RequestEvent {
    return {
      requestId: this.requestId,
      method: this.method,
      version: this.version.name || undefined,
      route: this.route?.template,
      principal: this.principal,
    }
  }

  #findRoot(): string | undefined {
    if (this.#root !== undefined) return this.#root
    const address = this.service.address(this.req)
    const { mountPath, mountTail } = this.#entrance
    if (address !== undefined) this.#root = rootOf(this.service.fixedAddress ? mountTail : mountPath, address)
    return this.#root
  }
}

/** Puts a tail behind a text. The same two in a row give the very same text, which is compared and looked up without a look at its characters. */
function lastJoined(): (tail: string, text: string) => string {
  let last = { tail: '', text: '', joined: '' }
  return (tail, text) => {
    if (last.text !== text || last.tail !== tail) last = { tail, text, joined: text + tail }
    return last.joined
  }
}

const rootOf = lastJoined()
const baseOf = lastJoined()

/** True where a version may have something at a path below it. */
function serves({ table, routes }: ServedVersion, path: string): boolean {
  const segments = decodeSegments(path)
  return segments !== undefined && (table.match(segments) !== undefined || routes !== undefined)
}

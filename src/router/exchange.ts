/**
 * The `Exchange` object holds a request and everything that the steps of the pipeline add to it.
 * Each step gets this object with the type of a stage, which declares only the fields that earlier
 * steps have set (stages.ts). Only walk.ts sets the fields that steps add.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Idempotency } from '../adapters/contract.js'
import { type Action, type Decided, decide, type Permission } from '../auth/permission.js'
import type { ModedClause } from '../conventions/clauses.js'
import { Findings, reportFinding } from '../conventions/finding.js'
import { type Legacy, legacyOf, type Modes, modesOf } from '../conventions/modes.js'
import type { Convention } from '../conventions/options.js'
import { type KeyValue, lastKey, segmentOf } from '../definition/key.js'
import { requestIdOf, traceparentOf } from '../http/request-id.js'
import { safeMethods } from '../http/safe-methods.js'
import { privateCaching } from '../middleware/authenticate.js'
import { malformedHost } from '../middleware/base-address.js'
import { type Conditions, unconditional } from '../middleware/if-match.js'
import { notify } from '../notify.js'
import { collectionPath, itemPath } from '../plan/addresses.js'
import type { CompiledMethod } from '../plan/endpoint-plan.js'
import type { Mounted, Route } from '../plan/routes.js'
import { ConfigurationError } from '../problem.js'
import { json, type Representation } from '../representation/encoding.js'
import { boundedName } from '../usage/names.js'
import { countCall, knownVersionAndRoute } from './counted-call.js'
import type { Hooks, RequestEvent } from './hooks.js'
import { noticesOf } from './notices.js'
import type { Operation, Outcome } from './operations/operation.js'
import { type CallCounts, Progress } from './progress.js'
import { RouteName } from './route-name.js'
import type { ServedVersion, Versions } from './served-version.js'
import type { Service } from './service.js'
import type { AnyStage, Entrance, Input } from './stages.js'
import { requestTimeLimit, type TimeLimit } from './time-limit.js'

const none: readonly never[] = Object.freeze([])

const uncounted: CallCounts = Object.freeze({ queries: 0, rows: 0, waited: 0 })

export class Exchange implements AnyStage {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly service: Service
  readonly permission: Permission | undefined
  readonly entrance: Entrance
  readonly versions: Versions | undefined
  readonly requestId: string
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly reads: boolean
  readonly path: string
  readonly rawQuery: string
  readonly mayBeInTransaction = false
  readonly progress = new Progress()
  version: ServedVersion | undefined
  principal: unknown
  authenticated = false
  route: Route<Operation> | undefined
  keys: readonly KeyValue[] = none
  endpointMethod: CompiledMethod | undefined
  operation: Operation | undefined
  allow = ''
  representation: Representation = json
  query: Input['query']
  expand: readonly string[] = none
  body: unknown
  idempotency: Idempotency | undefined
  conditions: Conditions = unconditional
  outcome: Outcome | undefined
  #started: number | undefined
  #root: string | undefined
  #base: string | undefined
  #timeLimit: TimeLimit | undefined
  #routeName: RouteName | undefined
  #findings: Findings | undefined
  #ended: ((status: number | undefined) => void) | undefined

  constructor(req: IncomingMessage, res: ServerResponse, service: Service, entrance: Entrance) {
    this.req = req
    this.res = res
    this.service = service
    this.permission = service.permission
    this.entrance = entrance
    this.versions = entrance.versions
    this.path = entrance.path
    this.rawQuery = entrance.rawQuery
    this.method = req.method ?? 'GET'
    this.reads = safeMethods.has(this.method)
    this.headers = req.headers
    this.requestId = requestIdOf(req, this.headers)
    this.#started =
      service.hooks.onResponse === undefined && service.rateLimit === undefined ? undefined : performance.now()
  }

  /**
   * The time at which the request arrived, in milliseconds. Reading the clock has a cost. So if the
   * service has neither `onResponse` nor a rate limit, the clock is read later: when the time limit
   * first needs this time.
   */
  get started(): number {
    this.#started ??= performance.now()
    return this.#started
  }

  get root(): string {
    const root = this.#findRoot()
    if (root === undefined) throw malformedHost()
    return root
  }

  /**
   * Like `root`, but never throws: if `Host` is malformed, this is only the mount path. The
   * response that refuses such a request can have a `Link` to a successor, and that link begins
   * with this path.
   */
  get rootOrPath(): string {
    return this.#findRoot() ?? this.entrance.mountPath
  }

  get timeLimit(): TimeLimit {
    this.#timeLimit ??= requestTimeLimit(this)
    return this.#timeLimit
  }

  get routeName(): RouteName {
    this.#routeName ??= new RouteName(this)
    return this.#routeName
  }

  /** The absolute URL of the version. Links begin with this URL. */
  get base(): string {
    if (this.#base !== undefined) return this.#base
    const name = this.version?.name ?? ''
    this.#base = name === '' ? this.root : `${this.root}/${name}`
    return this.#base
  }

  /**
   * The path of the requested list. The list of an associated sub-collection is below an item of
   * the parent, such as `/v1/clients/7/orders`.
   */
  get listPath(): string {
    const { route, keys, resource } = this
    const name = this.version?.name ?? ''
    const from = name === '' ? '' : `/${name}`
    if (route?.association === undefined) return from + collectionPath(resource, keys)
    const { parent, as } = route.association
    return `${from}${itemPath(parent, keys)}/${segmentOf(as)}`
  }

  get resource(): Mounted {
    const resource = this.route?.resource
    if (resource === undefined) throw new Error('This route has no resource.')
    return resource
  }

  /** The time limit of the response, in milliseconds. */
  get timeout(): number {
    return this.endpointMethod?.timeout ?? this.service.timeout
  }

  get key(): KeyValue {
    return lastKey(this.keys)
  }

  withOwnAdapter(mounted: Mounted): Mounted {
    return mounted
  }

  get instance(): string {
    const { mountPath, versionName } = this.entrance
    return `${mountPath}${versionName === '' ? '' : `/${versionName}`}${this.path}`
  }

  get cacheControl(): string {
    return this.authenticated ? privateCaching : 'no-cache'
  }

  decide(action: Action, resource: string, key?: KeyValue): Decided {
    const { permission } = this
    if (permission === undefined) return 'allow'
    if (!this.authenticated) {
      throw new ConfigurationError(
        'middleware-missing',
        'This service has the option "permission", but this request was not authenticated. ' +
          'Set the option "authenticate", for example to bearer({ keys }), or mount an authenticating ' +
          'middleware before the service.',
      )
    }
    return this.timeLimit.waitFor(decide(permission, this.principal, { action, resource, key }))
  }

  notices(): Readonly<Record<string, string>> | undefined {
    return noticesOf(this)
  }

  followHandWrittenRoutes(mountPath: string): void {
    const { usage, conventions } = this.service
    if ((this.#routeName ?? this.progress.counts ?? usage) !== undefined || conventions.length > 0)
      this.routeName.followHandWrittenRoutes(mountPath)
  }

  forgetHandWrittenRoute(): void {
    this.#routeName?.forgetHandWrittenRoute()
  }

  respondedWith(status: number): void {
    const { progress } = this
    if (!progress.markResponded()) return
    this.#noteOperation()
    this.#ended?.(status)
    const { hooks, usage } = this.service
    if (usage !== undefined) countCall(this, usage)
    // Without `onResponse`, this check saves the call of `notify`.
    if (hooks.onResponse === undefined) return
    notify(
      hooks.onResponse,
      () => ({
        ...this.event(),
        status,
        code: progress.problem?.code,
        clause: progress.problem?.clause,
        duration: performance.now() - this.started,
        ...(progress.counts ?? uncounted),
        deprecatedUses: progress.deprecatedUses,
      }),
      this.req,
    )
  }

  /**
   * Records that the request used a deprecated operation, if a hook, a channel or `usage` reports
   * it.
   */
  #noteOperation(): void {
    const { usage, hooks } = this.service
    const parts = this.version?.table.parts
    if (parts === undefined || (usage ?? hooks.onResponse ?? this.#ended) === undefined) return
    const found = parts.at(this.method, this.path)
    if ((found?.life.deprecated ?? found?.life.sunset) !== undefined)
      this.progress.noteDeprecated('operation', [`${this.method} ${found?.template}`])
  }

  /**
   * Sets the function that is called at the end of the request: with the status when the response
   * is written, or with `undefined` if the connection closes before a response begins.
   */
  whenEnded(ended: (status: number | undefined) => void): void {
    this.#ended = ended
  }

  /**
   * Called when `res` closes. Reports a response that has not been reported yet, such as a response
   * that hand-written routes or a CORS middleware have sent, perhaps only in part.
   */
  closed(): void {
    if (this.res.headersSent) this.respondedWith(this.res.statusCode)
    else this.#ended?.(undefined)
  }

  event(): RequestEvent {
    const { routeName } = this
    return {
      requestId: this.requestId,
      method: this.method,
      // The response for a retired part is sent before the version is set on the exchange.
      version:
        (this.version?.name ?? (routeName.route === undefined ? undefined : this.entrance.versionName)) || undefined,
      route: routeName.belowVersion,
      httpRoute: routeName.whole,
      collection: routeName.route?.resource?.plan.collection,
      operation: routeName.route?.operations.get(this.method)?.name,
      traceparent: traceparentOf(this.headers),
      principal: this.principal,
    }
  }

  legacy<C extends ModedClause>(clause: C): Legacy<C> | undefined {
    const { conventions } = this.service
    if (conventions.length === 0) return undefined
    return legacyOf(this.route === undefined ? this.#earlyModes(conventions) : this.route.modes, clause, this)
  }

  get onConventionExpired(): Hooks['onConventionExpired'] {
    return this.service.hooks.onConventionExpired
  }

  finding(clause: string, detail: string): void {
    const name = boundedName(detail)
    this.#findings ??= new Findings()
    if (!this.#findings.isNew(clause, name)) return
    const { req, principal, method, service } = this
    const place = { req, principal, method, ...knownVersionAndRoute(this) }
    reportFinding({ onFinding: service.hooks.onFinding, usage: service.usage }, clause, name, place)
  }

  /**
   * Returns the modes of the clauses (whether and how each clause is enforced), for a request whose
   * route is not set. Such a request ends before the step `route`, or is handled by hand-written
   * routes.
   */
  #earlyModes(conventions: readonly Convention[]): Modes | undefined {
    const { route, belowVersion } = this.routeName
    return route === undefined ? modesOf(conventions, this.entrance.versionName, belowVersion) : route.modes
  }

  #findRoot(): string | undefined {
    if (this.#root !== undefined) return this.#root
    const { mountPath, mountPathFromVersion } = this.entrance
    const address = this.service.address(this.req)
    if (address !== undefined) this.#root = address + (this.service.fixedAddress ? mountPathFromVersion : mountPath)
    return this.#root
  }
}

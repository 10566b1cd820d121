/** Resolves the options of a service once. */

import type { IncomingMessage } from 'node:http'
import type { Permission } from '../auth/permission.js'
import { Caches, cachesOf } from '../cache.js'
import { pageKinds, resolvePage } from '../definition/resolve-resource.js'
import type { PageOptions } from '../definition/resource.js'
import { defaultMaxConcurrent, type Load } from '../limits/load.js'
import type { Authenticate } from '../middleware/authenticate.js'
import { type BaseAddress, baseAddress, baseAddressKinds } from '../middleware/base-address.js'
import { bodyLimitKinds, resolveBodyLimits } from '../middleware/body.js'
import type { CrossOrigin } from '../middleware/cross-origin.js'
import type { Login } from '../middleware/login.js'
import type { Middleware } from '../middleware/middleware.js'
import { patchTypes } from '../middleware/patch-types.js'
import type { RateLimit } from '../middleware/rate-limit.js'
import { invalidOption } from '../options/check.js'
import { count, functionBy, type Kinds, withMethod } from '../options/kinds.js'
import { type CustomRepresentation, representationsKind, representationsOption } from '../plan/custom-representation.js'
import type { ServiceFacts } from '../plan/description.js'
import { type DeleteStatus, deleteStatuses } from '../plan/operation.js'
import { Reuse } from '../representation/reuse.js'
import { type Usage, usageKind } from '../usage/usage.js'
import { header } from '../wire.js'
import { type Adoption, type AdoptionOptions, adoptionKinds, resolveAdoption } from './adoption.js'
import type { Documents } from './documents.js'
import { Formats } from './formats.js'
import { type Hooks, reportToConsole } from './hooks.js'
import { KeyQueue } from './key-queue.js'

/**
 * The options of both `api` and `resourceRouter`. `P` is the type of the principal from
 * `authenticate` or `principal`.
 */
export interface ServiceOptions<P = unknown> extends Hooks, AdoptionOptions {
  /**
   * The absolute address before `{version}`, such as `https://api.example.com/private`. Default:
   * taken from the request as far as `trust proxy` allows (REP-5).
   */
  readonly baseUrl?: string | undefined
  /**
   * Finds the principal: `bearer({ keys })`, `publicToken({ keys })` or an `authenticate({ ... })`
   * of your own (AUTH). Default: the principal set by such a middleware in front, if any.
   */
  readonly authenticate?: Authenticate<P> | undefined
  /**
   * Replaces `authenticate` in services that already authenticate elsewhere. Returns the principal
   * or a promise of it. An error that it throws becomes the response. `req` may be typed as
   * Express's own.
   */
  principal?(req: IncomingMessage): P | PromiseLike<P>
  /**
   * Decides which caller may do what (AUTH-4): `scopePermission()`, or a function of your own.
   * Default: every request is allowed.
   */
  readonly permission?: Permission<P> | undefined
  /**
   * Names the owner of an `Idempotency-Key`. The name must be unique to each caller, since an equal
   * key of the same caller is a repeat (VERB-12). Default: the principal's `sub`, with its `iss`,
   * or the principal itself if it is a string or a number. If none of these exists and this
   * function returns no name, a POST with a key is a 500 with a log entry.
   */
  idempotencyOwner?(principal: P, req: IncomingMessage): string | undefined
  /**
   * Limits the requests of a principal, or of an address (LIMIT-1): `rateLimit({ limit: 600 })`.
   * Default: no limit.
   */
  readonly rateLimit?: RateLimit | undefined
  /**
   * Counts calls by version, route and client: `usage({ store, client: 'token' })`. Default: no
   * counts.
   */
  readonly usage?: Usage | undefined
  /**
   * Answers CORS preflights and sets CORS headers before authentication (HDR-7): `crossOrigin({
   * origins })`. Default: none.
   */
  readonly cors?: Middleware | undefined
  /** Answers an update or delete without `If-Match` with 428 (HDR-3). Default false. */
  readonly requireIfMatch?: boolean
  /**
   * Accepts a weak tag in `If-Match`, for proxies that weaken tags when they compress (HDR-3).
   * Default false.
   */
  readonly weakIfMatch?: boolean
  /** The status of a successful DELETE, which never has a body (VERB-6). Default 204. */
  readonly deleteStatus?: DeleteStatus
  /**
   * Media types in addition to JSON and XML, for every resource (HDR-1):
   * `[representation('text/csv', { list: toCsv })]`.
   */
  readonly representations?: readonly CustomRepresentation[]
  /**
   * Accepts JSON Patch (RFC 6902) in addition to merge patches (VERB-5), from callers who may read
   * the item. Default false.
   */
  readonly jsonPatch?: boolean
  /** Page sizes of resources that set none. */
  readonly page?: PageOptions
  /** The maximum size of a request body in bytes. Default 1 MiB. */
  readonly bodyLimit?: number
  /** The maximum nesting depth of arrays and objects in a body. Default 32. */
  readonly depthLimit?: number
  /**
   * The time limit of a response in milliseconds, including reading the body and calling adapters.
   * After it the response is 503 (408 if the body is incomplete). Default 30,000.
   */
  readonly timeout?: number
  /**
   * The maximum number of requests that execute at once; `Infinity` for no limit. Beyond it a
   * request is 503 with `Retry-After`, before its credentials and body are read (ERR-1), so that
   * running requests finish in time. Default 1,000.
   */
  readonly maxConcurrent?: number
  /**
   * The prefix of a problem's `type`: the address where a team publishes docs/errors.md. Default
   * `tag:express-rest-conventions,2026:errors`, which can't be dereferenced.
   */
  readonly problemBase?: string
  /**
   * `false` disables all caches, to find out whether a cache causes a wrong response or holds
   * memory. It also disables the caches of the `authenticate`, `rateLimit` and `cors` given here,
   * including for other services that share them. Adapters have their own caches. Default: true.
   */
  readonly caches?: boolean
}

export interface Service extends Adoption {
  readonly hooks: Hooks
  /** True if there are hooks other than `onError`. */
  readonly observes: boolean
  /**
   * Returns the absolute base address for a request: `baseUrl`, or the address derived from the
   * request; `undefined` if the request's host is malformed.
   */
  readonly address: BaseAddress
  /** True if `address` is the same for every request. */
  readonly fixedAddress: boolean
  /** The option `baseUrl`. */
  readonly root: string | undefined
  readonly authenticate: Authenticate | undefined
  readonly principal: ((req: IncomingMessage) => unknown) | undefined
  readonly permission: Permission | undefined
  readonly idempotencyOwner: ((principal: unknown, req: IncomingMessage) => unknown) | undefined
  readonly rateLimit: RateLimit | undefined
  readonly usage: Usage | undefined
  readonly login: Login | undefined
  /** Header fields of every response. */
  readonly secureHeaders: Readonly<Record<string, string>> | undefined
  /** `Vary` of responses with a representation (HDR-1, HDR-6). */
  readonly vary: string
  /** `Vary` of responses to changes, whose body depends on `Prefer` (RFC 7240 2, RFC 5789 2). */
  readonly varyOfChange: string
  readonly cors: CrossOrigin | Middleware | undefined
  readonly requireIfMatch: boolean
  readonly weakIfMatch: boolean
  readonly deleteStatus: DeleteStatus
  readonly jsonPatch: boolean
  /** The media types that PATCH of an item accepts. */
  readonly patchTypes: readonly string[]
  readonly page: PageOptions
  readonly bodyLimit: number
  readonly depthLimit: number
  readonly timeout: number
  /** The number of requests that are executing. */
  readonly load: Load
  readonly problemBase: string | undefined
  /** All caches of the service. */
  readonly caches: Caches
  /** The cache of rendered bytes. */
  readonly reuse: Reuse
  /** The media types available at each address. */
  readonly formats: Formats
  /** The documents that the service serves. `api` sets them, since they need the versions. */
  readonly documents: { current: Documents | undefined }
  /** The facts about the service that documents describe. */
  readonly facts: ServiceFacts
  /** Serializes updates without `If-Match` to the same key. */
  readonly queue: KeyQueue
}

/** The kind of every option of both `api` and `resourceRouter`. */
export const serviceKinds: Kinds<ServiceOptions> = {
  ...baseAddressKinds,
  authenticate: {
    by: 'the result of bearer(), publicToken() or authenticate(); pass a function of your own as the option principal',
    is: (value) => typeof value === 'function' && typeof (value as Partial<Authenticate>).identify === 'function',
  },
  principal: 'function',
  permission: 'function',
  idempotencyOwner: 'function',
  rateLimit: withMethod('the result of rateLimit(), such as rateLimit({ limit: 600 })', 'count'),
  usage: usageKind,
  cors: functionBy('the result of crossOrigin(), such as crossOrigin({ origins })'),
  requireIfMatch: 'boolean',
  weakIfMatch: 'boolean',
  deleteStatus: { oneOf: deleteStatuses },
  representations: representationsKind,
  jsonPatch: 'boolean',
  page: { options: pageKinds },
  ...bodyLimitKinds,
  maxConcurrent: [count, { oneOf: [Number.POSITIVE_INFINITY] }],
  ...adoptionKinds,
  problemBase: 'string',
  caches: 'boolean',
  onStep: 'function',
  onQuery: 'function',
  onResponse: 'function',
  onError: 'function',
  onFinding: 'function',
  onConventionExpired: 'function',
}

/** Resolved options that only `api` has. */
export interface Surroundings {
  readonly login?: Login | undefined
  readonly secureHeaders?: Readonly<Record<string, string>> | undefined
}

/**
 * Resolves options whose kinds are already checked. Throws `ConfigurationError` if they contradict
 * each other.
 */
export function resolveService(options: ServiceOptions, { login, secureHeaders }: Surroundings = {}): Service {
  const { baseUrl, deleteStatus = 204, jsonPatch = false } = options
  if (options.authenticate !== undefined && options.principal !== undefined)
    throw invalidOption('authenticate and principal both set the principal. Give only one of them.')
  const { timeout, bodyLimit, depthLimit } = resolveBodyLimits(options)
  const { maxConcurrent = defaultMaxConcurrent } = options
  const vary = options.authenticate === undefined ? header.accept : `${header.accept}, ${options.authenticate.field}`
  const { onStep, onQuery, onResponse, onError = reportToConsole, onFinding, onConventionExpired } = options
  const address = baseAddress({ baseUrl })
  // With a `baseUrl`, the address does not depend on the request.
  const root = baseUrl === undefined ? undefined : address({} as IncomingMessage)
  const representations = representationsOption('the service', options.representations)
  const requireIfMatch = options.requireIfMatch ?? false
  const adoption = resolveAdoption(options)
  const caches = new Caches(options.caches)
  for (const part of [options.authenticate, options.rateLimit, options.cors]) caches.include(cachesOf(part))
  return Object.freeze({
    hooks: {
      ...(onStep === undefined ? {} : { onStep }),
      ...(onQuery === undefined ? {} : { onQuery }),
      ...(onResponse === undefined ? {} : { onResponse }),
      ...(onFinding === undefined ? {} : { onFinding }),
      ...(onConventionExpired === undefined ? {} : { onConventionExpired }),
      onError,
    },
    observes: (onStep ?? onQuery ?? onResponse) !== undefined,
    address,
    fixedAddress: baseUrl !== undefined,
    root,
    authenticate: options.authenticate,
    principal: options.principal,
    permission: options.permission,
    idempotencyOwner: options.idempotencyOwner,
    rateLimit: options.rateLimit,
    usage: options.usage,
    login,
    secureHeaders,
    vary,
    varyOfChange: `${vary}, ${header.prefer}`,
    cors: options.cors,
    requireIfMatch,
    weakIfMatch: options.weakIfMatch ?? false,
    deleteStatus,
    jsonPatch,
    patchTypes: patchTypes(jsonPatch),
    page: resolvePage('the service', options.page),
    ...adoption,
    bodyLimit,
    depthLimit,
    timeout,
    load: { maxConcurrent, executing: 0 },
    problemBase: options.problemBase,
    caches,
    reuse: new Reuse(caches),
    formats: new Formats(representations, caches),
    documents: { current: undefined },
    facts: {
      root,
      authenticate: options.authenticate,
      identifies: options.authenticate !== undefined || options.principal !== undefined,
      login: login !== undefined,
      permission: options.permission !== undefined,
      rateLimit: options.rateLimit !== undefined,
      cors: options.cors !== undefined,
      requireIfMatch,
      conventions: adoption.conventions,
      bodyLimit,
      deleteStatus,
      patchTypes: patchTypes(jsonPatch),
      representations,
      problemBase: options.problemBase,
    },
    queue: new KeyQueue(),
  })
}

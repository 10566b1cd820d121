/** Resolves the options of a service once, when the service is created. */

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
 * The options that `api` and `resourceRouter` have in common. `P` is the type of the principal that
 * `authenticate` or `principal` returns.
 */
export interface ServiceOptions<P = unknown> extends Hooks, AdoptionOptions {
  /**
   * The absolute URL of the service, without the version: `https://api.example.com/private`.
   * Default: the URL is derived from each request. Express's setting `trust proxy` decides whether
   * the headers of a proxy are used (REP-5).
   */
  readonly baseUrl?: string | undefined
  /**
   * Authenticates requests and finds the principal of each request (AUTH): `bearer({ keys })`,
   * `publicToken({ keys })`, or `authenticate({ ... })` with your own function. Default: the
   * principal that an authenticating middleware in front of the service has set, if there is one.
   */
  readonly authenticate?: Authenticate<P> | undefined
  /**
   * Returns the principal, or a promise of the principal. Use this option instead of `authenticate`
   * if the service already authenticates requests elsewhere. If the function throws an error, the
   * error becomes the response. The function may declare `req` with Express's own request type.
   */
  principal?(req: IncomingMessage): P | PromiseLike<P>
  /**
   * Decides which actions a caller may perform (AUTH-4): `scopePermission()`, or a function of your
   * own. Default: every request is allowed.
   */
  readonly permission?: Permission<P> | undefined
  /**
   * Returns a name for the caller that owns an `Idempotency-Key`. Each caller must have a different
   * name, because a second request with the same key and owner counts as a retry (VERB-12).
   * Default: the principal's `sub` with its `iss`, or the principal itself if it is a string, a
   * number or plain data. Without a principal, all callers share one owner. If the owner can't be
   * determined, a POST with a key gets a 500, and the error is logged.
   */
  idempotencyOwner?(principal: P, req: IncomingMessage): string | undefined
  /**
   * Limits the number of requests of each principal, or of each client IP address if there is no
   * principal (LIMIT-1): `rateLimit({ limit: 600 })`. Default: no limit.
   */
  readonly rateLimit?: RateLimit | undefined
  /**
   * Counts calls by version, route and client: `usage({ store, client: 'token' })`. Default: no
   * counts.
   */
  readonly usage?: Usage | undefined
  /**
   * A middleware that responds to CORS preflights and sets CORS headers (HDR-7):
   * `crossOrigin({ origins })`. It runs before authentication. Default: none.
   */
  readonly cors?: Middleware | undefined
  /** If true, an update or delete without `If-Match` gets a 428 (HDR-3). Default false. */
  readonly requireIfMatch?: boolean
  /**
   * Accepts a weak entity tag in `If-Match`. Needed behind a proxy that makes entity tags weak when
   * it compresses responses (HDR-3). Default false.
   */
  readonly weakIfMatch?: boolean
  /**
   * The status of the response to a successful DELETE of an item. The response has no body
   * (VERB-6). Default 204.
   */
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
  /** Pagination settings for resources that do not set their own. */
  readonly page?: PageOptions
  /** The maximum size of a request body in bytes. Default 1 MiB. */
  readonly bodyLimit?: number
  /** The maximum nesting depth of arrays and objects in a body. Default 32. */
  readonly depthLimit?: number
  /**
   * The time limit for a response in milliseconds. The time includes reading the body and calling
   * adapters. When the limit is reached, the response is a 503, or a 408 if the body is still
   * incomplete. Default 30,000.
   */
  readonly timeout?: number
  /**
   * The maximum number of requests that execute at the same time. `Infinity` means no limit.
   * Further requests get a 503 with `Retry-After`, if possible before their credentials and body
   * are read (ERR-1). In this way, requests that are already running can finish within their time
   * limit. Default 1,000.
   */
  readonly maxConcurrent?: number
  /**
   * The prefix of the member `type` of a problem: the URL at which you publish docs/errors.md.
   * Default `tag:express-rest-conventions,2026:errors`, which is not the URL of a page.
   */
  readonly problemBase?: string
  /**
   * `false` disables all caches of the service. Use it to find out whether a cache is the cause of
   * a wrong response or of high memory use. The value `false` also disables the caches of the
   * adapters, and of the objects passed as `authenticate`, `rateLimit` and `cors`, even for other
   * services that share these objects. Default: true.
   */
  readonly caches?: boolean
}

export interface Service extends Adoption {
  readonly hooks: Hooks
  /** True if `onStep`, `onQuery` or `onResponse` is given. */
  readonly observes: boolean
  /**
   * Returns the absolute base URL for a request: `baseUrl`, or the URL derived from the request.
   * Returns `undefined` if the request's host is malformed.
   */
  readonly address: BaseAddress
  /** True if `address` is the same for every request. */
  readonly fixedAddress: boolean
  /** The option `baseUrl`, without a trailing slash. */
  readonly root: string | undefined
  readonly authenticate: Authenticate | undefined
  readonly principal: ((req: IncomingMessage) => unknown) | undefined
  readonly permission: Permission | undefined
  readonly idempotencyOwner: ((principal: unknown, req: IncomingMessage) => unknown) | undefined
  readonly rateLimit: RateLimit | undefined
  readonly usage: Usage | undefined
  readonly login: Login | undefined
  /** The security header fields of every response. `undefined` if the service does not set them. */
  readonly secureHeaders: Readonly<Record<string, string>> | undefined
  /** The value of `Vary` for responses with a representation (HDR-1, HDR-6). */
  readonly vary: string
  /**
   * The value of `Vary` for responses to changes. The body of such a response depends on `Prefer`
   * (RFC 7240 2, RFC 5789 2).
   */
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
  /** The number of requests that are executing, and its maximum. */
  readonly load: Load
  readonly problemBase: string | undefined
  /** All caches of the service. */
  readonly caches: Caches
  /** The cache of rendered bytes. */
  readonly reuse: Reuse
  /** Finds the representations that are available for the response to a request. */
  readonly formats: Formats
  /**
   * The OpenAPI documents and docs pages that the service serves. `api` sets them later, because
   * they describe the versions, which do not exist yet when the options are resolved.
   */
  readonly documents: { current: Documents | undefined }
  /** The facts about the service that its OpenAPI documents describe. */
  readonly facts: ServiceFacts
  /** Runs updates of the same record one after another, if `If-Match` names no version. */
  readonly queue: KeyQueue
}

/** The kind of value that each option in `ServiceOptions` accepts. */
export const serviceKinds: Kinds<ServiceOptions> = {
  ...baseAddressKinds,
  authenticate: {
    by: 'the result of bearer(), publicToken() or authenticate(); pass a function of your own as "principal"',
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
 * Resolves options that were already checked with `serviceKinds`. Throws `ConfigurationError` if
 * two options contradict each other.
 */
export function resolveService(options: ServiceOptions, { login, secureHeaders }: Surroundings = {}): Service {
  const { baseUrl, deleteStatus = 204, jsonPatch = false } = options
  if (options.authenticate !== undefined && options.principal !== undefined)
    throw invalidOption('The options "authenticate" and "principal" both set the principal. Give only one of them.')
  const { timeout, bodyLimit, depthLimit } = resolveBodyLimits(options)
  const { maxConcurrent = defaultMaxConcurrent } = options
  const vary = options.authenticate === undefined ? header.accept : `${header.accept}, ${options.authenticate.field}`
  const { onStep, onQuery, onResponse, onError = reportToConsole, onFinding, onConventionExpired } = options
  const address = baseAddress({ baseUrl })
  // With a `baseUrl`, the result does not depend on the request, so an empty object can replace the
  // request.
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

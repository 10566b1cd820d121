/** The options of a service, resolved once. */

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
import { type RateLimit, type Tally, tallyOf } from '../middleware/rate-limit.js'
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

/** The options that `api` and `resourceRouter` share. `P` is the type of the principal that `authenticate` or `principal` gives. */
export interface ServiceOptions<P = unknown> extends Hooks, AdoptionOptions {
  /** The absolute address before `{version}`, such as `https://api.example.com/private`. Default: taken from the request as far as `trust proxy` allows (REP-5). */
  readonly baseUrl?: string | undefined
  /** Finds the principal: `bearer({ keys })`, `publicToken({ keys })` or an `authenticate({ ... })` of your own (AUTH). Default: the principal of such a middleware in front, if any. */
  readonly authenticate?: Authenticate<P> | undefined
  /**
   * In place of `authenticate`, for services that already authenticate elsewhere. What it returns or resolves to is the principal; what it throws becomes the
   * answer. `req` may be typed as Express's own.
   */
  principal?(req: IncomingMessage): P | PromiseLike<P>
  /** Decides who may do what (AUTH-4): `scopePermission()`, or a function of your own. Default: every request is allowed. */
  readonly permission?: Permission<P> | undefined
  /**
   * Whose an `Idempotency-Key` is: a name that no two callers share, since an equal key of the same
   * caller is a repeat (VERB-12). Default: the principal's `sub`, with its `iss`, or the principal
   * where it is a text or a number. Where there is none of these and no name comes from here, a
   * POST with a key is a 500 that tells the log.
   */
  idempotencyOwner?(principal: P, req: IncomingMessage): string | undefined
  /** How many requests a principal, or an address, may send (LIMIT-1): `rateLimit({ limit: 600 })`. Default: no limit. */
  readonly rateLimit?: RateLimit | undefined
  /** Counts the calls by version, route and client: `usage({ store, client: 'token' })`. Default: none are counted. */
  readonly usage?: Usage | undefined
  /** Answers CORS preflights and sets CORS headers before authentication (HDR-7): `crossOrigin({ origins })`. Default: none. */
  readonly cors?: Middleware | undefined
  /** 428 where an update or delete comes without `If-Match` (HDR-3). Default false. */
  readonly requireIfMatch?: boolean
  /** A weak tag in `If-Match` counts as ours: for proxies that weaken tags when they compress (HDR-3). Default false. */
  readonly weakIfMatch?: boolean
  /** The status of a successful DELETE, which has no body in any case (VERB-6). Default 204. */
  readonly deleteStatus?: DeleteStatus
  /** Media types beside JSON and XML that everything can be had in (HDR-1): `[representation('text/csv', { list: toCsv })]`. */
  readonly representations?: readonly CustomRepresentation[]
  /** PATCH takes JSON Patch (RFC 6902) beside merge patches (VERB-5), from callers who may read the item. Default false. */
  readonly jsonPatch?: boolean
  /** Page sizes where a resource says nothing. */
  readonly page?: PageOptions
  /** The most bytes of a request body. Default 1 MiB. */
  readonly bodyLimit?: number
  /** How deep arrays and objects of a body may nest. Default 32. */
  readonly depthLimit?: number
  /** Milliseconds an answer may take, body and adapter included, before it is 503 (408 where the body is missing). Default 30,000. */
  readonly timeout?: number
  /**
   * How many requests may execute at once; `Infinity` is no bound. Beyond it a request is 503 with
   * `Retry-After` before its credentials and body are read (ERR-1), so that those that have begun
   * are finished in time. Default 1,000.
   */
  readonly maxConcurrent?: number
  /** What `type` of a problem begins with: the address where a team publishes docs/errors.md. Default `tag:express-rest-conventions,2026:errors`, which leads nowhere. */
  readonly problemBase?: string
  /**
   * `false` makes every answer anew: to find out whether a cache causes a wrong answer or holds
   * memory. It also switches off the caches of the `authenticate`, `rateLimit` and `cors` given
   * here, also for other services that share them. Adapters have their own. Default: true.
   */
  readonly caches?: boolean
}

export interface Service extends Adoption {
  readonly hooks: Hooks
  /** True where a hook is notified of more than errors. */
  readonly observes: boolean
  /** The absolute address of a request: `baseUrl`, or as it came; `undefined` where its host is malformed. */
  readonly address: BaseAddress
  /** True where `address` is the same for every request. */
  readonly fixedAddress: boolean
  /** The option `baseUrl`. */
  readonly root: string | undefined
  readonly authenticate: Authenticate | undefined
  readonly principal: ((req: IncomingMessage) => unknown) | undefined
  readonly permission: Permission | undefined
  readonly idempotencyOwner: ((principal: unknown, req: IncomingMessage) => unknown) | undefined
  readonly rateLimit: RateLimit | undefined
  /** Counts a request against `rateLimit`. */
  readonly tally: Tally | undefined
  readonly usage: Usage | undefined
  readonly login: Login | undefined
  /** Header fields of every answer. */
  readonly secureHeaders: Readonly<Record<string, string>> | undefined
  /** `Vary` of answers with a representation (HDR-1, HDR-6). */
  readonly vary: string
  /** `Vary` of answers to changes, whose body depends on `Prefer` (RFC 7240 2, RFC 5789 2). */
  readonly varyOfChange: string
  readonly cors: CrossOrigin | Middleware | undefined
  readonly requireIfMatch: boolean
  readonly weakIfMatch: boolean
  readonly deleteStatus: DeleteStatus
  readonly jsonPatch: boolean
  /** The media types of a PATCH of an item. */
  readonly patchTypes: readonly string[]
  readonly page: PageOptions
  readonly bodyLimit: number
  readonly depthLimit: number
  readonly timeout: number
  /** How many requests execute now. */
  readonly load: Load
  readonly problemBase: string | undefined
  /** All its caches. */
  readonly caches: Caches
  /** Its rendered bytes. */
  readonly reuse: Reuse
  /** The media types of each address. */
  readonly formats: Formats
  /** The documents that it serves, which `api` adds: they need the versions. */
  readonly documents: { current: Documents | undefined }
  /** The options that documents describe. */
  readonly facts: ServiceFacts
  /** Untagged updates of one key wait for each other. */
  readonly queue: KeyQueue
}

/** The kind of every option that `api` and `resourceRouter` share. */
export const serviceKinds: Kinds<ServiceOptions> = {
  ...baseAddressKinds,
  authenticate: {
    by: 'what bearer(), publicToken() or authenticate() made; a function of your own is the option principal',
    is: (value) => typeof value === 'function' && typeof (value as Partial<Authenticate>).identify === 'function',
  },
  principal: 'function',
  permission: 'function',
  idempotencyOwner: 'function',
  rateLimit: withMethod('what rateLimit() made, such as rateLimit({ limit: 600 })', 'count'),
  usage: usageKind,
  cors: functionBy('what crossOrigin() made, such as crossOrigin({ origins })'),
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

/** Options of `api` alone, resolved. */
export interface Surroundings {
  readonly login?: Login | undefined
  readonly secureHeaders?: Readonly<Record<string, string>> | undefined
}

/** Resolves options whose kinds were checked. Throws `ConfigurationError` where they contradict each other. */
export function resolveService(options: ServiceOptions, { login, secureHeaders }: Surroundings = {}): Service {
  const { baseUrl, deleteStatus = 204, jsonPatch = false } = options
  if (options.authenticate !== undefined && options.principal !== undefined)
    throw invalidOption('authenticate and principal both find the principal. Give one of them.')
  const { timeout, bodyLimit, depthLimit } = resolveBodyLimits(options)
  const { maxConcurrent = defaultMaxConcurrent } = options
  const vary = options.authenticate === undefined ? header.accept : `${header.accept}, ${options.authenticate.field}`
  const { onStep, onQuery, onResponse, onError = reportToConsole, onFinding, onConventionExpired } = options
  const address = baseAddress({ baseUrl })
  // It is the same whatever the request.
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
    tally: options.rateLimit && tallyOf(options.rateLimit),
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

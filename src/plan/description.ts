/**
 * The description of a service, from which OpenAPI documents are built. It contains the service's
 * versions with their routes, and the options that affect responses. The middleware has the
 * description as a property whose key is a global symbol. So one copy of the library can read a
 * description that another copy has made.
 */
import type { Convention } from '../conventions/options.js'
import { invalidOption } from '../options/check.js'
import type { CustomRepresentation } from './custom-representation.js'
import type { DeleteStatus } from './operation.js'
import type { RouteTable } from './routes.js'

/** The life cycle of a version. Times are milliseconds since 1970. */
export interface DescribedLife {
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  readonly retireAtSunset: boolean
  readonly successor: string | undefined
  /** The brownouts of the version: periods in which it is switched off (VER-3). */
  readonly brownouts?: { announced(now: number): readonly Readonly<Record<string, unknown>>[] } | undefined
}

/** One version: its routes and its life cycle. */
export interface DescribedVersion {
  /** The first path segment, such as `v1`. Empty for a `resourceRouter`. */
  readonly name: string
  readonly table: RouteTable
  readonly life: DescribedLife | undefined
}

/** The options of a service that are visible to clients. */
export interface ServiceFacts {
  /** The option `baseUrl`. */
  readonly root: string | undefined
  /**
   * The header field for credentials, and the challenge of a 401 response. `undefined` if the
   * service does not use the option `authenticate`.
   */
  readonly authenticate: { readonly field: string; readonly challenge: string; readonly format?: 'JWT' } | undefined
  /** Whether requests are authenticated, by the option `authenticate` or `principal`. */
  readonly identifies: boolean
  /** Whether the service has a login, at a path outside the versions (AUTH-2). */
  readonly login: boolean
  /** Whether permission is checked (AUTH-4). */
  readonly permission: boolean
  readonly rateLimit: boolean
  /** Whether the service responds to CORS preflights (HDR-7). */
  readonly cors: boolean
  readonly requireIfMatch: boolean
  /** The clauses that are not fully enforced, with their modes and expiry dates. */
  readonly conventions: readonly Convention[]
  /** The maximum size of a request body in bytes, unless an endpoint sets its own. */
  readonly bodyLimit: number
  readonly deleteStatus: DeleteStatus
  /** The media types that PATCH of an item accepts. */
  readonly patchTypes: readonly string[]
  /** Media types that every resource can respond with, in addition to JSON and XML. */
  readonly representations: readonly CustomRepresentation[]
  readonly problemBase: string | undefined
}

export interface ServiceDescription {
  readonly versions: ReadonlyMap<string, DescribedVersion | 'retired'>
  readonly facts: ServiceFacts
  /**
   * The options with which `api()` builds this service. From these options, the mock builds the
   * same service with other adapters. Absent if an older copy of the library created the service
   * without them.
   */
  readonly options?: object
}

const key = Symbol.for('express-rest-conventions.description')

/**
 * The version number of the description's format. It is incremented when the format changes in a
 * way that older copies of the library can't read.
 */
const formatVersion = 1

interface Described {
  readonly formatVersion: number
  readonly description: ServiceDescription
}

/** Attaches the description of a service to its middleware, and returns the middleware. */
export function describing<T extends object>(middleware: T, description: ServiceDescription): T {
  const described: Described = { formatVersion, description }
  return Object.defineProperty(middleware, key, { value: described })
}

/**
 * Returns the description of a service that `api()` or `resourceRouter()` returned. Returns
 * `undefined` for any other value, and for a service whose description has another format.
 */
export function descriptionOf(service: unknown): ServiceDescription | undefined {
  const described = describedBy(service)
  return described?.formatVersion === formatVersion ? described.description : undefined
}

/**
 * Returns the description of the service that was passed to the function `what`, such as
 * `openapi()`. Throws `ConfigurationError` if the value is not a service, or if an incompatible
 * version of the library created it.
 */
export function requireDescription(what: string, service: unknown): ServiceDescription {
  const described = describedBy(service)
  if (described === undefined)
    throw invalidOption(`${what} got no service. Give the result of api() or resourceRouter().`)
  if (described.formatVersion === formatVersion) return described.description
  throw invalidOption(
    `${what} got a service that another version of express-rest-conventions created, and can't read its description. ` +
      'Import all functions from one version: npm ls express-rest-conventions lists the installed versions.',
  )
}

function describedBy(service: unknown): Described | undefined {
  if (service === null || (typeof service !== 'object' && typeof service !== 'function')) return undefined
  return Reflect.get(service, key) as Described | undefined
}

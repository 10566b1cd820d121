/**
 * The description of a service, which documents are made of: its versions with their routes, and the
 * options that shape every answer. It is a property of the middleware, under a symbol that all copies
 * of the library share, so that one copy can read what another has made.
 */
import type { Convention } from '../conventions/options.js'
import { invalidOption } from '../options/check.js'
import type { CustomRepresentation } from './custom-representation.js'
import type { DeleteStatus } from './operation.js'
import type { RouteTable } from './routes.js'

/** The life of a version. Times are milliseconds since 1970. */
export interface DescribedLife {
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  readonly retireAtSunset: boolean
  readonly successor: string | undefined
  /** The times at which it answers nothing (VER-3). */
  readonly brownouts?: { announced(now: number): readonly Readonly<Record<string, unknown>>[] } | undefined
}

/** One version: its routes, and how long it lives. */
export interface DescribedVersion {
  /** The segment, such as `v1`; empty where the router stands alone. */
  readonly name: string
  readonly table: RouteTable
  readonly life: DescribedLife | undefined
}

/** The options of a service that clients notice. */
export interface ServiceFacts {
  /** The option `baseUrl`. */
  readonly root: string | undefined
  /** The header that credentials come in and its challenge, where the service authenticates by itself. */
  readonly authenticate: { readonly field: string; readonly challenge: string; readonly format?: 'JWT' } | undefined
  /** Whether requests are authenticated: by `authenticate` or by `principal`. */
  readonly identifies: boolean
  /** Whether there is a login beside the versions (AUTH-2). */
  readonly login: boolean
  /** Whether a permission is asked (AUTH-4). */
  readonly permission: boolean
  readonly rateLimit: boolean
  /** Whether preflights of browsers are answered (HDR-7). */
  readonly cors: boolean
  readonly requireIfMatch: boolean
  /** The clauses that are not simply enforced, with the day until which. */
  readonly conventions: readonly Convention[]
  /** The most bytes of a request body, unless an endpoint has its own. */
  readonly bodyLimit: number
  readonly deleteStatus: DeleteStatus
  /** The media types of a PATCH of an item. */
  readonly patchTypes: readonly string[]
  /** Media types beside JSON and XML that everything can be had in. */
  readonly representations: readonly CustomRepresentation[]
  readonly problemBase: string | undefined
}

export interface ServiceDescription {
  readonly versions: ReadonlyMap<string, DescribedVersion | 'retired'>
  readonly facts: ServiceFacts
  /** The options as `api()` takes them, so that the same can be served over other data. Absent: another copy of the library made it. */
  readonly options?: object
}

const key = Symbol.for('express-rest-conventions.description')

/** Increased when the description changes so that older copies can't read it. */
const generation = 1

interface Described {
  readonly generation: number
  readonly description: ServiceDescription
}

/** Adds the description of a service to its middleware, and returns the middleware. */
export function describing<T extends object>(middleware: T, description: ServiceDescription): T {
  const described: Described = { generation, description }
  return Object.defineProperty(middleware, key, { value: described })
}

/** The description of what `api()` or `resourceRouter()` made; `undefined` for anything else. */
export function descriptionOf(service: unknown): ServiceDescription | undefined {
  const described = describedBy(service)
  return described?.generation === generation ? described.description : undefined
}

/**
 * The description of a service that `what`, such as `openapi()`, got. Throws `ConfigurationError`
 * where it is none, or where another version of the library made it that describes it otherwise.
 */
export function requireDescription(what: string, service: unknown): ServiceDescription {
  const described = describedBy(service)
  if (described === undefined) throw invalidOption(`${what} got no service. Give what api() or resourceRouter() made.`)
  if (described.generation === generation) return described.description
  throw invalidOption(
    `${what} got a service that another version of express-rest-conventions made, whose description it can not read. Import both from one version: npm ls express-rest-conventions lists the versions that are installed.`,
  )
}

function describedBy(service: unknown): Described | undefined {
  if (service === null || (typeof service !== 'object' && typeof service !== 'function')) return undefined
  return Reflect.get(service, key) as Described | undefined
}

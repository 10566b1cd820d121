/** The OpenAPI document of one version of a service, derived from its routes and schemas. */
import { didYouMean, nearMiss } from '../near-miss.js'
import { checkOptions, invalidOption } from '../options/check.js'
import {
  type DescribedLife,
  type DescribedVersion,
  requireDescription,
  type ServiceDescription,
  type ServiceFacts,
} from '../plan/description.js'
import { type OpenApiOptions, openApiKinds } from '../plan/document-options.js'
import type { Situation } from '../plan/endings.js'
import { earliest, type Life } from '../plan/life.js'
import type { OperationDescription } from '../plan/operation.js'
import { lifeOf, livingMethods } from '../plan/route-lives.js'
import type { Route } from '../plan/routes.js'
import { ConfigurationError } from '../problem.js'
import { header } from '../wire.js'
import { Components } from './components.js'
import type { DocumentOperation, OpenApiDocument } from './document.js'
import { checkExamples } from './examples.js'
import { addFragments } from './fragments.js'
import { withExamples } from './generated-examples.js'
import { loginPath } from './login.js'
import { Operations, tagOf } from './operations.js'
import { pathOf } from './path-parameters.js'
import { RecordSchemas } from './record-schemas.js'
import { securityOf } from './security.js'
import { withoutUnused } from './unused.js'
import { toVersion30 } from './version-30.js'

/**
 * Returns the OpenAPI document of a version as plain JSON: paths, parameters, bodies, responses,
 * headers and problems. `service` is the return value of `api()` or `resourceRouter()`. A
 * `resourceRouter` has no versions of its own, so give the name of the version below which the
 * router is mounted.
 *
 * Throws `ConfigurationError` if the version is not served, an option is invalid, two parts have
 * the same name, an example does not match its schema, or a schema has a keyword that a document
 * can't express.
 *
 * @example
 * const document = openapi(service, 'v1', { info: { title: 'Pieces', version: '1.4.0' } })
 * writeFileSync('v1.json', JSON.stringify(document))
 */
export function openapi(service: object, version: string, options: OpenApiOptions = {}): OpenApiDocument {
  const given = checkOptions<OpenApiOptions>('openapi()', options, openApiKinds)
  return describe(requireDescription('openapi()', service), version, given)
}

/** The parts of a document that depend on the request for it: the URL and the operations. */
export interface Asked {
  /** The absolute URL to which the name of the version is appended. */
  readonly root?: string
  /** Selects the operations to include. Default: all. */
  readonly wanted?: ((route: Route, operation: OperationDescription) => boolean) | undefined
}

/**
 * Builds the document from a description and checked options. Throws `ConfigurationError` for the
 * same reasons as `openapi`.
 */
export function describe(
  description: ServiceDescription,
  version: string,
  given: OpenApiOptions,
  asked: Asked = {},
): OpenApiDocument {
  const { described, facts } = describedVersion(description, version)
  // `facts.root` is the URL of the original service. A mock has another URL, and passes it in
  // `asked`.
  const root = asked.root ?? facts.root
  const components = new Components()
  const { info, servers, openapi: format = '3.1.1', externalDocs, fragments = [], examples } = given
  const { security, schemes } = securityOf(facts)
  const records = new RecordSchemas(components, facts.bodyLimit)
  const paths = pathsOf({ described, facts, wanted: asked.wanted }, components, records)
  if (facts.login) {
    if (paths['/login'] !== undefined) {
      throw new ConfigurationError(
        'description-clash',
        'The login of api() and the endpoint "login" have the same path "/login" in the document. Rename the endpoint.',
      )
    }
    paths['/login'] = loginPath(facts, root ?? '/', components)
  }
  for (const [name, scheme] of Object.entries(schemes)) components.share('securitySchemes', [name], scheme)
  const document: OpenApiDocument = {
    openapi: format,
    info: { title: version, version, ...info },
    servers: servers ?? [{ url: `${root ?? ''}/${version}`, ...audienceOf(facts) }],
    ...(security.length === 0 ? {} : { security }),
    tags: [
      ...tagsOf(described),
      ...(facts.login ? [{ name: 'login', description: 'Returns a token for a user and password (AUTH-2).' }] : []),
    ],
    paths,
    components: components.all(),
    ...(externalDocs === undefined ? {} : { externalDocs }),
    // The comparison of documents reads `x-sunset` to decide whether the version may be removed
    // (VER-3).
    ...(described.life?.sunset === undefined ? {} : { 'x-sunset': new Date(described.life.sunset).toISOString() }),
    ...announcement(described.life),
  }
  const added = addFragments(document, fragments)
  const complete = records.hasUnused || components.hasUnused ? withoutUnused(added, fragments) : added
  checkOperationIds(complete)
  const whole = examples === undefined ? complete : withExamples(complete, examples)
  if (components.hasExamples) checkExamples(whole)
  return format === '3.0.3' ? toVersion30(whole) : whole
}

/** Returns the members that announce the successor and the brownouts of a version (VER-3). */
function announcement(life: DescribedLife | undefined): Pick<OpenApiDocument, `x-${string}`> {
  const brownouts = life?.brownouts?.announced(Date.now()) ?? []
  return {
    ...(life?.successor === undefined ? {} : { 'x-successor': life.successor }),
    ...(brownouts.length === 0 ? {} : { 'x-brownouts': brownouts }),
  }
}

/**
 * Returns the member `x-internal`. An API whose tokens come from a login is public. An API whose
 * Bearer tokens are JSON Web Tokens is internal (AUTH-1..3). For other APIs, the member is left
 * out.
 */
function audienceOf({ authenticate, login }: ServiceFacts): { readonly 'x-internal'?: boolean } {
  if (login || authenticate?.field === header.token) return { 'x-internal': false }
  return authenticate?.format === 'JWT' ? { 'x-internal': true } : {}
}

/** Returns the version to describe. Throws `ConfigurationError` if the version is not served. */
function describedVersion(
  { versions, facts }: ServiceDescription,
  version: string,
): { readonly described: DescribedVersion; readonly facts: ServiceFacts } {
  const found = versions.get('') ?? versions.get(version)
  if (found !== undefined && found !== 'retired') return { described: found, facts }
  const living = [...versions].filter(([, entry]) => entry !== 'retired').map(([name]) => name)
  throw invalidOption(
    `openapi() got the version "${version}", which ${found === undefined ? 'is not served' : 'has retired'}. ` +
      (living.length === 0 ? 'All versions have retired.' : didYouMean(nearMiss(version, living), living, 'Versions')),
  )
}

/** The methods of a path, in the usual order of documents. */
const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** The members of a path item that are operations. TRACE occurs only in the option `fragments`. */
const methods = [...order, 'TRACE'].map((method) => method.toLowerCase())

type Paths = Record<string, Record<string, unknown>>

interface Wanted extends Pick<Asked, 'wanted'> {
  readonly described: DescribedVersion
  readonly facts: ServiceFacts
}

function pathsOf(
  { described: { table, life }, facts, wanted }: Wanted,
  components: Components,
  records: RecordSchemas,
): Paths {
  const operations = new Operations(components, records)
  const paths: Paths = {}
  for (const route of table.routes) {
    checkTexts(route)
    if (!isServed(route)) continue
    const served = new Set(livingMethods(route, Date.now()))
    const { path, parameters } = pathOf(route, records)
    const item: Record<string, unknown> = parameters.length === 0 ? {} : { parameters }
    for (const method of order) {
      const operation = route.operations.get(method)
      if (operation === undefined || !served.has(method) || wanted?.(route, operation) === false) continue
      const situation: Situation = { method, operation, route, facts, life: describedLife(life, lifeOf(route, method)) }
      item[method.toLowerCase()] = operations.of(situation)
    }
    paths[path] = item
  }
  return paths
}

/**
 * Returns whether the document describes a route. Retired routes are left out, because the response
 * to all of their methods is 410, even to an OPTIONS request that is not a preflight (VER-2).
 */
const isServed = (route: Route): boolean =>
  route.lives === undefined || livingMethods(route, Date.now()).some((method) => method !== 'OPTIONS')

/** Merges the life cycle of an operation with that of its version (VER-2, VER-3). */
function describedLife(life: DescribedLife | undefined, part: Life | undefined): DescribedLife | undefined {
  if (part === undefined) return life
  return {
    deprecated: earliest(part.deprecated, life?.deprecated),
    sunset: earliest(part.sunset, life?.sunset),
    retireAtSunset: part.retired !== undefined || life?.retireAtSunset === true,
    successor: part.use ?? life?.successor,
    brownouts: life?.brownouts,
  }
}

/**
 * Throws `ConfigurationError` if the option `describe` of a mount has texts for an operation that
 * does not exist.
 */
function checkTexts({ kind, resource, operations }: Route): void {
  if (kind !== 'collection' || resource === undefined) return
  const { collection, item, below, text } = resource
  if (text.operations === undefined) return
  const routes = [...below.values()].flatMap((entry) => (entry.kind === 'leaf' ? [entry.route] : []))
  const known = new Set(
    [...operations.values(), ...[collection, item, ...routes].flatMap((route) => [...route.operations.values()])].map(
      ({ name }) => name,
    ),
  )
  const attached = ['listMembers', 'createMember', 'readMember', 'attach', 'detach']
  const stray = Object.keys(text.operations).find((name) => !known.has(name) && !attached.includes(name))
  if (stray === undefined) return
  throw new ConfigurationError(
    'unknown-member',
    `The option "describe" of the mount of "${resource.plan.collection}" has texts for "${stray}", ` +
      'which is not one of its operations. ' +
      didYouMean(nearMiss(stray, known), [...known], 'Its operations are'),
  )
}

/**
 * Returns the tags of a document: one for each resource and each top-level endpoint, and `openapi`
 * if the version serves its own document.
 */
function tagsOf({ table }: DescribedVersion): NonNullable<OpenApiDocument['tags']> {
  const tags = new Map<string, { readonly name: string; readonly description?: string }>()
  for (const route of table.routes) {
    const name = tagOf({ route })
    if (tags.has(name) || !isServed(route)) continue
    const { resource, endpoint } = route
    const declared =
      resource?.text.description ??
      resource?.plan.definition.schema.description ??
      (resource === undefined ? endpoint?.description : undefined)
    const usual = resource === undefined ? 'The description of this version.' : `The operations on \`${name}\`.`
    const { description: _, operations: __, ...extensions } = resource?.text ?? {}
    tags.set(name, { name, description: typeof declared === 'string' ? declared : usual, ...extensions })
  }
  return [...tags.values()]
}

/**
 * Throws `ConfigurationError` if two operations have the same id, because a generated client would
 * have only one method for both.
 */
function checkOperationIds({ paths }: OpenApiDocument): void {
  const places = new Map<string, string>()
  for (const path of Object.keys(paths)) {
    const item = paths[path] ?? {}
    for (const method of methods) {
      const id = (item[method] as DocumentOperation | undefined)?.operationId
      if (id === undefined) continue
      const other = places.get(id)
      if (other !== undefined) throw sharedId(id, `${method.toUpperCase()} ${path}`, other)
      places.set(id, `${method.toUpperCase()} ${path}`)
    }
  }
}

const sharedId = (id: string, place: string, other: string): ConfigurationError =>
  new ConfigurationError(
    'description-clash',
    `${place} and ${other} have the same operation id "${id}". ` +
      'Set another "operationId" for one of them in "describe".',
  )

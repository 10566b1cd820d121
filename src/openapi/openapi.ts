/** An OpenAPI document of one version of a service, made of what serves its requests. */
import { nearMiss } from '../near-miss.js'
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
 * The OpenAPI document of a version of what `api()` or `resourceRouter()` made: paths, parameters,
 * bodies, answers, headers and problems, as they are served. It is plain JSON. Of a
 * `resourceRouter`, which knows no versions, `version` is the name of the one it is mounted below.
 *
 * Throws `ConfigurationError` where the version is not served, an option makes no sense, two things
 * would share a name, an example does not fit its schema, or a schema has a word that no document
 * can hold.
 *
 * @example writeFileSync('v1.json', JSON.stringify(openapi(service, 'v1', { info: { title: 'Pieces', version: '1.4.0' } })))
 */
export function openapi(service: object, version: string, options: OpenApiOptions = {}): OpenApiDocument {
  const given = checkOptions<OpenApiOptions>('openapi()', options, openApiKinds)
  return describe(requireDescription('openapi()', service), version, given)
}

/** What a service says when it describes itself to a request. */
export interface Asked {
  /** The absolute address before the version. */
  readonly root?: string
  /** Which operations are told. Default: all. */
  readonly wanted?: ((route: Route, operation: OperationDescription) => boolean) | undefined
}

/** The same of a description, with options of their kinds. Throws `ConfigurationError` as `openapi` does. */
export function describe(
  description: ServiceDescription,
  version: string,
  given: OpenApiOptions,
  asked: Asked = {},
): OpenApiDocument {
  const { described, facts } = describedVersion(description, version)
  // A mock stands for a service at another address.
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
        'The login of api() and the endpoint "login" would share the path "/login" of the document. Call the endpoint otherwise.',
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
      ...(facts.login ? [{ name: 'login', description: 'Tokens for user and password (AUTH-2).' }] : []),
    ],
    paths,
    components: components.all(),
    ...(externalDocs === undefined ? {} : { externalDocs }),
    // Not only a header field: whoever compares documents has to know when the version may go (VER-3).
    ...(described.life?.sunset === undefined ? {} : { 'x-sunset': new Date(described.life.sunset).toISOString() }),
    ...announcement(described.life),
  }
  const added = addFragments(document, fragments)
  const complete = records.hasStrays || components.hasStrays ? withoutUnused(added, fragments) : added
  checkOperationIds(complete)
  const whole = examples === undefined ? complete : withExamples(complete, examples)
  if (components.hasExamples) checkExamples(whole)
  return format === '3.0.3' ? toVersion30(whole) : whole
}

/** What its clients have to know of the end of a version: where to go, and when it answers nothing (VER-3). */
function announcement(life: DescribedLife | undefined): Pick<OpenApiDocument, `x-${string}`> {
  const brownouts = life?.brownouts?.announced(Date.now()) ?? []
  return {
    ...(life?.successor === undefined ? {} : { 'x-successor': life.successor }),
    ...(brownouts.length === 0 ? {} : { 'x-brownouts': brownouts }),
  }
}

/** Public APIs are those with tokens of a login, private ones have Bearer tokens (AUTH-1..3). Of others nobody knows. */
function audienceOf({ authenticate, login }: ServiceFacts): { readonly 'x-internal'?: boolean } {
  if (login || authenticate?.field === header.token) return { 'x-internal': false }
  return authenticate?.format === 'JWT' ? { 'x-internal': true } : {}
}

/** The version that is to be described. */
function describedVersion(
  { versions, facts }: ServiceDescription,
  version: string,
): { readonly described: DescribedVersion; readonly facts: ServiceFacts } {
  const found = versions.get('') ?? versions.get(version)
  if (found !== undefined && found !== 'retired') return { described: found, facts }
  const living = [...versions].filter(([, entry]) => entry !== 'retired').map(([name]) => name)
  const near = nearMiss(version, living)
  throw invalidOption(
    `openapi() got the version "${version}", which ${found === undefined ? 'is not served' : 'has retired'}. ${near === undefined ? `Give one of ${living.join(', ')}` : `Did you mean "${near}"?`}.`,
  )
}

/** The methods of a path in the order in which documents mostly have them. */
const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** The same as members of a path, with those that only fragments have. */
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

/** Of what has retired nothing is told: it is 410, OPTIONS too (VER-2). */
const isServed = (route: Route): boolean =>
  route.lives === undefined || livingMethods(route, Date.now()).some((method) => method !== 'OPTIONS')

/** The life of an operation: that of its version, and what is said of its own (VER-2, VER-3). */
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

/** Text for an operation that there is not would be nowhere, and nobody would notice. */
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
  const near = nearMiss(stray, [...known])
  throw new ConfigurationError(
    'unknown-member',
    `describe of the mount of "${resource.plan.collection}" tells of "${stray}", which is none of its operations. ${near === undefined ? `There are ${[...known].join(', ')}.` : `Did you mean "${near}"?`}`,
  )
}

/** The tags of a document: one for each resource and each endpoint on top. */
function tagsOf({ table }: DescribedVersion): NonNullable<OpenApiDocument['tags']> {
  const tags = new Map<string, { readonly name: string; readonly description?: string }>()
  for (const route of table.routes) {
    const name = tagOf({ route })
    if (tags.has(name) || !isServed(route)) continue
    const { resource, endpoint } = route
    const said =
      resource?.text.description ??
      resource?.plan.definition.schema.description ??
      (resource === undefined ? endpoint?.description : undefined)
    const usual = resource === undefined ? 'The description of this version.' : `What can be done with \`${name}\`.`
    const { description: _, operations: __, ...extensions } = resource?.text ?? {}
    tags.set(name, { name, description: typeof said === 'string' ? said : usual, ...extensions })
  }
  return [...tags.values()]
}

/** Throws where two operations would be one method of a client. */
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
    `${place} and ${other} would share the operation id "${id}". Give one of them an operationId in describe.`,
  )

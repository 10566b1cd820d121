/**
 * Converts the options of `defineResource` to a definition: checks the names of members against the
 * schema, adds defaults, and freezes the result.
 */

import { branded } from '../brand.js'
import { dateExamples, timeOfDate } from '../http/dates.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { count, type Kind, type Kinds } from '../options/kinds.js'
import { ConfigurationError, isConfigurationError } from '../problem.js'
import { parameter } from '../wire.js'
import { checkFormats } from './format-limits.js'
import { frozenCopy, isObject, own } from './json.js'
import { keyCodec } from './key.js'
import { NamedMembers } from './named-members.js'
import { checkCollectionName, checkName, checkSegment } from './naming.js'
import { checkRequired } from './required-members.js'
import { type Context, keptMembers, namesOf, resolveLink, resolveTarget } from './resolve-links.js'
import type { Filter, ResourceDefinition } from './resource.js'
import type {
  FilterDeprecation,
  FilterOperator,
  FilterOptions,
  FilterTable,
  LinkTable,
  PageOptions,
  ResourceOptions,
} from './resource-options.js'
import type { JsonSchema } from './schema-types.js'
import { Shape } from './shape.js'
import { singularOf } from './singular.js'

type AnyOptions = ResourceOptions<
  Record<string, unknown>,
  JsonSchema,
  unknown,
  Record<never, never>,
  Record<never, never>
>

export const pageKinds: Kinds<PageOptions> = { size: count, max: count, first: { oneOf: [1, 0] } }

const operators: Readonly<Record<FilterOperator, true>> = {
  eq: true,
  gt: true,
  gte: true,
  lt: true,
  lte: true,
  contains: true,
  null: true,
}

export const filterDeprecationKinds: Kinds<FilterDeprecation> = {
  sunset: { a: dateExamples, like: { test: (text) => timeOfDate(text) !== undefined } },
  use: 'string',
}

export const filterKinds: Kinds<FilterOptions> = {
  field: 'string',
  op: { oneOf: Object.keys(operators) },
  many: 'boolean',
  deprecated: [{ oneOf: [true] }, { options: filterDeprecationKinds }],
}

const names: Kind = { each: 'string' }

type AttachmentOptions = NonNullable<AnyOptions['attachedTo']>[number]

export const parentKinds: Kinds<NonNullable<AnyOptions['parent']>> = { of: 'any', by: { required: 'names' } }
export const attachmentKinds: Kinds<AttachmentOptions> = { of: 'any', by: 'names', as: 'string' }

/**
 * The expected types of the options. The targets of links and parents, and the schema, are checked
 * by `resolveTarget` and `resolveSchema` instead, because errors in them have codes of their own.
 */
export const resourceKinds: Kinds<AnyOptions> = {
  collection: { required: { a: 'a plural noun, such as "invoices"', like: /^/ } },
  singular: 'string',
  allow: { values: 'string' },
  key: { required: 'names' },
  assigned: [{ oneOf: [true] }, names],
  schema: 'any',
  filters: { values: [{ oneOf: [true] }, { options: filterKinds }] },
  sort: names,
  search: [{ oneOf: [true] }, names],
  links: { values: 'table' },
  parent: { options: parentKinds },
  attachedTo: { each: { options: attachmentKinds } },
  flags: { values: 'string' },
  rules: 'function',
  scope: 'function',
  page: { options: pageKinds },
  cacheControl: 'string',
}

/** Checks and completes the argument of `defineResource`. Throws `ConfigurationError`. */
export function resolveResource(given: unknown): ResourceDefinition {
  const named = own(given, 'collection')
  const what = typeof named === 'string' ? `defineResource("${named}")` : 'defineResource()'
  const options = checkOptions<AnyOptions>(what, given, resourceKinds)
  const { collection } = options
  checkCollectionName(collection, options.allow)
  const schema = resolveSchema(collection, options.schema)
  const shape = Shape.of(schema)
  if (!shape.isObject) {
    throw new ConfigurationError(
      'invalid-schema',
      `The schema of "${collection}" does not describe an object. Declare type: 'object' and its properties.`,
    )
  }
  checkFormats(collection, schema, shape)
  checkRequired(`The schema of "${collection}"`, schema, shape)
  const members = new NamedMembers(collection, shape)
  const key = resolveKey(collection, options.key as string | readonly string[], members)
  const parent = resolveParent(collection, options.parent, members)
  const context: Context = { collection, shape, members, kept: keptMembers(key, parent) }

  const definition: ResourceDefinition = {
    collection,
    singular: resolveSingular(collection, options.singular),
    key: keyCodec(shape, key, typeof options.key !== 'string'),
    assigned: resolveAssigned(collection, options.assigned as true | readonly string[] | undefined, key),
    schema,
    shape,
    filters: resolveTable(options.filters as FilterTable | undefined, (name, filter) => {
      checkUse(
        `The filter "${name}" of "${collection}"`,
        filter,
        Object.keys(options.filters ?? {}).filter((other) => other !== name),
      )
      return resolveFilter(context, name, filter)
    }),
    sort: eachNamed(options.sort, (field) => members.scalar('sort', field)),
    search:
      options.search === undefined || options.search === true
        ? options.search
        : eachNamed(options.search, (field) => members.searchable('search', field)),
    links: resolveTable(options.links as LinkTable | undefined, (name, link) => resolveLink(context, name, link)),
    parent,
    attachedTo: resolveAttachments(context, key, options),
    flags: resolveTable(options.flags, (segment, member) => resolveFlag(context, segment, member)),
    rules: options.rules as ResourceDefinition['rules'],
    scope: options.scope as ResourceDefinition['scope'],
    page: resolvePage(`"${collection}"`, options.page),
    cacheControl: options.cacheControl,
  }
  return Object.freeze(branded('resource', definition))
}

function resolveSingular(collection: string, given: string | undefined): string {
  if (given === undefined) return singularOf(collection)
  checkName(given)
  return given
}

function resolveSchema(collection: string, given: unknown): JsonSchema {
  if (!isObject(given)) {
    throw new ConfigurationError(
      'invalid-schema',
      `"${collection}" has no schema. Give the JSON Schema of its stored record.`,
    )
  }
  try {
    return refuseProto(collection, frozenCopy(given))
  } catch (error) {
    if (isConfigurationError(error)) throw error
    throw new ConfigurationError(
      'invalid-schema',
      `The schema of "${collection}" is not JSON: ${(error as Error).message}. Fix the schema.`,
    )
  }
}

/**
 * Refuses a member named `__proto__` anywhere in the schema: validators and most stores can't
 * handle such a member.
 */
function refuseProto<T>(collection: string, schema: T): T {
  for (const [name, part] of Object.entries(schema ?? {})) {
    if (name === '__proto__') {
      throw new ConfigurationError(
        'invalid-schema',
        `The schema of "${collection}" names a member "__proto__", which JavaScript reserves. Rename it.`,
      )
    }
    if (typeof part === 'object') refuseProto(collection, part)
  }
  return schema
}

function resolveTable<T, V>(
  given: Readonly<Record<string, V>> = {},
  resolve: (name: string, value: V) => T,
): ReadonlyMap<string, T> {
  return new Map(Object.entries(given).map(([name, value]) => [name, resolve(name, value)]))
}

function eachNamed(given: readonly string[] = [], check: (field: string) => unknown): readonly string[] {
  for (const field of given) check(field)
  return Object.freeze([...given])
}

function resolveKey(collection: string, given: string | readonly string[], members: NamedMembers): readonly string[] {
  const key = namesOf(given)
  for (const member of key) {
    const shape = members.visible('key', [member])
    if (shape.types.size !== 1 || shape.isObject || shape.isArray || shape.nullable) {
      throw new ConfigurationError(
        'unsuitable-member',
        `The key "${member}" of "${collection}" must be a string, an integer, a number or a boolean that ` +
          'is never null.',
      )
    }
  }
  return key
}

function resolveAssigned(
  collection: string,
  given: true | readonly string[] | undefined,
  key: readonly string[],
): ReadonlySet<string> {
  const assigned = given === true ? key : (given ?? [])
  for (const member of assigned) {
    if (key.includes(member)) continue
    throw new ConfigurationError(
      'unsuitable-member',
      `"${collection}" names "${member}" in "assigned", which may name only members of the key (${key.join(', ')}). ` +
        'Mark other members readOnly in the schema.',
    )
  }
  return new Set(assigned)
}

function resolveParent(
  collection: string,
  given: AnyOptions['parent'],
  members: NamedMembers,
): ResourceDefinition['parent'] {
  if (given === undefined) return undefined
  const what = `The parent of "${collection}"`
  const by = namesOf(given.by)
  for (const member of by) members.keyPart('parent.by', member)
  return Object.freeze({ of: resolveTarget(what, given.of), by })
}

function resolveAttachments(
  { collection, members }: Context,
  key: readonly string[],
  { attachedTo = [], allow }: AnyOptions,
): ResourceDefinition['attachedTo'] {
  const what = `The option "attachedTo" of "${collection}"`
  const attachments = attachedTo.map(({ of, by: given, as = collection }) => {
    const by = given === undefined ? undefined : namesOf(given)
    for (const member of by ?? []) {
      members.keyPart('attachedTo.by', member)
      if (!key.includes(member)) continue
      throw new ConfigurationError(
        'unsuitable-member',
        `In the option "attachedTo" of "${collection}", "by" names "${member}", which is a member of the key. ` +
          'Attaching a record would change its key. Name another member in "by", or declare the parent in the ' +
          'option "parent" instead.',
      )
    }
    if (as !== collection) checkCollectionName(as, allow)
    return Object.freeze({ of: resolveTarget(what, of), by, as })
  })
  return Object.freeze(attachments)
}

function resolveFlag({ collection, members }: Context, segment: string, member: string): string {
  checkSegment(segment)
  if (!members.visible('flags', [member]).types.has('boolean')) {
    throw new ConfigurationError(
      'unsuitable-member',
      `The flag "${segment}" of "${collection}" sets "${member}", which is not a boolean. Name a boolean member.`,
    )
  }
  return member
}

const reserved: readonly string[] = Object.values(parameter)

function resolveFilter(
  { collection, members }: Context,
  name: string,
  given: true | FilterOptions | undefined,
): Filter {
  const what = `The filter "${name}" of "${collection}"`
  const { field = name, op = 'eq', many = false }: FilterOptions = given === true || given === undefined ? {} : given
  if (reserved.includes(name)) {
    throw new ConfigurationError(
      'reserved-parameter',
      `"${collection}" has a filter "${name}", which is the name of a list parameter. ` +
        `Give the filter another name: { other: { field: '${field}' } }.`,
    )
  }
  if (many && op !== 'eq') {
    throw invalidOption(`${what} has "many", which only the operator "eq" supports. Leave "op" or "many" out.`)
  }
  checkCompared(what, field, op, `filters.${name}`, members)
  const path = Object.freeze(field.split('.'))
  return Object.freeze({
    name,
    field,
    path,
    op,
    many,
    ...deprecationOf(given, members.visible(`filters.${name}`, field)),
  })
}

/**
 * Throws `ConfigurationError` if the replacement of a deprecated filter is not another filter of
 * the same resource.
 */
function checkUse(what: string, given: true | FilterOptions | undefined, names: readonly string[]): void {
  const said = given === true ? undefined : given?.deprecated
  const use = said === true ? undefined : said?.use
  if (use === undefined || names.includes(use)) return
  throw invalidOption(
    `${what} is deprecated in favor of "${use}", which is not another filter of the resource. ` +
      `${didYouMean(nearMiss(use, names), names)}`,
  )
}

/**
 * The deprecation of the filter. If the filter declares none, this is the deprecation of its
 * member.
 */
function deprecationOf(
  given: true | FilterOptions | undefined,
  { deprecated, node }: Shape,
): Pick<Filter, 'deprecated'> {
  const said = given === true ? undefined : given?.deprecated
  if (said !== undefined) return { deprecated: said === true ? {} : { ...said } }
  const sunset = own(node, 'x-sunset')
  return deprecated ? { deprecated: typeof sunset === 'string' ? { sunset } : {} } : {}
}

function checkCompared(what: string, field: string, op: FilterOperator, where: string, members: NamedMembers): void {
  const unsuitable = (message: string): ConfigurationError =>
    new ConfigurationError('unsuitable-member', `${what} ${message}`)
  const shape = members.visible(where, field)
  if (op === 'null') return
  if (op !== 'contains') {
    if (shape.isArray) throw unsuitable(`compares the array "${field}". Set op: 'contains'.`)
    members.scalar(where, field)
  } else if (!shape.isArray) {
    throw unsuitable(`uses "contains", but "${field}" is not an array. Leave "op" out to compare it.`)
  } else if (shape.items === undefined || shape.items.isObject || shape.items.isArray) {
    throw unsuitable(`uses "contains", but the items of "${field}" are not declared as strings, numbers or booleans.`)
  }
}

/**
 * Returns the page options, frozen. Throws `ConfigurationError` if they contradict each other. The
 * types of the options have already been checked.
 */
export function resolvePage(owner: string, page: PageOptions = {}): PageOptions {
  checkPage(owner, { size: page.size ?? 1, max: page.max ?? Math.max(100, page.size ?? 1) })
  return Object.freeze({ ...page })
}

/** Throws `ConfigurationError` if the page size exceeds the maximum. */
export function checkPage(owner: string, { size, max }: Pick<Required<PageOptions>, 'size' | 'max'>): void {
  if (size <= max) return
  throw invalidOption(`${owner} has a page size of ${size} but a maximum of ${max}. Set "size" to at most "max".`)
}

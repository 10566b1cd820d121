/** From what a team wrote to a definition: every name checked against the schema, every default filled in, frozen. */
import { ConfigurationError } from '../problem.js'
import { parameter } from '../wire.js'
import { checkFormats } from './format-limits.js'
import { frozenCopy, isObject } from './json.js'
import { keyCodec } from './key.js'
import { functionOption, knownOptions, listOption, namesOption, tableOption, textOption } from './known-options.js'
import { NamedMembers } from './named-members.js'
import { checkCollectionName, checkName, checkSegment } from './naming.js'
import { type Context, keptMembers, resolveLink, resolveTarget } from './resolve-links.js'
import type { Filter, ResourceDefinition } from './resource.js'
import type { FilterOperator, FilterOptions, PageOptions, ResourceOptions } from './resource-options.js'
import type { JsonSchema } from './schema-types.js'
import { Shape } from './shape.js'
import { singularOf } from './singular.js'

type AnyOptions = ResourceOptions<Record<string, unknown>, JsonSchema, unknown, Record<never, never>, Record<never, never>>

/** Every option, so that a misspelt one is refused. An option that is missing here does not compile. */
const known: Readonly<Record<keyof AnyOptions, true>> = {
  collection: true,
  singular: true,
  allow: true,
  key: true,
  assigned: true,
  schema: true,
  filters: true,
  sort: true,
  search: true,
  links: true,
  parent: true,
  attachedTo: true,
  flags: true,
  rules: true,
  scope: true,
  page: true,
  cacheControl: true,
}

/** Checks and completes what `defineResource` got. Throws `ConfigurationError`. */
export function resolveResource(given: unknown): ResourceDefinition {
  const options = knownOptions('defineResource()', given, known) as unknown as AnyOptions
  const { collection } = options
  if (typeof collection !== 'string')
    throw new ConfigurationError('name-malformed', 'The collection of defineResource() is no text. Give a plural noun.')
  checkCollectionName(collection, tableOption(`allow of "${String(collection)}"`, options.allow) as Record<string, string>)
  const schema = resolveSchema(collection, options.schema)
  const shape = Shape.of(schema)
  if (!shape.isObject) {
    throw new ConfigurationError(
      'invalid-schema',
      `The schema of "${collection}" describes no object. Say type: 'object' and its properties.`,
    )
  }
  checkFormats(collection, schema, shape)
  const members = new NamedMembers(collection, shape)
  const key = resolveKey(collection, options.key, members)
  const parent = resolveParent(collection, options.parent, members)
  const context: Context = { collection, shape, members, kept: keptMembers(key, parent) }
  functionOption(`rules of "${collection}"`, options.rules)
  functionOption(`scope of "${collection}"`, options.scope)

  return Object.freeze({
    collection,
    singular: resolveSingular(collection, options.singular),
    key: keyCodec(shape, key, typeof options.key !== 'string'),
    assigned: resolveAssigned(collection, options.assigned, key),
    schema,
    shape,
    filters: resolveTable(`filters of "${collection}"`, options.filters, (name, filter) => resolveFilter(context, name, filter)),
    sort: eachNamed(`sort of "${collection}"`, options.sort, (field) => members.scalar('sort', field)),
    search:
      options.search === undefined || options.search === true
        ? options.search
        : eachNamed(`search of "${collection}"`, options.search, (field) => members.visible('search', field)),
    links: resolveTable(`links of "${collection}"`, options.links, (name, link) => resolveLink(context, name, link)),
    parent,
    attachedTo: resolveAttachments(context, options),
    flags: resolveTable(`flags of "${collection}"`, options.flags, (segment, member) => resolveFlag(context, segment, member)),
    rules: options.rules as ResourceDefinition['rules'],
    scope: options.scope as ResourceDefinition['scope'],
    page: resolvePage(`"${collection}"`, options.page),
    cacheControl: options.cacheControl === undefined ? undefined : textOption(`cacheControl of "${collection}"`, options.cacheControl),
  })
}

function resolveSingular(collection: string, given: unknown): string {
  if (given === undefined) return singularOf(collection)
  const name = textOption(`singular of "${collection}"`, given)
  checkName(name)
  return name
}

function resolveSchema(collection: string, given: unknown): JsonSchema {
  if (!isObject(given)) {
    throw new ConfigurationError('invalid-schema', `"${collection}" has no schema. Give the JSON Schema of its stored record.`)
  }
  try {
    return refuseProto(collection, frozenCopy(given))
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw new ConfigurationError('invalid-schema', `The schema of "${collection}" is no JSON: ${(error as Error).message}. Mend it there.`)
  }
}

/** No validator and few stores can hold a member of that name: it is refused wherever the schema names it. */
function refuseProto<T>(collection: string, schema: T): T {
  for (const [name, part] of Object.entries(schema ?? {})) {
    if (name === '__proto__') {
      throw new ConfigurationError(
        'invalid-schema',
        `The schema of "${collection}" names a member "__proto__", which JavaScript keeps for itself. Rename it.`,
      )
    }
    if (typeof part === 'object') refuseProto(collection, part)
  }
  return schema
}

function resolveTable<T>(what: string, given: unknown, resolve: (name: string, value: unknown) => T): ReadonlyMap<string, T> {
  return new Map(Object.entries(tableOption(what, given)).map(([name, value]) => [name, resolve(name, value)]))
}

function eachNamed(what: string, given: unknown, check: (field: string) => unknown): readonly string[] {
  const fields = listOption(what, given)
  for (const field of fields) check(field)
  return fields
}

function resolveKey(collection: string, given: unknown, members: NamedMembers): readonly string[] {
  const key = namesOption(`The key of "${collection}"`, given)
  for (const member of key) {
    const shape = members.visible('key', [member])
    if (shape.types.size !== 1 || shape.isObject || shape.isArray || shape.nullable) {
      throw new ConfigurationError(
        'unsuitable-member',
        `The key "${member}" of "${collection}" must be a string, an integer, a number or a boolean that is never null.`,
      )
    }
  }
  return key
}

function resolveAssigned(collection: string, given: unknown, key: readonly string[]): ReadonlySet<string> {
  const assigned = given === true ? key : listOption(`assigned of "${collection}"`, given)
  for (const member of assigned) {
    if (key.includes(member)) continue
    throw new ConfigurationError(
      'unsuitable-member',
      `"${collection}" names "${member}" in assigned, which is no member of its key (${key.join(', ')}). For others say readOnly in the schema.`,
    )
  }
  return new Set(assigned)
}

function resolveParent(collection: string, given: unknown, members: NamedMembers): ResourceDefinition['parent'] {
  if (given === undefined) return undefined
  const what = `parent of "${collection}"`
  const options = knownOptions(what, given, { of: true, by: true })
  const by = namesOption(`by of the ${what}`, options.by)
  for (const member of by) members.scalar('parent.by', [member])
  return Object.freeze({ of: resolveTarget(what, options.of), by })
}

function resolveAttachments({ collection, members }: Context, { attachedTo, allow }: AnyOptions): ResourceDefinition['attachedTo'] {
  const what = `attachedTo of "${collection}"`
  const given: unknown = attachedTo === undefined ? [] : attachedTo
  if (!Array.isArray(given)) throw new ConfigurationError('invalid-option', `${what} must be a list of { of, by, as }.`)
  const attachments = given.map((one: unknown) => {
    const options = knownOptions(what, one, { of: true, by: true, as: true })
    const by = options.by === undefined ? undefined : namesOption(`by of ${what}`, options.by)
    for (const member of by ?? []) members.scalar('attachedTo.by', [member])
    const as = options.as === undefined ? collection : textOption(`as of ${what}`, options.as)
    if (as !== collection) checkCollectionName(as, allow)
    return Object.freeze({ of: resolveTarget(what, options.of), by, as })
  })
  return Object.freeze(attachments)
}

function resolveFlag({ collection, members }: Context, segment: string, given: unknown): string {
  checkSegment(segment)
  const member = textOption(`The flag "${segment}" of "${collection}"`, given)
  if (!members.visible('flags', [member]).types.has('boolean')) {
    throw new ConfigurationError(
      'unsuitable-member',
      `The flag "${segment}" of "${collection}" sets "${member}", which is no boolean. Name a boolean member.`,
    )
  }
  return member
}

const operators: Readonly<Record<FilterOperator, true>> = { eq: true, gt: true, gte: true, lt: true, lte: true, contains: true, null: true }
const filterOptions: Readonly<Record<keyof FilterOptions, true>> = { field: true, op: true, many: true }
const reserved: readonly string[] = Object.values(parameter)

function resolveFilter({ collection, members }: Context, name: string, given: unknown): Filter {
  const what = `The filter "${name}" of "${collection}"`
  const options: FilterOptions = given === true ? {} : knownOptions(what, given, filterOptions)
  const field = options.field === undefined ? name : textOption(`field of the filter "${name}"`, options.field)
  const op = options.op ?? 'eq'
  const many = options.many ?? false
  if (reserved.includes(name)) {
    throw new ConfigurationError(
      'reserved-parameter',
      `"${collection}" has a filter "${name}", which is a parameter of every list. Give the filter another name: { other: { field: '${field}' } }.`,
    )
  }
  if (!Object.hasOwn(operators, op)) {
    throw new ConfigurationError('invalid-option', `${what} has no op "${String(op)}". There are: ${Object.keys(operators).join(', ')}.`)
  }
  if (many && op !== 'eq') {
    throw new ConfigurationError('invalid-option', `${what} is many-valued, which only "eq" can be. Leave op or many out.`)
  }
  checkCompared(what, field, op, `filters.${name}`, members)
  return Object.freeze({ name, field, path: Object.freeze(field.split('.')), op, many })
}

function checkCompared(what: string, field: string, op: FilterOperator, where: string, members: NamedMembers): void {
  const unsuitable = (message: string): ConfigurationError => new ConfigurationError('unsuitable-member', `${what} ${message}`)
  const shape = members.visible(where, field)
  if (op === 'null') return
  if (op !== 'contains') {
    if (shape.isArray) throw unsuitable(`compares the array "${field}". Say op: 'contains'.`)
    members.scalar(where, field)
  } else if (!shape.isArray) {
    throw unsuitable(`says "contains", but "${field}" is no array. Leave op out to compare it.`)
  } else if (shape.items === undefined || shape.items.isObject || shape.items.isArray) {
    throw unsuitable(`says "contains", but the items of "${field}" are not said to be strings, numbers or booleans.`)
  }
}

/** Page options as a team gives them, checked as far as they say anything. Throws `ConfigurationError`. */
export function resolvePage(owner: string, given: unknown): PageOptions {
  const page: PageOptions = knownOptions(`page of ${owner}`, given, { size: true, max: true, first: true })
  checkPage(owner, { size: page.size ?? 1, max: page.max ?? Math.max(100, page.size ?? 1), first: page.first ?? 1 })
  return Object.freeze({ ...page })
}

/** Throws `ConfigurationError` where pages can't be so. */
export function checkPage(owner: string, { size, max, first }: Required<PageOptions>): void {
  const counts = Number.isSafeInteger(size) && Number.isSafeInteger(max) && size >= 1 && size <= max
  if (counts && (first === 0 || first === 1)) return
  throw new ConfigurationError(
    'invalid-option',
    counts
      ? `${owner} calls the first page ${String(first)}. Say 0 or 1.`
      : `${owner} has pages of ${size} with at most ${max}. Both are whole numbers from 1, and size is at most max.`,
  )
}

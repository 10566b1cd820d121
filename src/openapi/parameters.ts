/**
 * The parameters of an operation: its query, and the header fields for preconditions, preferences
 * and idempotency keys (QUERY-1..7, HDR-3, HDR-4, VERB-12).
 */
import type { Shape } from '../definition/shape.js'
import { idempotencyKeyPattern, longestKeyField } from '../http/idempotency-key.js'
import { prefers, readsConditionally, type Situation } from '../plan/endings.js'
import type { EndpointQuery } from '../plan/endpoint-types.js'
import { maxPageSize, needsIfMatch } from '../plan/legacy-endings.js'
import type { ListGrammar, TypedFilter } from '../plan/list-grammar.js'
import { longestValue, maxValues } from '../plan/query-pairs.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'
import { header, parameter } from '../wire.js'
import { aliasParameters } from './alias-parameters.js'
import { bounded, fieldValue } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema } from './document.js'
import { typeOf } from './member-schemas.js'
import { typeName } from './names.js'

type Parameter = Readonly<Record<string, unknown>>

const none: readonly unknown[] = Object.freeze([])

/**
 * Builds the parameters of operations, except path parameters. Shared parameters are components.
 */
export class Parameters {
  readonly #components: Components
  /** The parameters of lists, by maximum page size. */
  readonly #lists = new Map<number, Map<ResourcePlan, readonly unknown[]>>()
  readonly #expansions = new Map<ResourcePlan, readonly unknown[]>()

  constructor(components: Components) {
    this.#components = components
  }

  /** Returns the parameters that are header fields of the request. */
  fields(situation: Situation): readonly unknown[] {
    return fieldsOf(situation, this.#components)
  }

  /** Returns the query parameters of an operation. */
  query(situation: Situation): readonly unknown[] {
    const { method, operation, route } = situation
    const { resource } = route
    if (operation.query === 'list' && resource !== undefined) {
      const { parameters, page } = resource.plan.list
      const max = maxPageSize(situation, page.max)
      const known = this.#list(resource, max)
      return route.parameters === undefined
        ? known
        : [...known, ...aliasParameters(route.parameters, parameters, { ...page, max })]
    }
    if (operation.query === 'item' && resource !== undefined) {
      const { expandable, page } = resource.plan.list
      const known = this.#expansion(resource)
      return expandable.length === 0
        ? known
        : [...known, ...aliasParameters(route.parameters, [parameter.expand], page)]
    }
    const query = operation.query === 'endpoint' ? route.endpoint?.methods.get(method)?.query : undefined
    return query === undefined ? none : ofEndpoint(query)
  }

  /**
   * Returns the parameters of a list. GET and HEAD share these parameters, and so do all lists of
   * the resource: its collection, and the sub-collections in which its items appear.
   */
  #list(resource: Mounted, max: number): readonly unknown[] {
    const { plan } = resource
    const lists = this.#lists.get(max) ?? new Map<ResourcePlan, readonly unknown[]>()
    this.#lists.set(max, lists)
    const known = lists.get(plan)
    if (known !== undefined) return known
    const { list, definition } = plan
    const made: unknown[] = []
    for (const filter of list.filters.values()) {
      made.push(this.#own(resource, `${typeName(filter.name)}Filter`, () => filterParameter(filter, definition.shape)))
    }
    if (list.sort.size > 0) made.push(this.#own(resource, 'Sort', () => sortParameter([...list.sort.keys()])))
    made.push(
      ...pageParameters({ ...list, page: { ...list.page, max } }, this.#components),
      ...this.#expansion(resource),
    )
    lists.set(plan, made)
    return made
  }

  /** Returns the parameter `expand`. All operations that return items of the resource share it. */
  #expansion(resource: Mounted): readonly unknown[] {
    const { plan } = resource
    const { expandable } = plan.list
    if (expandable.length === 0) return none
    const made = this.#expansions.get(plan) ?? [this.#own(resource, 'Expand', () => expandParameter(expandable))]
    this.#expansions.set(plan, made)
    return made
  }

  /** Returns a parameter that several operations of one resource share. */
  #own(resource: Mounted, name: string, make: () => Parameter): unknown {
    return this.#components.shareIfFree(
      'parameters',
      `${typeOf(resource)}${name}`,
      `"${resource.plan.collection}" ${name}`,
      make,
    )
  }
}

function ofEndpoint({ properties, required }: EndpointQuery): readonly unknown[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description, deprecated, 'x-sunset': sunset, ...rest } = schema
    return {
      name,
      in: 'query',
      required: required?.includes(name) === true,
      ...(typeof description === 'string' ? { description } : {}),
      ...(deprecated === true ? { deprecated, ...(typeof sunset === 'string' ? { 'x-sunset': sunset } : {}) } : {}),
      schema: inQuery(rest),
    }
  })
}

/**
 * Returns the parameters that do not depend on the members of a resource: the page, its size and
 * the search.
 */
function pageParameters({ page, searchable }: ListGrammar, components: Components): readonly unknown[] {
  const shared = (name: string, names: readonly string[], description: string, schema: DocumentSchema): unknown =>
    components.once(`${names.at(-1)} ${page.first} ${page.size} ${page.max}`, () =>
      components.share('parameters', names, { name, in: 'query', description, schema }),
    )
  const number = shared(
    parameter.page,
    ['Offest', `OffestFrom${page.first}`],
    `The number of the page. The first page is ${page.first} (QUERY-4).`,
    {
      type: 'integer',
      minimum: page.first,
      maximum: Number.MAX_SAFE_INTEGER,
      format: 'int64',
      default: page.first,
    },
  )
  const size = shared(
    parameter.size,
    ['Limit', `Limit${page.size}To${page.max}`],
    `Items per page, at most ${page.max} (QUERY-5).`,
    {
      type: 'integer',
      minimum: 1,
      maximum: page.max,
      format: 'int64',
      default: page.size,
    },
  )
  const search = (): unknown =>
    shared(
      parameter.search,
      ['Search'],
      'A query in the syntax of the search engine (QUERY-3).',
      inQuery({ type: 'string' }),
    )
  return [...(searchable ? [search()] : []), number, size]
}

/** The words that stand for an operator in the description of a filter. */
const comparisons: Readonly<Record<TypedFilter['op'], string>> = {
  eq: 'equals the value',
  gt: 'is greater than the value',
  gte: 'is at least the value',
  lt: 'is less than the value',
  lte: 'is at most the value',
  contains: 'contains the value',
  null: 'is null (`true`) or not null (`false`)',
}

function filterParameter({ name, field, path, op, many, allowed, deprecated }: TypedFilter, shape: Shape): Parameter {
  const member = shape.at(path)
  const value = op === 'null' ? { type: 'boolean' } : scalarSchema(op === 'contains' ? member?.items : member, allowed)
  const any = many ? ' If several values are given, an item needs to match only one.' : ''
  return {
    name,
    in: 'query',
    description:
      `Items whose \`${field}\` ${comparisons[op]} ` +
      `(QUERY-1).${any}${deprecated?.use === undefined ? '' : ` Use \`${deprecated.use}\` instead.`}`,
    ...(deprecated === undefined
      ? {}
      : { deprecated: true, ...(deprecated.sunset === undefined ? {} : { 'x-sunset': deprecated.sunset }) }),
    ...(many
      ? { style: 'form', explode: true, schema: { type: 'array', items: value, minItems: 1, maxItems: maxValues } }
      : { schema: value }),
  }
}

/** Returns the schema of a filter value: the type and format of the member, without its bounds. */
function scalarSchema(shape: Shape | undefined, allowed: readonly unknown[] | undefined): DocumentSchema {
  const types = [...(shape?.types ?? [])].filter((type) => type !== 'object' && type !== 'array')
  const type = types.length === 0 ? 'string' : types.length === 1 ? types[0] : types
  if (allowed !== undefined) return { type, enum: allowed }
  return inQuery({ type, ...(shape?.format === undefined ? {} : { format: shape.format }) })
}

/**
 * Limits a string to the maximum length of a query value, unless its schema has `maxLength`, `enum`
 * or `const`. Also adds the bounds of integers and the patterns of formats.
 */
function inQuery(schema: DocumentSchema): DocumentSchema {
  const types = [schema.type].flat()
  const isOpen =
    types.includes('string') &&
    schema.maxLength === undefined &&
    schema.enum === undefined &&
    schema.const === undefined
  const text = isOpen ? { ...schema, maxLength: longestValue } : schema
  return bounded(text)
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * Returns the length of a value of `sort` that contains each field once, with a sign for each field
 * and separating commas. The result is at most the maximum length of a query value.
 */
const longestSort = (fields: readonly string[]): number =>
  Math.min(
    longestValue,
    fields.reduce((sum, field) => sum + field.length + 2, -1),
  )

/** Returns the parameter `sort`. The lookahead in its pattern rejects repeated fields. */
function sortParameter(fields: readonly string[]): Parameter {
  const one = `[-+ ]?(?:${fields.map(escaped).join('|')})`
  const [first = '', second] = fields
  const examples: Record<string, { readonly summary: string; readonly value: string }> = {
    ascending: { summary: `By ${first}, ascending`, value: first },
    descending: { summary: `By ${first}, descending`, value: `-${first}` },
    ...(second === undefined
      ? {}
      : { several: { summary: `By ${first}, descending, then by ${second}`, value: `-${first},${second}` } }),
  }
  return {
    name: parameter.sort,
    in: 'query',
    description:
      'A comma-separated list of fields to sort by. `-` means descending; `+` or no sign means ascending. ' +
      'Later fields break ties (QUERY-2).',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: longestSort(fields),
      pattern: `^(?!(?:.*,)?[-+ ]?([^,]+),(?:.*,)?[-+ ]?\\1(?:,|$))${one}(?:,${one})*$`,
    },
    examples,
  }
}

function expandParameter(expandable: readonly string[]): Parameter {
  const one = `(?:${expandable.map(escaped).join('|')})`
  return {
    name: parameter.expand,
    in: 'query',
    description:
      'A comma-separated list of associations to embed in full: ' +
      `${expandable.map((name) => `\`${name}\``).join(', ')} (QUERY-6).`,
    schema: inQuery({ type: 'string', minLength: 1, pattern: `^${one}(?:,${one})*$` }),
    examples: {
      one: { value: expandable[0] },
      ...(expandable.length > 1 ? { all: { value: expandable.join(',') } } : {}),
    },
  }
}

function fieldsOf(situation: Situation, components: Components): readonly unknown[] {
  const { operation, route } = situation
  const shared = (
    names: readonly string[],
    name: string,
    description: string,
    schema: DocumentSchema,
    required = false,
  ): unknown =>
    components.once(`${names[0]}`, () =>
      components.share('parameters', names, {
        name,
        in: 'header',
        description,
        ...(required ? { required } : {}),
        schema,
      }),
    )
  const changes = operation.preconditions === 'item'
  const creates =
    operation.creates === true && route.resource !== undefined && route.resource.idempotencyKey !== 'ignored'
  return [
    ...(changes ? [needsIfMatch(situation) === 'always' ? requiredIfMatch(shared) : ifMatch(shared)] : []),
    ...(readsConditionally(situation)
      ? [
          shared(
            ['IfNoneMatch'],
            header.ifNoneMatch,
            "The `Etag` of the client's representation. If it is current, the response is 304 (HDR-4).",
            fieldValue,
          ),
        ]
      : []),
    ...(prefers(situation) ? [preference(operation.method, shared)] : []),
    ...(creates ? [idempotency(route.resource?.idempotencyKey === 'required', shared)] : []),
  ]
}

type Share = (
  names: readonly string[],
  name: string,
  description: string,
  schema: DocumentSchema,
  required?: boolean,
) => unknown

const requiredIfMatch = (shared: Share): unknown =>
  shared(
    ['RequiredIfMatch'],
    header.ifMatch,
    'The `Etag` of the item to change. Without this field, the response is 428. If the `Etag` is not current, ' +
      'the response is 412 (HDR-3).',
    fieldValue,
    true,
  )

const ifMatch = (shared: Share): unknown =>
  shared(
    ['IfMatch'],
    header.ifMatch,
    'The `Etag` of the item to change. If the `Etag` is not current, the response is 412 (HDR-3).',
    fieldValue,
  )

const preference = (method: string, shared: Share): unknown =>
  method === 'POST'
    ? shared(
        ['PreferRepresentation'],
        header.prefer,
        '`return=representation` requests the new item in the response (VERB-2).',
        {
          ...fieldValue,
          examples: ['return=representation'],
        },
      )
    : shared(['PreferMinimal'], header.prefer, '`return=minimal` requests a response without a body (VERB-10).', {
        ...fieldValue,
        examples: ['return=minimal'],
      })

const idempotency = (required: boolean, shared: Share): unknown =>
  shared(
    [required ? 'RequiredIdempotencyKey' : 'IdempotencyKey'],
    header.idempotencyKey,
    'A key that the client chooses for this request. A retry with the same key and body creates nothing and gets ' +
      'the first response (VERB-12).',
    { type: 'string', minLength: 1, maxLength: longestKeyField, pattern: idempotencyKeyPattern },
    required,
  )

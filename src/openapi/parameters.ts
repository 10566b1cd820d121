/** The parameters of an operation: its query, and the header fields of its preconditions and preferences (QUERY-1..7, HDR-3, HDR-4). */
import type { Shape } from '../definition/shape.js'
import { idempotencyKeyPattern, longestKey } from '../http/idempotency-key.js'
import { readsConditionally, type Situation } from '../plan/endings.js'
import type { ListGrammar, TypedFilter } from '../plan/list-grammar.js'
import { header, parameter } from '../wire.js'
import type { Components } from './components.js'
import type { DocumentSchema } from './document.js'

type Parameter = Readonly<Record<string, unknown>>

/** The parameters of an operation but those of its path. What lists share are references. */
export function parametersOf(situation: Situation, components: Components): readonly unknown[] {
  return [...queryOf(situation, components), ...fieldsOf(situation, components)]
}

function queryOf({ method, operation, route }: Situation, components: Components): readonly unknown[] {
  const plan = route.resource?.plan
  if (operation.query === 'list' && plan !== undefined) return listParameters(plan.list, plan.definition.shape, components)
  if (operation.query === 'item' && plan !== undefined) return expansionOf(plan.list)
  const query = operation.query === 'endpoint' ? route.endpoint?.methods.get(method)?.query : undefined
  if (query === undefined) return []
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest } = schema
    return {
      name,
      in: 'query',
      required: query.required?.includes(name) === true,
      ...(typeof description === 'string' ? { description } : {}),
      schema: rest,
    }
  })
}

function listParameters(grammar: ListGrammar, shape: Shape, components: Components): readonly unknown[] {
  const { page } = grammar
  const shared = (name: string, names: readonly string[], description: string, schema: DocumentSchema): unknown =>
    components.once(`${names.at(-1)} ${page.first} ${page.size} ${page.max}`, () =>
      components.share('parameters', names, { name, in: 'query', description, schema }),
    )
  const number = shared(
    parameter.page,
    ['Offest', `OffestFrom${page.first}`],
    `The number of the page; the first is ${page.first} (QUERY-4).`,
    {
      type: 'integer',
      minimum: page.first,
      maximum: Number.MAX_SAFE_INTEGER,
      default: page.first,
    },
  )
  const size = shared(parameter.size, ['Limit', `Limit${page.size}To${page.max}`], `Items per page, at most ${page.max} (QUERY-5).`, {
    type: 'integer',
    minimum: 1,
    maximum: page.max,
    default: page.size,
  })
  const search = shared(parameter.search, ['Search'], 'A text to search for, as the search engine takes it (QUERY-3).', { type: 'string' })
  return [
    ...[...grammar.filters.values()].map((filter) => filterParameter(filter, shape)),
    ...(grammar.sort.size > 0 ? [sortParameter([...grammar.sort.keys()])] : []),
    ...(grammar.searchable ? [search] : []),
    number,
    size,
    ...expansionOf(grammar),
  ]
}

/** How each operator compares, as the rest of a sentence. */
const comparisons: Readonly<Record<TypedFilter['op'], string>> = {
  eq: 'is the value',
  gt: 'is above the value',
  gte: 'is the value or above it',
  lt: 'is below the value',
  lte: 'is the value or below it',
  contains: 'holds the value',
  null: 'is null (`true`) or is not (`false`)',
}

function filterParameter({ name, field, path, op, many, allowed }: TypedFilter, shape: Shape): Parameter {
  const member = shape.at(path)
  const value = op === 'null' ? { type: 'boolean' } : scalarSchema(op === 'contains' ? member?.items : member, allowed)
  const any = many ? ' Several values mean any of them.' : ''
  return {
    name,
    in: 'query',
    description: `Items whose \`${field}\` ${comparisons[op]} (QUERY-1).${any}`,
    ...(many ? { style: 'form', explode: true, schema: { type: 'array', items: value, minItems: 1 } } : { schema: value }),
  }
}

/** What a query compares with: a value of the member's type, whatever bounds the member itself has. */
function scalarSchema(shape: Shape | undefined, allowed: readonly unknown[] | undefined): DocumentSchema {
  const types = [...(shape?.types ?? [])].filter((type) => type !== 'object' && type !== 'array')
  const type = types.length === 0 ? 'string' : types.length === 1 ? types[0] : types
  return {
    type,
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...(shape?.format === undefined || allowed !== undefined ? {} : { format: shape.format }),
    ...(type === 'integer' && allowed === undefined ? { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } : {}),
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Each field once: the lookahead refuses one that comes again. */
function sortParameter(fields: readonly string[]): Parameter {
  const one = `[-+ ]?(?:${fields.map(escaped).join('|')})`
  const [first = '', second] = fields
  const examples: Record<string, { readonly summary: string; readonly value: string }> = {
    ascending: { summary: `By ${first}, ascending`, value: first },
    descending: { summary: `By ${first}, descending`, value: `-${first}` },
    ...(second === undefined ? {} : { several: { summary: `By ${first}, descending, then by ${second}`, value: `-${first},${second}` } }),
  }
  return {
    name: parameter.sort,
    in: 'query',
    description: 'A comma list of fields to sort by: `-` is descending, `+` or nothing ascending; later fields break ties (QUERY-2).',
    schema: { type: 'string', pattern: `^(?!(?:.*,)?[-+ ]?([^,]+),(?:.*,)?[-+ ]?\\1(?:,|$))${one}(?:,${one})*$` },
    examples,
  }
}

function expansionOf({ expandable }: ListGrammar): readonly Parameter[] {
  if (expandable.length === 0) return []
  const one = `(?:${expandable.map(escaped).join('|')})`
  return [
    {
      name: parameter.expand,
      in: 'query',
      description: `A comma list of associations to put in full: ${expandable.map((name) => `\`${name}\``).join(', ')} (QUERY-6).`,
      schema: { type: 'string', pattern: `^${one}(?:,${one})*$` },
      examples: { one: { value: expandable[0] }, ...(expandable.length > 1 ? { all: { value: expandable.join(',') } } : {}) },
    },
  ]
}

/** Header fields that a request may, or must, have. */
function fieldsOf(situation: Situation, components: Components): readonly unknown[] {
  const { operation, route, facts } = situation
  const shared = (names: readonly string[], name: string, description: string, schema: DocumentSchema, required = false): unknown =>
    components.once(`${names[0]}`, () =>
      components.share('parameters', names, { name, in: 'header', description, ...(required ? { required } : {}), schema }),
    )
  const tags = { type: 'string' }
  const changes = operation.preconditions === 'item'
  const ifMatch = facts.requireIfMatch
    ? shared(
        ['RequiredIfMatch'],
        header.ifMatch,
        'The `Etag` of the version that is to be changed: 428 without it, 412 where it is not the current one (HDR-3).',
        tags,
        true,
      )
    : shared(
        ['IfMatch'],
        header.ifMatch,
        'The `Etag` of the version that is to be changed: 412 where it is not the current one (HDR-3).',
        tags,
      )
  const creates = operation.creates === true && route.resource !== undefined && route.resource.idempotencyKey !== 'ignored'
  return [
    ...(changes ? [ifMatch] : []),
    ...(readsConditionally(situation)
      ? [
          shared(
            ['IfNoneMatch'],
            header.ifNoneMatch,
            'The `Etag` of the representation that the client has: 304 where it is the current one (HDR-4).',
            tags,
          ),
        ]
      : []),
    ...(operation.answers === 'item' && operation.method !== 'GET' ? [preference(operation.method, shared)] : []),
    ...(creates ? [idempotency(route.resource?.idempotencyKey === 'required', shared)] : []),
  ]
}

type Share = (names: readonly string[], name: string, description: string, schema: DocumentSchema, required?: boolean) => unknown

const preference = (method: string, shared: Share): unknown =>
  method === 'POST'
    ? shared(['PreferRepresentation'], header.prefer, '`return=representation` asks for the new item in the answer (VERB-2).', {
        type: 'string',
        examples: ['return=representation'],
      })
    : shared(['PreferMinimal'], header.prefer, '`return=minimal` asks for an answer without a body (VERB-10).', {
        type: 'string',
        examples: ['return=minimal'],
      })

const idempotency = (required: boolean, shared: Share): unknown =>
  shared(
    [required ? 'RequiredIdempotencyKey' : 'IdempotencyKey'],
    header.idempotencyKey,
    'A key of the client for this request: an equal repeat creates nothing and gets the first answer (VERB-12).',
    { type: 'string', minLength: 1, maxLength: longestKey, pattern: idempotencyKeyPattern },
    required,
  )

/** Which column holds which member, and whether it can: what the options name, held against what the database says. */
import { own } from '../../definition/json.js'
import { knownOptions } from '../../definition/known-options.js'
import { didYouMean, nearMiss } from '../../definition/near-miss.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import type { Shape } from '../../definition/shape.js'
import type { CatalogColumn, Relation } from './catalog.js'
import { columnType } from './column-types.js'
import { type ColumnOptions, type PostgresAdapterOptions, snakeCase } from './options.js'
import type { Content } from './places.js'
import { quote, row } from './sql.js'

/** A member of the record with a column, or an expression, of its own. */
export interface Member {
  readonly name: string
  readonly content: Content
  /** The SQL of its value in what is read. */
  readonly sql: string
  /** The column it is written to. */
  readonly column: string | undefined
  /** The database gives the column its value, and takes another only when told that it is meant. */
  readonly always: boolean
  /** Texts of the column may be equal and yet differ: in case, say. */
  readonly blind: boolean
  /** The column has a value of its own where none is given. */
  readonly hasDefault: boolean
  readonly nullable: boolean
  readonly notNull: boolean
}

/** What an option says of a member's column. */
interface Named extends ColumnOptions {
  readonly column: string
}

/** What a resource's options say of columns, before the database is asked. */
export function columnNames(definition: ResourceDefinition, options: PostgresAdapterOptions): ReadonlyMap<string, Named> {
  const { naming = 'snake_case', columns = {} } = options
  const named = naming === 'snake_case' ? snakeCase : naming === 'same' ? (member: string) => member : naming
  const names = new Map<string, Named>()
  for (const member of new Set([...definition.shape.members.keys(), ...Object.keys(columns)])) {
    const given = own(columns, member) as string | ColumnOptions | undefined
    const details = typeof given === 'string' ? { column: given } : checked(member, given)
    names.set(member, { ...details, column: details.column ?? named(member) })
  }
  return names
}

const columnOptions: Readonly<Record<keyof ColumnOptions, true>> = { column: true, write: true, expression: true }

const checked = (member: string, given: ColumnOptions | undefined): ColumnOptions =>
  given === undefined ? {} : (knownOptions(`columns.${member} of postgresAdapter()`, given, columnOptions) as ColumnOptions)

/** A member as the database has it; `undefined`, perhaps with a fault, where it has no column. */
export function memberOf(
  name: string,
  named: Named,
  shape: Shape | undefined,
  table: Relation,
  source: Relation,
  options: PostgresAdapterOptions,
  faults: string[],
): Member | undefined {
  const nullable = shape?.nullable ?? true
  if (named.expression !== undefined) {
    const content = computedContent(shape)
    if (content === undefined) {
      faults.push(`"${name}" is computed and has no single type: give it one in the schema`)
      return undefined
    }
    return {
      name,
      content,
      sql: `(${named.expression})`,
      column: undefined,
      always: false,
      blind: false,
      hasDefault: false,
      nullable,
      notNull: false,
    }
  }
  const column = source.columns.get(named.column)
  if (column === undefined) {
    if (options.rest === undefined) faults.push(missing(name, named.column, source))
    return undefined
  }
  const written = table.columns.get(named.column)
  const content = contentOf(column, shape)
  if (typeof content === 'string') {
    faults.push(`"${name}" ${content}`)
    return undefined
  }
  const writable = named.write !== false && written !== undefined && !written.generated
  return {
    name,
    content,
    sql: `${row}.${quote(named.column)}`,
    column: writable ? named.column : undefined,
    always: written?.identity === 'a',
    blind: column.blind,
    hasDefault: written !== undefined && (written.default !== null || written.identity !== ''),
    nullable,
    notNull: column.notNull,
  }
}

function missing(name: string, column: string, source: Relation): string {
  const columns = [...source.columns.keys()]
  return `"${name}" has no column "${column}". ${didYouMean(nearMiss(column, columns), columns)} Name it in "columns" or set "naming"`
}

/** What a column holds of a member, or why it can't. */
function contentOf(column: CatalogColumn, shape: Shape | undefined): Content | string {
  const { type } = column
  if (type === 'jsonb' || type === 'json') return { kind: 'json', cast: type }
  if (type.endsWith('[]')) {
    const item = columnType(type.slice(0, -2), undefined, shape?.items?.format)
    if (item === undefined) return `lies in "${column.name}", a ${type}: such arrays can't be read as JSON. Use jsonb`
    return shape === undefined || shape.isArray ? { kind: 'array', item } : `is no list, but its column "${column.name}" is a ${type}`
  }
  const known = columnType(type, column.labels ?? undefined, shape?.format)
  if (known === undefined) {
    if (type === 'timestamp with time zone')
      return `is a local date-time, but its column "${column.name}" is a ${type}, which is shown in any zone. Use text or timestamp`
    return `lies in "${column.name}", a ${type}: there is no JSON for it. Give an expression`
  }
  const strangers = [...(shape?.types ?? [])].filter((kind) => !(known.holds as readonly string[]).includes(kind))
  if (shape !== undefined && shape.types.size === 0)
    return `has no type in the schema, but its column "${column.name}" is a ${type}. Give it one, or use jsonb`
  if (strangers.length > 0) return `may be ${strangers.join(' or ')}, but its column "${column.name}" is a ${type}`
  return { kind: 'scalar', type: known }
}

/** What an expression gives, as the schema says. */
function computedContent(shape: Shape | undefined): Content | undefined {
  const [type, ...others] = shape?.types ?? []
  if (type === undefined || others.length > 0) return undefined
  if (type === 'object' || type === 'array') return { kind: 'json', cast: 'jsonb' }
  const name = type === 'integer' ? 'bigint' : type === 'number' ? 'double precision' : type === 'boolean' ? 'boolean' : 'text'
  const known = columnType(name, undefined, shape?.format)
  return known && { kind: 'scalar', type: known }
}

/** The column of the members that have none. */
export function restContent(name: string, source: Relation, faults: string[]): Content | undefined {
  const column = source.columns.get(name)
  if (column?.type === 'jsonb' || column?.type === 'json') return { kind: 'json', cast: column.type }
  faults.push(`"rest" must name a jsonb column, and "${name}" is ${column === undefined ? 'none' : `a ${column.type}`}`)
  return undefined
}

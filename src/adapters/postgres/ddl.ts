/**
 * Generates the DDL of a table that matches a definition, for services that have no table yet. The
 * library does not run the DDL.
 */
import type { ResourceDefinition } from '../../definition/resource.js'
import type { Shape } from '../../definition/shape.js'
import { type Distributing, distributing, type TableDdlOptions } from './distributed-ddl.js'
import { tableOptions } from './options/option-kinds.js'
import type { PostgresAdapterOptions, TextSearch, VersionColumn } from './options/options.js'
import { vectorSql } from './reads/search.js'
import { literal, quote, quoteRelation, type RelationName, relationName, rowAlias } from './sql/sql.js'
import type { CatalogColumn, Relation } from './table/catalog.js'
import { columnNames } from './table/columns.js'
import { idempotencyDdl } from './table/idempotency-table.js'
import { Layout } from './table/layout.js'
import { unfit } from './unfit.js'

interface Column {
  readonly name: string
  readonly type: string
  readonly notNull: boolean
  readonly more: string
}

/**
 * Returns the DDL of a table for a resource and the options of its adapter. The DDL contains:
 * - the columns and the primary key;
 * - if `version` names a column: that column, whose values are random UUIDs, and the trigger that
 *   changes the version on each update;
 * - indexes for the filters, the sort orders, the parents and the search;
 * - the join tables, and the table for idempotency keys, if the options name them.
 *
 * With `{ distributed: true }`, the DDL is for Citus. The tables then have no trigger, and
 * `create_distributed_table` distributes them over the servers. The distribution column is the
 * column of the key member that refers to the parent. Without such a member, the distribution
 * column is the column of the first key member. The option `version` must be
 * `{ column, soleWriter: true }`.
 *
 * Throws `ConfigurationError` if an option is invalid, or if no table can match the options.
 *
 * @example
 * const ddl = tableDdl(prePiezas, { table: 'pre_piezas', version: { column: 'version' } })
 * console.log(ddl)
 */
export function tableDdl<T, K>(
  definition: ResourceDefinition<T, K>,
  options: PostgresAdapterOptions<NoInfer<T>, NoInfer<K>>,
  how: TableDdlOptions = {},
): string {
  tableOptions('tableDdl()', options)
  return [...printed(definition as ResourceDefinition, options as unknown as PostgresAdapterOptions, how)]
    .join('\n\n')
    .concat('\n')
}

function* printed(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  how: TableDdlOptions,
): Generator<string> {
  const table = quoteRelation(relationName(options.table))
  const columns = columnsOf(definition, options)
  const layout = new Layout(definition, options, relationOf(columns), relationOf(columns))
  const keys = layout.key.map(({ column }) => quote(column as string))
  const version = versionColumn(options)
  const distribution = distributing(definition, options, layout, how)
  const lines = [
    ...columns.map(({ name, type, notNull, more }) => `  ${quote(name)} ${type}${notNull ? ' NOT NULL' : ''}${more}`),
    ...(version === undefined ? [] : [`  ${quote(version)} uuid NOT NULL DEFAULT gen_random_uuid()`]),
    `  PRIMARY KEY (${keys.join(', ')})`,
  ]
  yield `CREATE TABLE ${table} (\n${lines.join(',\n')}\n);`
  if (distribution !== undefined) yield distribution.ownTable
  else if (version !== undefined) yield trigger(relationName(options.table), version)
  yield* indexes(definition, options, layout, table, keys)
  yield* joinTables(definition, options, layout, { table, columns, distribution })
  if (options.idempotency === undefined) return
  yield idempotencyDdl(options.idempotency)
  if (distribution !== undefined) yield distribution.sharedTable(relationName(options.idempotency.table), 'id')
}

/**
 * Returns the DDL of the trigger that changes a row's version on every update, no matter which
 * client makes the update.
 */
function trigger(table: RelationName, version: string): string {
  const name = `${table.name}_next_version`
  const called = quoteRelation({ ...table, name })
  return [
    `CREATE FUNCTION ${called}() RETURNS trigger LANGUAGE plpgsql AS $$`,
    `BEGIN NEW.${quote(version)} := gen_random_uuid(); RETURN NEW; END $$;`,
    `CREATE TRIGGER ${quote(name)} BEFORE UPDATE ON ${quoteRelation(table)} FOR EACH ROW EXECUTE FUNCTION ${called}();`,
  ].join('\n')
}

function versionColumn({ version }: PostgresAdapterOptions): string | undefined {
  if (typeof version === 'object' && 'next' in version)
    throw unfit(
      'tableDdl() does not support version.next: with this DDL, the database sets the next version. ' +
        'Remove version.next',
    )
  return version !== undefined && version !== 'xmin' && 'column' in version
    ? (version as VersionColumn).column
    : undefined
}

function columnsOf(definition: ResourceDefinition, options: PostgresAdapterOptions): readonly Column[] {
  const { shape, key, assigned } = definition
  const columns: Column[] = []
  for (const [member, named] of columnNames(definition, options)) {
    if (named.expression !== undefined) continue
    const of = shape.members.get(member)
    if (of === undefined) {
      // The schema has no member for this column. `onCreate` and `onUpdate` set the column, for
      // example to the user or the time.
      columns.push({ name: named.column, type: 'text COLLATE "C"', notNull: false, more: '' })
      continue
    }
    const inKey = key.members.includes(member)
    const type = typeOf(of)
    const identity =
      inKey && assigned.has(member) && key.members.length === 1 && type === 'bigint'
        ? ' GENERATED BY DEFAULT AS IDENTITY'
        : ''
    columns.push({
      name: named.column,
      type,
      notNull: inKey || (shape.required.has(member) && !of.nullable),
      more: identity || checkOf(of, named.column),
    })
  }
  if (options.rest !== undefined) columns.push({ name: options.rest, type: 'jsonb', notNull: false, more: '' })
  if (options.softDelete !== undefined) {
    const { column, deleted = '' } =
      typeof options.softDelete === 'string' ? { column: options.softDelete } : options.softDelete
    const flag = /^\s*(?:true|false)\s*$/i.test(deleted)
    columns.push({ name: column, type: flag ? 'boolean' : 'timestamptz', notNull: false, more: '' })
  }
  return columns
}

/**
 * The column types of the string formats that are not stored as text. With these types, the
 * database compares values correctly, even values that other programs have written.
 */
const formatted: Readonly<Record<string, string>> = {
  'date-time': 'timestamptz',
  uuid: 'uuid',
  decimal: 'numeric',
  int64: 'bigint',
}

/**
 * Returns the column type of a member. With this type, the database sorts and compares values as
 * the conventions require. Text is sorted by code point. Numbers are doubles, and integers are
 * `bigint`. Booleans are `boolean`, and the formats in `formatted` have types of their own. All
 * other values are stored as JSON.
 */
function typeOf(shape: Shape): string {
  const [type, ...others] = shape.types
  if (type === undefined || others.length > 0) return 'jsonb'
  const types: Readonly<Record<string, string>> = {
    string: formatted[shape.format ?? ''] ?? 'text COLLATE "C"',
    integer: 'bigint',
    number: 'double precision',
    boolean: 'boolean',
  }
  return types[type] ?? 'jsonb'
}

/**
 * Returns the CHECK constraint for a column of local date-times, and an empty string for any other
 * column. A local date-time is stored as text, because a timestamp of PostgreSQL can't hold seven
 * fractional digits. The constraint allows only one format, whose alphabetical order is also the
 * chronological order.
 */
function checkOf({ format, types }: Shape, column: string): string {
  if (format !== 'local-date-time' || !types.has('string')) return ''
  return ` CHECK (${quote(column)} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{7}$')`
}

/**
 * Describes the new table as a `Relation`, as if the table already existed and had been read from
 * the catalog. Indexes then use the same expressions as the statements of lists.
 */
function relationOf(columns: readonly Column[]): Relation {
  const described = columns.map(({ name, type, notNull }): [string, CatalogColumn] => {
    const plain = type.startsWith('text') ? 'text' : type === 'timestamptz' ? 'timestamp with time zone' : type
    return [
      name,
      {
        name,
        type: plain,
        labels: null,
        notNull,
        generated: false,
        virtual: false,
        identity: '',
        default: null,
        domain: null,
        foldsTexts: false,
        collation: '0',
      },
    ]
  })
  return {
    oid: '0',
    secured: false,
    kind: 'r',
    distributed: false,
    stamped: true,
    rows: 0,
    hasInsertTrigger: false,
    triggers: [],
    rules: { insert: false, update: false },
    indirect: { update: false, remove: false },
    cascades: false,
    databaseHasDeferrableTriggers: false,
    lacking: [],
    exactDoubles: true,
    width: 0,
    columns: new Map(described),
    indexes: [],
    constraints: [],
    partitionedBy: [],
    tablesBelow: [],
    foreignTablesBelow: [],
    inherited: [],
  }
}

function* indexes(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  layout: Layout,
  table: string,
  keys: readonly string[],
): Generator<string> {
  const bare = (sql: string): string => sql.replaceAll(`${rowAlias}."`, '"')
  const made = new Set([keys.join(', ')])
  const index = function* (parts: readonly string[]): Generator<string> {
    // PostgreSQL can't index an expression that contains a subquery.
    if (parts.some((sql) => /\(\s*select\b/i.test(sql))) return
    const all = [...new Set([...parts.map(bare), ...keys])]
    const name = all.join(', ')
    if (!made.has(name) && all[0] !== keys[0]) yield `CREATE INDEX ON ${table} (${all.join(', ')});`
    made.add(name)
  }
  const expression = (path: readonly string[]): string => {
    const { sql, column } = layout.place(path)
    return column === undefined ? `(${sql})` : sql
  }
  if (definition.parent !== undefined) yield* index(definition.parent.by.map((member) => expression([member])))
  for (const { by } of definition.attachedTo)
    if (by !== undefined) yield* index(by.map((member) => expression([member])))
  for (const field of definition.sort) yield* index([expression(field.split('.'))])
  for (const { op, path } of definition.filters.values()) {
    if (op === 'contains') {
      const { sql, inner } = layout.holder(path)
      const part =
        inner.length === 0 ? sql : `(${sql} #> ${literal(`{${inner.map((name) => JSON.stringify(name)).join(',')}}`)})`
      yield `CREATE INDEX ON ${table} USING gin (${bare(inner.length === 0 ? part : `(${part})`)} jsonb_path_ops);`
    } else if (op !== 'null') yield* index([expression(path)])
  }
  if (definition.search === undefined || typeof options.search === 'function') return
  const search: TextSearch = options.search ?? {}
  if (search.vector === undefined)
    yield `CREATE INDEX ON ${table} USING gin ((${bare(vectorSql({ definition, layout }, search))}));`
}

function* joinTables(
  definition: ResourceDefinition,
  { attached = {} }: PostgresAdapterOptions,
  layout: Layout,
  {
    table,
    columns,
    distribution,
  }: { readonly table: string; readonly columns: readonly Column[]; readonly distribution: Distributing | undefined },
): Generator<string> {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  for (const { of, by, as } of definition.attachedTo) {
    const join = attached[as]
    if (by !== undefined || join === undefined) continue
    const [parents, keys] = [[join.parent].flat(), [join.key].flat()]
    const parentTypes =
      typeof of === 'string' ? [] : of.key.members.map((member) => typeOf(of.shape.members.get(member) as Shape))
    const lines = [
      ...parents.map((column, i) => `  ${quote(column)} ${parentTypes[i] ?? 'text COLLATE "C"'} NOT NULL`),
      ...keys.map((column, i) => `  ${quote(column)} ${types.get(layout.key[i]?.column ?? '') ?? 'text'} NOT NULL`),
      `  PRIMARY KEY (${[...parents, ...keys].map(quote).join(', ')})`,
    ]
    const reference = `FOREIGN KEY (${keys.map(quote).join(', ')}) REFERENCES ${table} ON DELETE CASCADE`
    const name = quoteRelation(relationName(join.table))
    yield `CREATE TABLE ${name} ` +
      `(\n${[...lines, ...(distribution === undefined ? [`  ${reference}`] : [])].join(',\n')}\n);`
    if (distribution !== undefined) {
      const by = layout.key.findIndex(({ column }) => column === distribution.column)
      yield distribution.joinTable(relationName(join.table), keys[by] as string)
      // A table that is not distributed can't reference a distributed table, so the foreign key is
      // added after the join table has been distributed.
      yield `ALTER TABLE ${name} ADD ${reference};`
    }
    yield `CREATE INDEX ON ${name} (${keys.map(quote).join(', ')});`
  }
}

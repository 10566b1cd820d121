/** Derives the DDL, the resource and the adapter options from a random table design. */
import type { PostgresAdapterOptions } from '../../src/adapters/postgres/index.js'
import { snakeCase } from '../../src/adapters/postgres/options/snake-case.js'
import { defineResource, type ResourceDefinition } from '../../src/definition/resource.js'
import { type Design, isReadOnly, type MemberDesign } from './designs.js'
import { securityOf } from './security.js'

export interface Built {
  /** Statements that create the table and everything that belongs to it. */
  readonly ddl: string
  /** Statements that drop everything that `ddl` creates. */
  readonly drop: string
  readonly resource: ResourceDefinition
  readonly options: PostgresAdapterOptions
  /** The quoted name of the table that stores the rows. */
  readonly base: string
  /** The quoted column of a member. */
  column(member: string): string
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The filter parameters of each member that has filters. A parameter is named after the index of
 * the member, because some member names, such as `sort`, have another meaning in a query.
 */
export const filtersOf = ({ key, members }: Design) =>
  [...key, ...members].flatMap((member, i) => {
    const { compares } = member.kind
    if (compares === 'none' || member.name.includes('.')) return []
    return [
      {
        member,
        i,
        eq: `f${i}`,
        any: `any${i}`,
        gt: `gt${i}`,
        gte: `gte${i}`,
        lt: `lt${i}`,
        lte: `lte${i}`,
        nulls: `null${i}`,
        has: `has${i}`,
      },
    ]
  })

/** The members that lists can be sorted by. */
export const sortsOf = ({ key, members }: Design): readonly MemberDesign[] =>
  [...key, ...members].filter(
    ({ kind, name }) => ['all', 'equality'].includes(kind.compares) && !/[.,]|^[-+ ]/.test(name),
  )

/**
 * The resource of a design. The resource does not depend on the database, so it is also used with
 * the memory adapter.
 */
export function resourceOf(design: Design): ResourceDefinition {
  const { key, members } = design
  const all = [...key, ...members]
  const scope = members.find(({ filled }) => filled === 'scope')
  const properties = Object.fromEntries(
    all.map((member) => {
      const isKey = key.includes(member)
      const { schema } = member.kind
      const type = member.filled === 'null' ? [schema.type, 'null'] : schema.type
      return [member.name, { ...schema, type, ...(isReadOnly(member, isKey) ? { readOnly: true } : {}) }]
    }),
  )
  const filters = Object.fromEntries(
    filtersOf(design).flatMap(
      ({ member: { name: field, kind }, eq, any, gt, gte, lt, lte, nulls, has }): [string, object][] => {
        const asksNull: [string, object] = [nulls, { field, op: 'null' }]
        if (kind.compares === 'contains') return [[has, { field, op: 'contains' }], asksNull]
        const equal: [string, object][] = [[eq, { field }], [any, { field, many: true }], asksNull]
        if (kind.compares === 'equality') return equal
        const range = (name: string, op: string): [string, object] => [name, { field, op }]
        return [...equal, range(gt, 'gt'), range(gte, 'gte'), range(lt, 'lt'), range(lte, 'lte')]
      },
    ),
  )
  return defineResource<Record<string, unknown>>()({
    collection: 'cosas',
    key: (key.length === 1 ? key[0]?.name : key.map(({ name }) => name)) as never,
    assigned: key.filter(({ filled }) => filled !== 'sent').map(({ name }) => name) as never,
    schema: {
      type: 'object',
      required: all.filter(({ filled }, i) => filled === 'sent' || i < key.length).map(({ name }) => name),
      properties,
    },
    filters: filters as never,
    sort: sortsOf(design).map(({ name }) => name) as never,
    ...(scope === undefined ? {} : { scope: () => ({ [scope.name]: 'mine' }) }),
  }) as unknown as ResourceDefinition
}

let count = 0

/**
 * The DDL, the resource and the adapter options for a design. `role` is the database role that
 * row-level security applies to.
 */
export function build(design: Design, role: string): Built {
  const { form, version, key, members, names, unique, reference, security } = design
  const id = `laws_${++count}`
  const mixed = names === 'same' ? `${id} "Table"` : id
  const [table, base, log, parents] = [mixed, form === 'view' ? `${id}_base` : mixed, `${id}_log`, `${id}_parents`]
  const columnName = (member: string): string => (names === 'same' ? member : snakeCase(member))
  const column = (member: string): string => quote(columnName(member))
  const all = [...key, ...members]
  const columns = all.map((member) => columnDdl(member, column(member.name), design, column))
  const lines = [
    ...columns,
    ...(version === 'uuid' || version === 'unmoved' ? ['laws_version uuid NOT NULL DEFAULT gen_random_uuid()'] : []),
    ...(version === 'sequence' ? ['laws_version bigserial'] : []),
    ...(form === 'softDelete' ? ['laws_gone timestamptz'] : []),
    ...(security === 'none'
      ? []
      : [`laws_tenant text NOT NULL DEFAULT coalesce(nullif(current_setting('app.tenant', true), ''), 'mine')`]),
    'laws_extra int',
    `PRIMARY KEY (${key.map(({ name }) => column(name)).join(', ')})`,
    ...(unique === undefined
      ? []
      : [`UNIQUE (${column(unique.member)})${unique.deferred ? ' DEFERRABLE INITIALLY DEFERRED' : ''}`]),
    ...(reference === undefined
      ? []
      : [
          `FOREIGN KEY (${reference.members.map(column).join(', ')}) REFERENCES ` +
            `${quote(parents)}${reference.deferred ? ' DEFERRABLE INITIALLY DEFERRED' : ''}`,
        ]),
  ]
  const statements = [
    ...(reference === undefined
      ? []
      : [
          `CREATE TABLE ${quote(parents)} (a bigint, b bigint, PRIMARY KEY (a, b))`,
          `INSERT INTO ${quote(parents)} VALUES (1, 1), (1, 2), (2, 1), (2, 2)`,
        ]),
    `CREATE TABLE ${quote(base)} ` +
      `(${lines.join(', ')})${form === 'partitioned' ? ` PARTITION BY HASH (${column(key[0]?.name ?? '')})` : ''}`,
    ...(form === 'partitioned'
      ? [0, 1].map(
          (part) =>
            `CREATE TABLE ${quote(`${id}_part${part}`)} PARTITION OF ${quote(base)} FOR VALUES WITH (MODULUS 2, ` +
            `REMAINDER ${part})`,
        )
      : []),
    ...versionTrigger(design, id, base),
    ...triggers(design, id, base, log, column),
    ...securityOf(design, quote(base), role),
    ...(form === 'view' ? viewOf(design, id, base, table, column) : []),
    ...(form === 'readFrom'
      ? [`CREATE VIEW ${quote(`${id}_shown`)} AS SELECT *, 1 AS computed FROM ${quote(base)}`]
      : []),
  ]
  return {
    ddl: statements.join(';\n'),
    drop: [
      `DROP VIEW IF EXISTS ${quote(`${id}_shown`)}`,
      ...(form === 'view' ? [`DROP VIEW IF EXISTS ${quote(table)}`] : []),
      ...[base, log, parents].map((name) => `DROP TABLE IF EXISTS ${quote(name)} CASCADE`),
      ...['version', 'trigger', 'instead'].map((name) => `DROP FUNCTION IF EXISTS ${id}_${name}() CASCADE`),
    ].join(';\n'),
    resource: resourceOf(design),
    options: {
      table: { name: table },
      ...(form === 'readFrom' && version !== 'xmin' ? { readFrom: { name: `${id}_shown` } } : {}),
      naming: names,
      version: versionOption(
        design,
        all.map(({ name }) => column(name)),
      ),
      ...(form === 'softDelete' ? { softDelete: 'laws_gone' } : {}),
    },
    base: quote(base),
    column,
  }
}

function versionOption(
  { version, form }: Design,
  columns: readonly string[],
): NonNullable<PostgresAdapterOptions['version']> {
  if (form === 'view') return { expression: 'laws_version' }
  if (version === 'xmin') return 'xmin'
  if (version === 'expression') return { expression: `md5(ROW(${columns.join(', ')})::text)` }
  return { column: 'laws_version' }
}

function columnDdl(member: MemberDesign, name: string, design: Design, column: (member: string) => string): string {
  const { kind, filled } = member
  const isKey = design.key.includes(member)
  switch (filled) {
    case 'null':
      return `${name} ${kind.type}`
    case 'sent':
    case 'scope':
      return `${name} ${kind.type} NOT NULL`
    case 'default':
      return (
        `${name} ${kind.type} NOT NULL DEFAULT ` +
        `${isKey ? `gen_random_uuid()${kind.type === 'uuid' ? '' : '::text'}` : kind.foreign?.[0]}`
      )
    case 'generated': {
      const other = design.members.find(({ filled }) => filled === 'null')
      return (
        `${name} boolean GENERATED ALWAYS AS ` +
        `(${other === undefined ? 'true' : `${column(other.name)} IS NULL`}) STORED`
      )
    }
    case 'identity':
      return `${name} integer GENERATED ALWAYS AS IDENTITY`
    case 'identity by default':
      return `${name} integer GENERATED BY DEFAULT AS IDENTITY`
    case 'serial':
      // The adapter increments the last part of a composite key, so the column of that part has no
      // default.
      return design.keyForm === 'counted' && isKey ? `${name} integer NOT NULL` : `${name} serial`
  }
}

/** A trigger that increments or replaces the version at each update by any session. */
function versionTrigger({ version }: Design, id: string, base: string): readonly string[] {
  if (version !== 'uuid' && version !== 'sequence') return []
  const next =
    version === 'uuid'
      ? 'gen_random_uuid()'
      : `nextval(pg_get_serial_sequence('${quote(base).replaceAll("'", "''")}', 'laws_version'))`
  return [
    `CREATE FUNCTION ${id}_version() RETURNS trigger LANGUAGE plpgsql AS $laws$ BEGIN NEW.laws_version := ` +
      `${next}; RETURN NEW; END $laws$`,
    `CREATE TRIGGER laws_version BEFORE UPDATE ON ${quote(base)} FOR EACH ROW EXECUTE FUNCTION ${id}_version()`,
  ]
}

/** The SQL literal of a value that another session stores in the member. */
const foreignOf = (
  member: MemberDesign,
  isKey: boolean,
  pick: (values: readonly string[]) => string,
): string | undefined => {
  const values = (member.kind.foreign ?? []).filter((value) => !isKey || value !== `''`)
  return values.length === 0 ? undefined : pick(values)
}

/**
 * An INSERT that another session runs. It can contain values that the API would spell differently
 * or not accept. With `inexact`, JSON can't represent some of the values exactly. With `stranger`,
 * the row belongs to another caller. Returns `undefined` if a required member has no value for the
 * INSERT, because its kind has no `foreign` values.
 */
export function foreignInsert(
  design: Design,
  { base, column }: Built,
  inexact: boolean,
  pick: (values: readonly string[]) => string,
  stranger = false,
): string | undefined {
  const given: (readonly [column: string, sql: string])[] = []
  for (const member of [...design.key, ...design.members]) {
    const isKey = design.key.includes(member)
    const counts = design.keyForm === 'counted' && isKey && member.filled === 'serial'
    if (stranger && member.filled === 'scope') given.push([column(member.name), `'theirs'`])
    else if (counts) given.push([column(member.name), pick(['101', '102', '103', '104', '105', '106'])])
    else if (member.filled === 'sent' || member.filled === 'scope') {
      const sql = foreignOf(member, isKey, pick)
      if (sql === undefined) return undefined
      given.push([column(member.name), sql])
    } else if (member.filled === 'null') {
      const odd = inexact && member.kind.inexact !== undefined ? pick(member.kind.inexact) : undefined
      const sql = odd ?? foreignOf(member, isKey, pick)
      if (sql !== undefined) given.push([column(member.name), sql])
    }
  }
  if (stranger && design.security !== 'none') given.push(['laws_tenant', `'theirs'`])
  if (given.length === 0) return `INSERT INTO ${base} DEFAULT VALUES`
  return (
    `INSERT INTO ${base} (${given.map(([name]) => name).join(', ')}) VALUES ` +
    `(${given.map(([, sql]) => sql).join(', ')})`
  )
}

/** The first nullable string member. The triggers read or change this member. */
export const watched = ({ members }: Design): MemberDesign | undefined =>
  members.find(
    ({ kind, filled }) => filled === 'null' && ['text', 'text "C"', 'varchar(8)', 'char(4)'].includes(kind.name),
  )

function triggers(
  design: Design,
  id: string,
  base: string,
  log: string,
  column: (member: string) => string,
): readonly string[] {
  const member = watched(design)
  const value = member === undefined ? undefined : `NEW.${column(member.name)}`
  const made = (when: string, body: string, kind = 'TRIGGER'): readonly string[] => [
    `CREATE FUNCTION ${id}_trigger() RETURNS trigger LANGUAGE plpgsql AS $laws$ BEGIN ${body} END $laws$`,
    `CREATE ${kind} laws_other ${when} ON ` +
      `${quote(base)}${kind === 'TRIGGER' ? '' : ' DEFERRABLE INITIALLY DEFERRED'} FOR EACH ROW EXECUTE FUNCTION ` +
      `${id}_trigger()`,
  ]
  switch (design.trigger) {
    case 'audit':
      return [
        `CREATE TABLE ${quote(log)} (at timestamptz, what text)`,
        ...made('AFTER INSERT OR UPDATE OR DELETE', `INSERT INTO ${quote(log)} VALUES (now(), TG_OP); RETURN NULL;`),
      ]
    case 'touch':
      return made('BEFORE INSERT OR UPDATE', `NEW.laws_extra := coalesce(NEW.laws_extra, 0) + 1; RETURN NEW;`)
    case 'lower case':
      return value === undefined ? [] : made('BEFORE INSERT OR UPDATE', `${value} := lower(${value}); RETURN NEW;`)
    case 'upper case, after':
    case 'upper case, deferred': {
      if (member === undefined) return []
      const same = design.key.map(({ name }) => `${column(name)} = NEW.${column(name)}`).join(' AND ')
      const name = column(member.name)
      return made(
        'AFTER INSERT OR UPDATE',
        // The UPDATE fires the trigger a second time, even if the trigger is deferred. The second
        // run finds nothing to change.
        `UPDATE ${quote(base)} SET ${name} = upper(${name}) WHERE ${same} AND ${name} IS DISTINCT FROM ` +
          `upper(${name}); RETURN NULL;`,
        design.trigger === 'upper case, after' ? 'TRIGGER' : 'CONSTRAINT TRIGGER',
      )
    }
    case 'null':
      return value === undefined
        ? []
        : made('BEFORE INSERT OR UPDATE', `IF ${value} LIKE '%a%' THEN RETURN NULL; END IF; RETURN NEW;`)
    case 'raise':
      return value === undefined
        ? []
        : made('BEFORE INSERT OR UPDATE', `IF ${value} LIKE '%a%' THEN RAISE 'not so'; END IF; RETURN NEW;`)
    case 'raise, deferred':
      return value === undefined
        ? []
        : made(
            'AFTER INSERT OR UPDATE',
            `IF ${value} LIKE '%a%' THEN RAISE 'not so'; END IF; RETURN NULL;`,
            'CONSTRAINT TRIGGER',
          )
    default:
      return []
  }
}

function viewOf(
  { key, members }: Design,
  id: string,
  base: string,
  view: string,
  column: (member: string) => string,
): readonly string[] {
  const names = [...key, ...members].map(({ name }) => column(name))
  const of = (record: string, list = names): string => list.map((name) => `${record}.${name}`).join(', ')
  const same = key.map(({ name }) => `${column(name)} = OLD.${column(name)}`).join(' AND ')
  return [
    `CREATE VIEW ${quote(view)} AS SELECT ${names.join(', ')}, laws_version FROM ${quote(base)}`,
    `CREATE FUNCTION ${id}_instead() RETURNS trigger LANGUAGE plpgsql AS $laws$ BEGIN
       IF TG_OP = 'INSERT' THEN
         INSERT INTO ${quote(base)} (${names.join(', ')}) VALUES (${of('NEW')}) RETURNING ${names.join(', ')}, laws_version INTO NEW; RETURN NEW;
       ELSIF TG_OP = 'UPDATE' THEN
         UPDATE ${quote(base)} SET (${names.join(', ')}) = ROW(${of('NEW')}) WHERE ${same} RETURNING ${names.join(', ')}, laws_version INTO NEW; RETURN NEW;
       END IF;
       DELETE FROM ${quote(base)} WHERE ${same}; RETURN OLD;
     END $laws$`,
    `CREATE TRIGGER laws_instead INSTEAD OF INSERT OR UPDATE OR DELETE ON ${quote(view)} FOR EACH ROW EXECUTE ` +
      `FUNCTION ${id}_instead()`,
  ]
}

/** Reads the description of a table or view from the catalog: its columns, keys and indexes. */
import type { Database, Wait } from '../connections/client.js'
import { quoteRelation, type RelationName } from '../sql/sql.js'
import { isDistributed } from './distribution.js'

export interface CatalogColumn {
  readonly name: string
  /** As `format_type` returns it. For a domain, its base type. */
  readonly type: string
  /** The labels of an enumeration, or of the enumeration that is the element type of an array. */
  readonly labels: readonly string[] | null
  readonly notNull: boolean
  /** Computed by the database at each write. */
  readonly generated: boolean
  /** Computed by the database at each read (PostgreSQL 18). */
  readonly virtual: boolean
  /** `''`, `a` (always) or `d` (by default). */
  readonly identity: string
  readonly default: string | null
  /** The name of its type, if that is a domain. */
  readonly domain: string | null
  /**
   * Whether different texts can compare as equal: the type ignores case, or the collation is
   * nondeterministic.
   */
  readonly blind: boolean
  /** The oid of its collation. '0' for a type without collation. */
  readonly collation: string
}

export interface CatalogIndex {
  readonly name: string
  readonly unique: boolean
  readonly partial: boolean
  /** Whether it is checked immediately, and not at the end of the transaction. */
  readonly immediate: boolean
  /** The key columns, followed by the included columns. Null for an expression. */
  readonly columns: readonly (string | null)[]
  readonly keys: number
}

interface CatalogConstraint {
  readonly name: string
  /** `p` primary key, `u` unique, `f` foreign key, `c` check, `x` exclusion, `n` not null. */
  readonly type: string
  readonly columns: readonly string[] | null
}

/** A trigger that is enabled for ordinary sessions. */
export interface CatalogTrigger {
  readonly name: string
  /** Whether it belongs to this table, and not to one below it. */
  readonly own: boolean
  readonly each: 'row' | 'statement'
  readonly timing: 'before' | 'after' | 'instead'
  readonly insert: boolean
  readonly update: boolean
  /** Whether it may run as late as the commit. */
  readonly deferrable: boolean
  /**
   * Whether it runs only for some of these changes: it has a WHEN, or an UPDATE OF with columns.
   */
  readonly limited: boolean
  readonly language: string
  readonly source: string
  readonly arguments: readonly string[]
}

export interface Relation {
  /** Its oid. */
  readonly oid: string
  /** `r` table, `p` partitioned table, `v` view, `m` materialized view, `f` foreign table. */
  readonly kind: string
  /** Whether Citus distributes it, or a table below it, over servers. */
  readonly distributed: boolean
  /**
   * Whether each row has the id of the transaction that wrote it (`xmin`). False for other storage
   * than PostgreSQL's own.
   */
  readonly stamped: boolean
  /** The estimated number of rows. Negative if the table was never analyzed. */
  readonly rows: number
  /** The privileges that the role lacks. */
  readonly lacking: readonly string[]
  /** Whether a trigger runs for each row before it is inserted, and may skip it. */
  readonly guarded: boolean
  readonly triggers: readonly CatalogTrigger[]
  /** Whether a rule adds to, or replaces, an INSERT or an UPDATE. */
  readonly rules: { readonly insert: boolean; readonly update: boolean }
  /**
   * Whether an INSTEAD OF trigger or a rule performs the write, on this view or one below. The
   * comparing statement then does not write itself.
   */
  readonly indirect: { readonly update: boolean; readonly remove: boolean }
  /**
   * Whether an update may change referring rows: a foreign key has ON UPDATE CASCADE, SET NULL or
   * SET DEFAULT.
   */
  readonly cascades: boolean
  /** Whether any trigger in the database may run as late as the commit. */
  readonly deferrals: boolean
  /** Whether policies decide which rows a role sees. */
  readonly secured: boolean
  /** Whether doubles are output with all their digits. */
  readonly exactDoubles: boolean
  /** The estimated number of bytes of a row. */
  readonly width: number
  readonly columns: ReadonlyMap<string, CatalogColumn>
  readonly indexes: readonly CatalogIndex[]
  readonly constraints: readonly CatalogConstraint[]
  /**
   * The columns of the partition key. Empty if the key is computed, or the table is not
   * partitioned.
   */
  readonly partitionedBy: readonly string[]
  /**
   * The tables below this one: its partitions, the tables that inherit from it, or the tables of a
   * view.
   */
  readonly parts: readonly string[]
  /**
   * The tables below it that are foreign tables: their rows lie on other servers. Only for tables.
   */
  readonly foreignParts: readonly string[]
  /**
   * The constraints and unique indexes of the tables below. An error names that of the table that
   * holds the row.
   */
  readonly inherited: readonly Omit<CatalogConstraint, 'type'>[]
}

const description = `
WITH RECURSIVE reached AS (
  SELECT to_regclass($1::text)::oid AS oid
  UNION SELECT n.oid FROM reached CROSS JOIN LATERAL (
    SELECT h.inhrelid AS oid FROM pg_inherits h WHERE h.inhparent = reached.oid
    UNION ALL
    SELECT d.refobjid
    FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
    WHERE w.ev_class = reached.oid AND w.ev_type = '1'
  ) AS n
), below AS (SELECT oid FROM reached WHERE oid <> to_regclass($1::text))
SELECT json_build_object(
  'oid', c.oid::text,
  'kind', c.relkind,
  'secured', c.relrowsecurity,
  'rows', c.reltuples,
  'pages', c.relpages,
  'reached', (SELECT json_agg(reached.oid::text) FROM reached WHERE to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL),
  'digits', current_setting('extra_float_digits'),
  'stamped', c.relkind = 'r' AND version() NOT LIKE '%-YB-%' AND EXISTS (SELECT FROM pg_am m WHERE m.oid = c.relam AND m.amname = 'heap'),
  'columns', (
    SELECT json_agg(json_build_object(
      'name', a.attname,
      'type', CASE WHEN items.oid IS NULL THEN format_type(base.oid, base.modifier) ELSE format_type(items.oid, items.modifier) || '[]' END,
      'labels', (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid IN (base.oid, base.item, items.oid)),
      'notNull', a.attnotnull OR t.typnotnull,
      'generated', a.attgenerated <> '',
      'virtual', a.attgenerated = 'v',
      'identity', a.attidentity,
      'default', coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault),
      'domain', CASE WHEN t.typtype = 'd' THEN t.typname END,
      'blind', base.name = 'citext' OR EXISTS (SELECT FROM pg_collation l WHERE l.oid = a.attcollation AND NOT l.collisdeterministic),
      'collation', a.attcollation::text
    ))
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    CROSS JOIN LATERAL (
      WITH RECURSIVE under AS (
        SELECT t.oid, t.typname, t.typelem, t.typbasetype, CASE WHEN t.typbasetype = 0 THEN a.atttypmod ELSE t.typtypmod END AS modifier
        UNION ALL
        SELECT i.oid, i.typname, i.typelem, i.typbasetype, CASE WHEN i.typbasetype = 0 THEN under.modifier ELSE i.typtypmod END
        FROM under JOIN pg_type i ON i.oid = under.typbasetype
      )
      SELECT under.oid, under.typname AS name, under.typelem AS item, under.modifier FROM under WHERE under.typbasetype = 0
    ) AS base
    LEFT JOIN LATERAL (
      WITH RECURSIVE under AS (
        SELECT i.oid, i.typbasetype, i.typtypmod AS modifier FROM pg_type i WHERE i.oid = base.item AND i.typtype = 'd'
        UNION ALL
        SELECT i.oid, i.typbasetype, CASE WHEN i.typbasetype = 0 THEN under.modifier ELSE i.typtypmod END
        FROM under JOIN pg_type i ON i.oid = under.typbasetype
      )
      SELECT under.oid, under.modifier FROM under WHERE under.typbasetype = 0
    ) AS items ON true
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  ),
  'lacking', (SELECT json_agg(p) FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p WHERE c.relkind IN ('r', 'p') AND NOT has_any_column_privilege(c.oid, CASE p WHEN 'DELETE' THEN 'SELECT' ELSE p END) OR p = 'DELETE' AND NOT has_table_privilege(c.oid, p)),
  'guarded', EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgtype & 7 = 7),
  'triggers', (
    SELECT json_agg(json_build_object(
      'name', g.tgname,
      'own', g.tgrelid = c.oid,
      'each', CASE WHEN g.tgtype & 1 = 1 THEN 'row' ELSE 'statement' END,
      'timing', CASE WHEN g.tgtype & 2 = 2 THEN 'before' WHEN g.tgtype & 64 = 64 THEN 'instead' ELSE 'after' END,
      'insert', g.tgtype & 4 = 4,
      'update', g.tgtype & 16 = 16,
      'deferrable', g.tgdeferrable,
      'limited', g.tgqual IS NOT NULL OR coalesce(array_length(g.tgattr::int2[], 1), 0) > 0,
      'language', l.lanname,
      'source', p.prosrc,
      'arguments', string_to_array(encode(g.tgargs, 'escape'), '\\000')
    ))
    FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid JOIN pg_language l ON l.oid = p.prolang
    WHERE (g.tgrelid = c.oid OR g.tgtype & 1 = 1 AND g.tgrelid IN (SELECT below.oid FROM below))
      AND g.tgenabled IN ('O', 'A') AND (NOT g.tgisinternal OR g.tgconstraint = 0)
  ),
  'rules', json_build_object(
    'insert', EXISTS (SELECT FROM pg_rewrite w WHERE w.ev_class = c.oid AND w.ev_type = '3'),
    'update', EXISTS (SELECT FROM pg_rewrite w WHERE w.ev_class = c.oid AND w.ev_type = '2')
  ),
  'indirect', (
    SELECT json_build_object('update', coalesce(bool_or(t.type & 16 = 16), false), 'remove', coalesce(bool_or(t.type & 8 = 8), false))
    FROM (
      SELECT g.tgrelid AS relation, g.tgtype::int AS type FROM pg_trigger g WHERE g.tgtype & 64 = 64
      UNION ALL
      SELECT w.ev_class, CASE w.ev_type WHEN '2' THEN 16 WHEN '4' THEN 8 END FROM pg_rewrite w WHERE w.ev_type IN ('2', '4')
    ) AS t
    WHERE t.relation IN (SELECT reached.oid FROM reached)
  ),
  'cascades', EXISTS (SELECT FROM pg_constraint x WHERE x.confrelid = c.oid AND x.contype = 'f' AND x.confupdtype IN ('c', 'n', 'd')),
  'deferrals', EXISTS (SELECT FROM pg_trigger g WHERE g.tgdeferrable AND NOT g.tgisinternal),
  'indexes', (
    SELECT json_agg(json_build_object(
      'name', ic.relname,
      'unique', i.indisunique,
      'partial', i.indpred IS NOT NULL,
      'immediate', i.indimmediate,
      'keys', i.indnkeyatts,
      'columns', (
        SELECT json_agg(a.attname ORDER BY k.place)
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number AND k.number > 0
      )
    ))
    FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid
    WHERE i.indrelid = c.oid AND i.indisvalid
  ),
  'constraints', (
    SELECT json_agg(json_build_object(
      'name', x.conname,
      'type', x.contype,
      'columns', (SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (x.conkey))
    ))
    FROM pg_constraint x WHERE x.conrelid = c.oid
  ),
  'partitionedBy', (
    SELECT json_agg(a.attname)
    FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (p.partattrs::int2[])
    WHERE p.partrelid = c.oid
  ),
  'parts', (SELECT json_agg(b.relname) FROM below JOIN pg_class b ON b.oid = below.oid),
  'foreignParts', (SELECT json_agg(b.relname) FROM below JOIN pg_class b ON b.oid = below.oid WHERE b.relkind = 'f' AND c.relkind IN ('r', 'p')),
  'inherited', (
    SELECT json_agg(json_build_object(
      'name', k.name,
      'columns', (SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = k.relation AND a.attnum = ANY (k.numbers))
    ))
    FROM (
      SELECT x.conname AS name, x.conrelid AS relation, x.conkey AS numbers FROM pg_constraint x JOIN below ON x.conrelid = below.oid
      UNION ALL
      SELECT ic.relname, i.indrelid, i.indkey::int2[]
      FROM pg_index i JOIN below ON i.indrelid = below.oid JOIN pg_class ic ON ic.oid = i.indexrelid WHERE i.indisunique
    ) AS k
  )
)::text AS c0
FROM pg_class c WHERE c.oid = to_regclass($1::text)`

/**
 * Whether an insert may do more than its RETURNING shows: through a rule, or a trigger that runs
 * after it.
 */
export const insertChangesOthers = ({ rules, triggers }: Relation): boolean =>
  rules.insert || triggers.some(({ insert, timing }) => insert && timing !== 'before')

/** Whether an update may do more than its RETURNING shows. */
export const updateChangesOthers = ({ rules, triggers, cascades }: Relation): boolean =>
  rules.update || cascades || triggers.some(({ update, timing }) => update && timing !== 'before')

/** Describes a relation; `undefined` if there is none with this name. */
export async function describe(database: Database, name: RelationName, wait: Wait): Promise<Relation | undefined> {
  const [row] = await database.query(description, [quoteRelation(name)], wait)
  if (row === undefined) return undefined
  const found = JSON.parse(row.c0 as string) as Omit<
    Relation,
    | 'distributed'
    | 'columns'
    | 'indexes'
    | 'constraints'
    | 'width'
    | 'exactDoubles'
    | 'lacking'
    | 'partitionedBy'
    | 'parts'
    | 'foreignParts'
    | 'inherited'
    | 'triggers'
  > & {
    readonly triggers: readonly CatalogTrigger[] | null
    readonly lacking: readonly string[] | null
    readonly digits: string
    readonly reached: readonly string[] | null
    readonly pages: number
    readonly columns: readonly CatalogColumn[] | null
    readonly indexes: readonly CatalogIndex[] | null
    readonly constraints: readonly CatalogConstraint[] | null
    readonly partitionedBy: readonly string[] | null
    readonly parts: readonly string[] | null
    readonly foreignParts: readonly string[] | null
    readonly inherited: Relation['inherited'] | null
  }
  const distributed = found.reached !== null && (await isDistributed(found.reached, database, wait))
  return {
    oid: found.oid,
    secured: found.secured,
    kind: found.kind,
    distributed,
    stamped: found.stamped && !distributed,
    rows: found.rows,
    guarded: found.guarded,
    triggers: found.triggers ?? [],
    rules: found.rules,
    indirect: found.indirect,
    cascades: found.cascades,
    deferrals: found.deferrals,
    lacking: found.lacking ?? [],
    exactDoubles: Number(found.digits) > 0,
    width: found.rows > 0 ? (found.pages * 8192) / found.rows : 0,
    columns: new Map((found.columns ?? []).map((column) => [column.name, column])),
    indexes: found.indexes ?? [],
    constraints: found.constraints ?? [],
    partitionedBy: found.partitionedBy ?? [],
    parts: found.parts ?? [],
    foreignParts: found.foreignParts ?? [],
    inherited: found.inherited ?? [],
  }
}

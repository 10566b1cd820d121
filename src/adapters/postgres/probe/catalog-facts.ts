/**
 * Searches the system catalog for reasons why a statement fails although the planner accepts it.
 */
import type { Database, Wait } from '../connections/client.js'
import { failureKind, unavailable } from '../connections/failures.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { quoteRelation, relationName } from '../sql/sql.js'
import { isQuery } from '../table/read-source.js'
import type { Table } from '../table/table.js'

export interface CatalogFacts {
  /** Whether the database is a standby, or its sessions are read-only. */
  readonly readOnly: boolean
  /**
   * The SQL commands that no policy of row-level security allows. Empty if row-level security does
   * not apply to the role.
   */
  readonly unpolicied: readonly string[]
  /** The sequences that the role has no privilege to use, although column defaults use them. */
  readonly sequences: readonly string[]
  /** The exhausted sequences that column defaults or identity columns of the table use. */
  readonly usedUp: readonly string[]
  /**
   * The constraints `CHECK (false)` of the table, or of a column's domain. No row satisfies them.
   */
  readonly impossible: readonly string[]
  /** The materialized views that reads depend on and that have no data. */
  readonly unpopulated: readonly string[]
  /** Whether the table is partitioned and has no partition. */
  readonly partless: boolean
  /**
   * Whether the table has a rule `ON INSERT DO INSTEAD` that has no condition and so replaces every
   * insert.
   */
  readonly replaced: boolean
}

const unknown: CatalogFacts = {
  readOnly: false,
  unpolicied: [],
  sequences: [],
  usedUp: [],
  impossible: [],
  unpopulated: [],
  partless: false,
  replaced: false,
}

const query = `
WITH RECURSIVE shown AS (
  SELECT to_regclass($2::text)::oid AS oid
  UNION SELECT d.refobjid
  FROM shown
  JOIN pg_rewrite w ON w.ev_class = shown.oid AND w.ev_type = '1'
  JOIN pg_class v ON v.oid = w.ev_class AND v.relkind = 'v'
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
)
SELECT json_build_object(
  'readOnly', current_setting('transaction_read_only') = 'on',
  'unpolicied', (
    SELECT json_agg(p.name)
    FROM (VALUES ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd')) AS p (name, command)
    WHERE c.relrowsecurity AND row_security_active(c.oid) AND NOT EXISTS (
      SELECT 1 FROM pg_policy y
      WHERE y.polrelid = c.oid AND y.polpermissive AND y.polcmd::text IN ('*', p.command)
        AND 'false' NOT IN (coalesce(pg_get_expr(y.polqual, c.oid), ''), coalesce(pg_get_expr(y.polwithcheck, c.oid), ''))
        AND EXISTS (SELECT 1 FROM unnest(y.polroles) AS o (role) WHERE o.role = 0 OR pg_has_role(o.role, 'USAGE'))
    )
  ),
  'sequences', (
    SELECT json_agg(DISTINCT s.oid::regclass::text)
    FROM pg_attrdef d
    JOIN pg_depend u ON u.classid = 'pg_attrdef'::regclass AND u.objid = d.oid AND u.refclassid = 'pg_class'::regclass
    JOIN pg_class s ON s.oid = u.refobjid
    WHERE d.adrelid = c.oid AND CASE WHEN s.relkind = 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE, UPDATE') END
  ),
  'usedUp', (
    SELECT json_agg(DISTINCT s.oid::regclass::text)
    FROM pg_class s
    JOIN pg_sequence q ON q.seqrelid = s.oid
    WHERE NOT q.seqcycle
      AND s.oid IN (
        SELECT u.refobjid
        FROM pg_attrdef d
        JOIN pg_depend u ON u.classid = 'pg_attrdef'::regclass AND u.objid = d.oid AND u.refclassid = 'pg_class'::regclass
        WHERE d.adrelid = c.oid
        UNION ALL
        SELECT i.objid FROM pg_depend i
        WHERE i.classid = 'pg_class'::regclass AND i.refclassid = 'pg_class'::regclass AND i.refobjid = c.oid AND i.deptype = 'i'
      )
      AND CASE
        WHEN has_sequence_privilege(s.oid, 'USAGE, SELECT')
        THEN pg_sequence_last_value(s.oid)::numeric + q.seqincrement NOT BETWEEN q.seqmin AND q.seqmax
      END
  ),
  'impossible', (
    SELECT json_agg(x.conname)
    FROM pg_constraint x
    WHERE x.contype = 'c' AND pg_get_expr(x.conbin, x.conrelid) = 'false'
      AND (x.conrelid = c.oid OR x.contypid <> 0 AND x.contypid IN (
        SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      ))
  ),
  'unpopulated', (
    SELECT json_agg(m.oid::regclass::text) FROM shown JOIN pg_class m ON m.oid = shown.oid
    WHERE m.relkind = 'm' AND NOT m.relispopulated
  ),
  'partless', c.relkind = 'p' AND NOT EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhparent = c.oid),
  'replaced', EXISTS (SELECT 1 FROM pg_rewrite w WHERE w.ev_class = c.oid AND w.ev_type = '3' AND w.is_instead
    AND w.ev_qual::text = '<>')
)::text AS c0
FROM pg_class c WHERE c.oid = to_regclass($1::text)`

/**
 * Queries the catalog. If the database has a different catalog than PostgreSQL, nothing is
 * reported.
 */
export async function catalogFacts({ options }: Table, database: Database, wait: Wait): Promise<CatalogFacts> {
  const table = quoteRelation(relationName(options.table))
  const values = [table, relationOf(options.readFrom) ?? table]
  try {
    const [row] = database.mayBeNested
      ? await database.transaction((session) => session.query(query, values), wait, true)
      : await database.query(query, values, wait)
    const found = JSON.parse(row?.c0 ?? '{}') as { readonly [Name in keyof CatalogFacts]?: CatalogFacts[Name] | null }
    return {
      readOnly: found.readOnly ?? false,
      unpolicied: found.unpolicied ?? [],
      sequences: found.sequences ?? [],
      usedUp: found.usedUp ?? [],
      impossible: found.impossible ?? [],
      unpopulated: found.unpopulated ?? [],
      partless: found.partless ?? false,
      replaced: found.replaced ?? false,
    }
  } catch (error) {
    if (!['other', 'unprepared', 'refused'].includes(failureKind(error))) throw unavailable(error, false)
    return unknown
  }
}

/**
 * Returns the name of the view in `readFrom`. Returns `undefined` if `readFrom` is a query or is
 * not set.
 */
const relationOf = (given: PostgresAdapterOptions['readFrom']): string | undefined =>
  given === undefined || isQuery(given) ? undefined : quoteRelation(relationName(given))

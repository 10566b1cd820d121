/** What the catalog says about writes that the planner does not check. */
import type { Database, Wait } from './client.js'
import { failureKind, unavailable } from './failures.js'
import { quoteRelation, relationName } from './sql.js'
import type { Table } from './table.js'

export interface Outlook {
  /** The database is a standby, or its sessions are read-only. */
  readonly readOnly: boolean
  /** The commands that row-level security has no policy for, where it applies to the role. */
  readonly unpolicied: readonly string[]
  /** The sequences of defaults that the role may not use. */
  readonly sequences: readonly string[]
  /** A rule puts something else in the place of each insert. */
  readonly replaced: boolean
}

const unknown: Outlook = { readOnly: false, unpolicied: [], sequences: [], replaced: false }

const query = `
SELECT json_build_object(
  'readOnly', current_setting('transaction_read_only') = 'on',
  'unpolicied', (
    SELECT json_agg(p.name)
    FROM (VALUES ('SELECT', 'r'), ('INSERT', 'a'), ('UPDATE', 'w'), ('DELETE', 'd')) AS p (name, command)
    WHERE c.relrowsecurity AND row_security_active(c.oid) AND NOT EXISTS (
      SELECT 1 FROM pg_policy y
      WHERE y.polrelid = c.oid AND y.polpermissive AND y.polcmd::text IN ('*', p.command)
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
  'replaced', EXISTS (SELECT 1 FROM pg_rewrite w WHERE w.ev_class = c.oid AND w.ev_type = '3' AND w.is_instead)
)::text AS c0
FROM pg_class c WHERE c.oid = to_regclass($1::text)`

/** Queries the catalog. A database with another catalog gives no findings. */
export async function outlook({ options }: Table, database: Database, wait: Wait): Promise<Outlook> {
  const values = [quoteRelation(relationName(options.table))]
  try {
    const [row] = database.nested
      ? await database.transaction((session) => session.query(query, values), wait, true)
      : await database.query(query, values, wait)
    const found = JSON.parse(row?.c0 ?? '{}') as { readonly [Name in keyof Outlook]?: Outlook[Name] | null }
    return {
      readOnly: found.readOnly ?? false,
      unpolicied: found.unpolicied ?? [],
      sequences: found.sequences ?? [],
      replaced: found.replaced ?? false,
    }
  } catch (error) {
    if (!['other', 'unprepared', 'refused'].includes(failureKind(error))) throw unavailable(error, false)
    return unknown
  }
}

/**
 * The columns that must have a value and get none from any create. A trigger before the insert may
 * give them one.
 */
export function blockedInserts({ relation, layout, options, version, definition }: Table): readonly string[] {
  if (relation.guarded || (relation.kind !== 'r' && relation.kind !== 'p')) return []
  const written = new Set(layout.members.map(({ column }) => column))
  for (const name of definition.assigned) written.add(layout.member(name)?.column)
  written.add(options.rest)
  written.add(version.assignment?.column)
  return [...relation.columns.values()]
    .filter((column) => column.notNull && column.default === null && column.identity === '' && !column.generated)
    .map(({ name }) => name)
    .filter((name) => !written.has(name))
}

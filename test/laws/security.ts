/**
 * Rows of other callers in the same table: rows that row-level security hides, and rows outside the
 * caller's scope.
 */
import type { Design } from './designs.js'

/**
 * Statements that hide the rows of other tenants from a role that is not the owner of the table.
 */
export function securityOf({ security }: Design, base: string, role: string): readonly string[] {
  if (security === 'none') return []
  const own = `laws_tenant = current_setting('app.tenant')`
  return [
    `ALTER TABLE ${base} ENABLE ROW LEVEL SECURITY`,
    ...(security === 'one policy'
      ? [`CREATE POLICY laws_all ON ${base} TO ${role} USING (${own})`]
      : [
          `CREATE POLICY laws_select ON ${base} FOR SELECT TO ${role} USING (${own})`,
          `CREATE POLICY laws_insert ON ${base} FOR INSERT TO ${role} WITH CHECK (${own})`,
          `CREATE POLICY laws_update ON ${base} FOR UPDATE TO ${role} USING (${own}) WITH CHECK (${own})`,
          `CREATE POLICY laws_delete ON ${base} FOR DELETE TO ${role} USING (${own})`,
        ]),
  ]
}

/** The condition for the caller's own rows; `undefined` if all rows are the caller's own. */
export function ownRows({ security, members }: Design, column: (member: string) => string): string | undefined {
  const scope = members.find(({ filled }) => filled === 'scope')
  const conditions = [
    ...(security === 'none' ? [] : [`laws_tenant = 'mine'`]),
    ...(scope === undefined ? [] : [`${column(scope.name)} = 'mine'`]),
  ]
  return conditions.length === 0 ? undefined : conditions.join(' AND ')
}

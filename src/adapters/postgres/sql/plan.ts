/** Query plans in the format of `EXPLAIN (FORMAT JSON)`. */
import type { TextRow } from '../connections/client.js'

/**
 * A node of a plan. The members that are present depend on the node's type and on the options of
 * EXPLAIN.
 */
export interface PlanNode {
  readonly 'Node Type'?: string
  readonly 'Relation Name'?: string
  readonly 'Remote SQL'?: string
  /** The number of rows that the planner expects. */
  readonly 'Plan Rows'?: number
  /** The cost in planner units. */
  readonly 'Total Cost'?: number
  readonly Output?: readonly string[]
  readonly Plans?: readonly PlanNode[]
}

/**
 * Returns the root node of the plan in the row that EXPLAIN returns. Some drivers return the plan
 * as a string, and others return it as parsed JSON. Throws if the row contains no plan.
 */
export function planIn(row: TextRow | undefined): PlanNode {
  const given: unknown = row?.['QUERY PLAN']
  const [{ Plan }] = (typeof given === 'string' ? JSON.parse(given) : given) as [{ Plan: PlanNode }]
  return Plan
}

export const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

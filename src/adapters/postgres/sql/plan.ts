/** Plans of statements, as `EXPLAIN (FORMAT JSON)` gives them. */
import type { TextRow } from '../connections/client.js'

/** A node of a plan. Which members are there depends on its type and on the options of EXPLAIN. */
export interface PlanNode {
  readonly 'Node Type'?: string
  readonly 'Relation Name'?: string
  readonly 'Remote SQL'?: string
  /** Rows that the planner expects. */
  readonly 'Plan Rows'?: number
  /** In units of the planner. */
  readonly 'Total Cost'?: number
  readonly Output?: readonly string[]
  readonly Plans?: readonly PlanNode[]
}

/** The top of the plan in the row that EXPLAIN answers with. Some drivers parse it. Throws where there is none. */
export function planIn(row: TextRow | undefined): PlanNode {
  const given: unknown = row?.['QUERY PLAN']
  const [{ Plan }] = (typeof given === 'string' ? JSON.parse(given) : given) as [{ Plan: PlanNode }]
  return Plan
}

/** A node and all below it. */
export const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

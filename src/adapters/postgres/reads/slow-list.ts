/** Tells operators of lists that took long, and whether an index serves them. */
import { notify } from '../../../notify.js'
import { slowListChannel } from '../../../telemetry/channels.js'
import type { SlowListMessage } from '../../../telemetry/messages.js'
import type { ListRequest } from '../../contract.js'
import type { Database } from '../connections/client.js'
import { warned } from '../options/warned.js'
import { nodesOf, type PlanNode, planIn } from '../sql/plan.js'
import type { ListStatement } from '../table/list-statement.js'
import type { Table } from '../table/table.js'

/** A list whose statement took long. */
export interface SlowList {
  readonly table: Table
  readonly request: ListRequest
  readonly statement: ListStatement
  /** Milliseconds. */
  readonly took: number
}

/** Statements of one table whose plans are kept. */
const mostPlans = 100

/** Milliseconds that the database may take to plan one. */
const planTime = 2_000

/**
 * The cost from which on a scan of a whole table counts, in units of the planner: some ten thousand
 * rows. A small table is read whole whatever indexes it has.
 */
const costly = 1_000

const plans = new WeakMap<Table, Map<string, Promise<readonly string[] | undefined>>>()

/**
 * Tells of one on the channel, and warns once of each statement that reads a whole table. Its plan
 * is asked for once, on `database`, and nobody waits for it. Never throws.
 */
export async function reportSlowList(list: SlowList, database: Database | undefined): Promise<void> {
  const { table, request, statement, took } = list
  const known = plans.get(table) ?? new Map<string, Promise<readonly string[] | undefined>>()
  plans.set(table, known)
  const isNew = !known.has(statement.text) && known.size < mostPlans && database?.nested === false
  if (isNew) known.set(statement.text, wholeReads(statement, database))
  const readWhole = await known.get(statement.text)
  const message: SlowListMessage = {
    collection: table.definition.collection,
    duration: took,
    filters: [...new Set(request.where.map(({ field }) => field))].sort(),
    sort: request.sort.map(({ path, descending }) => `${descending ? '-' : ''}${path.join('.')}`),
    search: request.search !== undefined,
    readWhole,
  }
  if (slowListChannel.hasSubscribers) slowListChannel.publish(message)
  if (isNew && readWhole !== undefined && readWhole.length > 0) warn(table, message)
}

function warn({ options }: Table, { collection, duration, filters, sort, readWhole = [] }: SlowListMessage): void {
  const by = `${filters.length === 0 ? '' : `, filtered by ${filters.join(', ')}`}${sort.length === 0 ? '' : `, sorted by ${sort.join(', ')}`}`
  const { onWarning = warned } = options
  notify(
    onWarning,
    () =>
      `A list of "${collection}"${by} took ${Math.round(duration)} ms and reads the whole of ${readWhole.join(', ')}. An index over what it filters and sorts by would serve it; where it only counts, so would count: 'bounded'.`,
  )
}

/** The tables that a statement reads whole, each once. `undefined` where the database does not say. */
async function wholeReads({ text, values }: ListStatement, database: Database): Promise<readonly string[] | undefined> {
  const until = performance.now() + planTime
  const wait = { left: () => until - performance.now(), signal: undefined }
  try {
    const [row] = await database.query(`EXPLAIN (FORMAT JSON) ${text}`, values, wait)
    return [...new Set(nodesOf(planIn(row)).flatMap((node) => (isWhole(node) ? [node['Relation Name'] ?? '?'] : [])))]
  } catch {
    return undefined
  }
}

const isWhole = (node: PlanNode): boolean =>
  /^(?:Parallel )?Seq Scan$/.test(node['Node Type'] ?? '') && (node['Total Cost'] ?? 0) >= costly

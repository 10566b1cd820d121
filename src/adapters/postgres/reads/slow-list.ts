/**
 * Reports slow lists to operators. A report names the large tables that the list's statement reads
 * as a whole.
 */
import { notify } from '../../../notify.js'
import { slowListChannel } from '../../../telemetry/channels.js'
import type { SlowListMessage } from '../../../telemetry/messages.js'
import type { ListRequest } from '../../contract.js'
import type { Database } from '../connections/client.js'
import { warned } from '../options/warned.js'
import { nodesOf, type PlanNode, planIn } from '../sql/plan.js'
import type { ListStatement } from '../table/list-statement.js'
import type { Table } from '../table/table.js'

/** A list whose statement was slow. */
export interface SlowList {
  readonly table: Table
  readonly request: ListRequest
  readonly statement: ListStatement
  /** The duration in milliseconds. */
  readonly took: number
}

/** The maximum number of statements whose plans are kept, per table. */
const maxPlans = 100

/** The time limit for planning a statement, in milliseconds. */
const planTime = 2_000

/**
 * A scan of a whole table is reported if its cost is at least this number, in the units of
 * PostgreSQL's planner. With the default settings, a scan of about 40,000 rows of 100 bytes has
 * this cost. PostgreSQL often scans a small table as a whole, even if it has a suitable index.
 */
const reportedCost = 1_000

const plans = new WeakMap<Table, Map<string, Promise<readonly string[] | undefined>>>()

/**
 * Publishes a slow list on the diagnostics channel. Warns once for each statement that reads a
 * large table as a whole. The plan of a statement is requested once, on `database`, and no request
 * waits for it. No plan is requested if `database` may be in a transaction of the caller, or if the
 * table already has `maxPlans` plans. Never rejects.
 */
export async function reportSlowList(list: SlowList, database: Database | undefined): Promise<void> {
  const { table, request, statement, took } = list
  const known = plans.get(table) ?? new Map<string, Promise<readonly string[] | undefined>>()
  plans.set(table, known)
  const isNew = !known.has(statement.text) && known.size < maxPlans && database?.mayBeNested === false
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
  const filtered = filters.length === 0 ? '' : `, filtered by ${filters.join(', ')}`
  const sorted = sort.length === 0 ? '' : `, sorted by ${sort.join(', ')}`
  const by = filtered + sorted
  const { onWarning = warned } = options
  notify(
    onWarning,
    () =>
      `A list of "${collection}"${by === '' ? '' : `${by},`} took ${Math.round(duration)} ms and reads all rows of ` +
      `${readWhole.join(', ')}. Create an index on the columns that the list filters and sorts by. If only the count ` +
      'reads all rows, it also helps to set "count" to "bounded".',
  )
}

/**
 * Resolves with the names of the large tables that a statement reads as a whole, without
 * duplicates, or with `undefined` if the database does not provide the plan.
 */
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
  /^(?:Parallel )?Seq Scan$/.test(node['Node Type'] ?? '') && (node['Total Cost'] ?? 0) >= reportedCost

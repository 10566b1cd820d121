/**
 * Translates the names in failures of distributed tables. Citus stores a distributed table as
 * shards. A shard is a table whose name ends in a number, such as `piezas_102008`, and its
 * constraints are named in the same way. Citus passes on the message of the shard's server, but not
 * the fields that name the constraint, column and table.
 */
import type { DatabaseFailure } from '../connections/failures.js'
import type { Relation } from '../table/catalog.js'

/**
 * Returns the failure with names from the catalog instead of the names of shards. If the table is
 * not distributed, returns the failure unchanged.
 */
export function inCatalogNames(failure: DatabaseFailure, relation: Relation, table: string): DatabaseFailure {
  if (!relation.distributed) return failure
  const constraints = [...relation.constraints, ...relation.indexes, ...relation.inherited].map(({ name }) => name)
  const named = quotedIn(failure.message)
  const find = (known: Iterable<string>): string | undefined => {
    const all = [...known]
    return named.map((name) => all.find((one) => one === name || isShardOf(one, name))).find((one) => one !== undefined)
  }
  const own = (name: string | undefined, known: readonly string[]): string | undefined =>
    name === undefined ? find(known) : (known.find((one) => one === name || isShardOf(one, name)) ?? name)
  return {
    code: failure.code,
    message: failure.message,
    routine: failure.routine,
    schema: failure.schema,
    dataType: failure.dataType,
    constraint: own(failure.constraint, constraints),
    column: failure.column ?? (failure.code === '23502' ? find(relation.columns.keys()) : undefined),
    // The message of a failed removal names the table, the constraint and the referring table, in
    // this order.
    table: own(failure.table ?? (failure.code === '23503' ? named[2]?.replace(/_\d+$/, '') : undefined), [
      table,
      ...relation.tablesBelow,
    ]),
  }
}

/**
 * The strings in quotation marks in a message. Recognizes the quotation marks of several languages,
 * because messages may be translated.
 */
const quotedIn = (message = ''): readonly string[] =>
  [...message.matchAll(/["„“«»](.+?)["“”«»]/gu)].map(([, name = '']) => name.trim())

/**
 * Whether `shard` is the name of a shard of the table `name`, or the name that the constraint
 * `name` has on a shard. Citus shortens a long name and adds a hash before the number.
 */
function isShardOf(name: string, shard: string): boolean {
  const [, before = '', start] = /^((.*?)(?:_[0-9a-f]{8})?)_\d+$/.exec(shard) ?? []
  if (before === name) return true
  return (
    start !== undefined && start !== before && Buffer.byteLength(shard) > 50 && start !== '' && name.startsWith(start)
  )
}

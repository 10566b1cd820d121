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
    const all = new Set(known)
    return named.map((name) => nameOf(name, all)).find((one) => one !== undefined)
  }
  const own = (name: string | undefined, known: readonly string[]): string | undefined =>
    name === undefined ? find(known) : (nameOf(name, new Set(known)) ?? name)
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
 * Returns the catalog name of a table or constraint. `shard` is its name on a shard. Citus shortens
 * a long name and adds a hash before the number. If several catalog names begin like the shortened
 * name, the result is `undefined`.
 */
function nameOf(shard: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(shard)) return shard
  const [, before = '', start = ''] = /^((.*?)(?:_[0-9a-f]{8})?)_\d+$/.exec(shard) ?? []
  if (known.has(before)) return before
  const isShortened = start !== '' && start !== before && Buffer.byteLength(shard) > 50
  const found = isShortened ? [...known].filter((name) => name.startsWith(start)) : []
  return found.length === 1 ? found[0] : undefined
}

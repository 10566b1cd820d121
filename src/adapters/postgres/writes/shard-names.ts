/**
 * Names of constraints, columns and tables in failures of distributed tables. A shard is a table by a
 * name with a number behind it, as `piezas_102008`, and so are its constraints. Citus passes on the
 * message of the server that has the shard, without the fields that name these.
 */
import type { DatabaseFailure } from '../connections/failures.js'
import type { Relation } from '../table/catalog.js'

/** A failure that names constraint, column and table as the catalog does; unchanged where the table is not distributed. */
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
    // A removal names the table, the constraint, and the table that refers.
    table: own(failure.table ?? (failure.code === '23503' ? named[2]?.replace(/_\d+$/, '') : undefined), [
      table,
      ...relation.parts,
    ]),
  }
}

/** Texts in quotation marks. Translations have others than English. */
const quotedIn = (message = ''): readonly string[] =>
  [...message.matchAll(/["„“«»](.+?)["“”«»]/gu)].map(([, name = '']) => name.trim())

/** Whether a name is that of a shard's part. Citus shortens a long name and puts a hash of it before the number. */
function isShardOf(name: string, shard: string): boolean {
  const [, before = '', start] = /^((.*?)(?:_[0-9a-f]{8})?)_\d+$/.exec(shard) ?? []
  if (before === name) return true
  return (
    start !== undefined && start !== before && Buffer.byteLength(shard) > 50 && start !== '' && name.startsWith(start)
  )
}

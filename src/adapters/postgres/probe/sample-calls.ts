/**
 * Sample calls for the checks before the first request. They run the code that serves requests,
 * with sample values. So the database gets the same statements as it gets for requests.
 */
import { put } from '../../../definition/json.js'
import type { KeyValue } from '../../../definition/key.js'
import type { Association } from '../../association.js'
import type {
  AdapterCall,
  Condition,
  KeysetPosition,
  ListRequest,
  Scalar,
  SortTerm,
  Stored,
  WriteMethod,
} from '../../contract.js'
import { listSql } from '../reads/list.js'
import { deepOffset } from '../reads/page.js'
import { lockedRecord, readMany, readOne } from '../reads/reads.js'
import type { RowCall } from '../reads/row-call.js'
import { searchOf } from '../reads/search.js'
import { Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import type { DescribedJoinTable } from '../table/join-tables.js'
import type { Layout } from '../table/layout.js'
import type { Table } from '../table/table.js'
import { insertRow } from '../writes/inserts.js'
import { attachRow, detachRow } from '../writes/joined.js'
import { claim, keep, recall, renew } from '../writes/kept-records.js'
import { moveRow } from '../writes/moves.js'
import { removeRow } from '../writes/removals.js'
import { setColumns, updateRow } from '../writes/updates.js'

type Row = Record<string, unknown>

/** A sample call of one of the adapter's methods. */
export interface SampleCall<Method = string> {
  readonly method: Method
  run(ask: StatementSender): Promise<unknown>
}

/**
 * A call without a request. Its scope is empty, because the members of a scope depend on the
 * principal.
 */
export const sampleCall: AdapterCall = {
  principal: undefined,
  scope: {},
  requestId: 'ready',
  signal: new AbortController().signal,
}

/**
 * Returns the sample calls that read. Checks must not call the service's own search function, so
 * searches with such a function are left out.
 */
export function sampleReads(table: Table): readonly SampleCall[] {
  const { definition, options } = table
  const key = keyOf(table, 0)
  const sort = [...new Set([...definition.sort, ...definition.key.members])].map(
    (field): SortTerm => ({ field, path: field.split('.'), descending: false }),
  )
  const values = sort.map(({ path }) => sampleAt(table, path))
  const seek = (backwards: boolean): KeysetPosition => ({ values, backwards })
  const where = [...definition.filters.values()].map((filter): Condition => {
    const { field, path, op, many } = filter
    if (op === 'null') return { field, path, op, value: true }
    const value = sampleAt(table, path)
    return op === 'eq' && many ? { field, path, op: 'in', value: [value] } : { field, path, op, value }
  })
  const plain = { where: [], sort, page: 1, size: 1, offset: 0 }
  const requests: ListRequest[] = [
    plain,
    { ...plain, where },
    { ...plain, sort: sort.map((term) => ({ ...term, descending: true })), seek: seek(false) },
    { ...plain, seek: seek(true) },
    // A page at a large offset can have a statement of its own, and so can a page in the second
    // half of the list.
    { ...plain, offset: deepOffset },
    { ...plain, offset: Number.MAX_SAFE_INTEGER },
    ...parentsOf(table).map(({ parent }) => ({ ...plain, parent })),
  ]
  if (definition.search !== undefined && typeof options.search !== 'function')
    requests.push({ ...plain, search: 'a' }, { ...plain, sort: [], search: 'a' })
  return [
    { method: 'read', run: (ask) => readOne(table, key, sampleCall, ask) },
    { method: 'read', run: (ask) => readMany(table, [key, keyOf(table, 1)], sampleCall, ask) },
    ...computedJson(table),
    ...requests.map((request): SampleCall => {
      const run = async (ask: StatementSender): Promise<unknown> => {
        const parameters = new Parameters()
        const searched = await searchOf(table, request, sampleCall, parameters)
        if (searched === 'no-matches') return undefined
        const { text, names, values } = listSql(table, request, sampleCall, searched, parameters)
        return ask.cells(text, names, values)
      }
      return { method: 'list', run }
    }),
  ]
}

/**
 * Calls that check whether the expressions of JSON members return JSON, by a cast to `jsonb`.
 * Records are read without this cast. If an expression returned, for example, a PostgreSQL array,
 * the database would accept the read, but the text of the array would not be JSON.
 */
const computedJson = ({ layout, source }: Table): readonly SampleCall[] =>
  layout.members
    .filter(({ computed, content }) => computed && content.kind === 'json')
    .map(({ sql }) => ({
      method: 'read',
      run: (ask) => ask.cells(`SELECT ${sql}::jsonb AS c0 FROM ${source}`, ['c0'], []),
    }))

export function sampleWrites(table: Table): readonly SampleCall<WriteMethod>[] {
  const { definition, layout, idempotencyTable, options } = table
  const key = keyOf(table, 0)
  const texts = layout.keyTexts(key)
  if (texts === undefined) return []
  const record = sampleRecord(layout)
  const unkeyed = { ...record }
  for (const name of definition.assigned) delete unkeyed[name]
  const version = table.version.shown('0')
  const made: SampleCall<WriteMethod>[] = []
  const add = (method: WriteMethod, run: SampleCall['run']): void => {
    made.push({ method, run })
  }
  add('create', (ask) => insertRow(table, record, undefined, sampleCall, ask))
  if (definition.assigned.size > 0) add('create', (ask) => insertRow(table, unkeyed, undefined, sampleCall, ask))
  if (idempotencyTable !== undefined) {
    const idempotency = { id: '', fingerprint: '' }
    const stored: Stored<Row> = { value: record, version }
    add('create', (ask) => claim(idempotencyTable, idempotency, ask))
    add('create', (ask) => renew(idempotencyTable, idempotency, ask))
    add('create', (ask) => recall(idempotencyTable, idempotency, ask))
    add('create', (ask) => keep(idempotencyTable, idempotency, stored, ask))
  }
  const at = (expected: string | undefined, ask: StatementSender): RowCall => ({
    table,
    texts,
    expected,
    call: sampleCall,
    ask,
  })
  if (options.readBefore === true) {
    add('replace', (ask) => lockedRecord(at(undefined, ask), true))
    add('remove', (ask) => lockedRecord(at(undefined, ask), false))
  }
  for (const expected of [undefined, version]) {
    add('replace', (ask) => updateRow(at(expected, ask), record))
    // An update without changes has its own statement.
    add('replace', (ask) => setColumns(at(expected, ask), [], new Parameters()))
    add('remove', (ask) => removeRow(at(expected, ask)))
    for (const { association, join } of parentsOf(table)) {
      if (association.by === undefined && join !== undefined) {
        add('attach', (ask) => attachRow(at(expected, ask), join, association))
        add('detach', (ask) => detachRow(at(expected, ask), join, association))
        add('create', (ask) => insertRow(table, record, { join, to: association }, sampleCall, ask))
      } else if (association.by !== undefined) {
        const move = { by: association.by, key, blockedBy: [] }
        add('attach', (ask) => moveRow(at(expected, ask), { ...move, inwards: true }, undefined))
        add('detach', (ask) => moveRow(at(expected, ask), { ...move, inwards: false }, undefined))
      }
    }
  }
  return made
}

/** Returns a record with sample values that match the types of the table's columns. */
export function sampleRecord({ members }: Layout): Row {
  const record: Row = {}
  for (const { name, column, setByDatabase, content } of members) {
    if (column === undefined || setByDatabase) continue
    put(record, name, content.kind === 'scalar' ? content.type.samples[0] : content.kind === 'array' ? [] : {})
  }
  return record
}

const keyOf = ({ definition, layout }: Table, which: number): KeyValue =>
  definition.key.from(
    layout.key.map(({ content }) => {
      const samples: readonly Scalar[] = content.kind === 'scalar' ? content.type.samples : ['']
      return samples[which] ?? (samples[0] as Scalar)
    }),
  )

/** Returns a sample value of the right type for a comparison with the value at a path. */
function sampleAt({ definition, layout }: Table, path: readonly string[]): Scalar {
  const { content } = layout.holder(path)
  if (content.kind === 'scalar') return content.type.samples[0]
  if (content.kind === 'array') return content.item.samples[0]
  const shape = definition.shape.at(path)
  const types = (shape?.isArray ? shape.items : shape)?.types
  return types?.has('integer') || types?.has('number') ? 0 : types?.has('boolean') ? false : ''
}

/** Returns the parents that a record can be attached to, each with a sample key. */
function parentsOf(table: Table) {
  return table.definition.attachedTo.map(({ of, by, as }) => {
    const join: DescribedJoinTable | undefined = table.joins.get(as)
    const parts: readonly Scalar[] =
      by === undefined
        ? (join?.parent ?? []).map(({ sample }) => sample)
        : by.map((member) => sampleAt(table, [member]))
    const collection = typeof of === 'string' ? of : of.collection
    const key =
      typeof of === 'string'
        ? parts.length === 1
          ? parts[0]
          : Object.fromEntries(parts.map((part, i) => [i, part]))
        : of.key.from(parts)
    const association: Association = {
      collection,
      as,
      parts,
      by: by?.map((member, i) => [member, parts[i] as Scalar] as const),
    }
    return { association, join, parent: { collection, key, as } }
  })
}

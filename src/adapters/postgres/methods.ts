/** The methods of the contract over a table: what comes before and after the statements. */
import { compileCanonical } from '../../definition/conversion.js'
import { put } from '../../definition/json.js'
import { type KeyValue, membersHolding } from '../../definition/key.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { type Association, associationOf, leavesScope } from '../association.js'
import type { Adapter, AdapterCall, ParentKey, Refused, Repeated, Stored } from '../contract.js'
import { isRefused } from '../contract.js'
import { blameHook, calledLater, madeBy } from '../made-by.js'
import { changing, type Details, refusing } from './change.js'
import type { Cells } from './client.js'
import type { Databases } from './database.js'
import { stateOf } from './failures.js'
import { insertRow } from './inserts.js'
import type { JoinColumns } from './join-tables.js'
import { Contested, clearingOf, keeping, recall } from './kept-records.js'
import { listPage, refusedPage } from './list.js'
import { type Move, moveRow, type Rewrite, refusedMove } from './moves.js'
import { type Opening, Outdated, unhurried } from './opening.js'
import type { PostgresAdapterOptions } from './options.js'
import { incomparable } from './places.js'
import { readRecords } from './reads.js'
import { refusedFor } from './refusals.js'
import { searchFault } from './search.js'
import { type Ask, reading, teamErrors } from './statements.js'
import { storedOf, type Table } from './table.js'
import { attachRow, detachRow, removeRow, updateRow } from './writes.js'

type Row = Record<string, unknown>
type Made = { readonly created: Stored<Row> } | Refused | Repeated

/** The adapter of a resource over these databases. */
export function adapterOf(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  databases: Databases,
  opening: Opening,
): Adapter<Row, KeyValue> {
  const { collection, shape } = definition
  /** What comes from the team is written as what comes through the library: keys, filters and orders compare texts (REP-4). */
  const canonical = compileCanonical(shape) as (value: unknown) => Row
  const { onCreate, onUpdate, onWarning = () => undefined } = options
  const clearing = clearingOf(databases.write, unhurried, onWarning)

  async function withTable<R>(call: AdapterCall, work: (table: Table) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const table = await opening.within(call, databases)
      try {
        return await work(table)
      } catch (error) {
        const isLast = attempt > 1 || databases.write.nested
        if (error instanceof Outdated && isLast) return error.refused as R
        // A statement that does not fit did nothing; in a transaction of the caller's it broke that too.
        if ((error instanceof Error && teamErrors.has(error)) || !opening.doubt(error) || isLast) throw error
      }
    }
  }

  /** A change of the row with this key; one that no row can have is absent. */
  const change = <R extends Stored<Row> | string>(
    call: AdapterCall,
    details: Omit<Details, 'collection' | 'before'> & { readonly key: KeyValue },
    statement: (table: Table, texts: readonly string[], ask: Ask) => Promise<R | Refused>,
  ): Promise<R | 'absent' | Refused> =>
    withTable(call, async (table) => {
      const texts = table.layout.keyTexts(details.key)
      if (texts === undefined) return 'absent'
      const { key, expected } = details
      return changing(
        databases,
        table,
        call,
        { ...details, collection, before: () => seen(table, key, expected, call) },
        (ask) => statement(table, texts, ask) as never,
      ) as Promise<R | Refused>
    })

  /**
   * The rows that each call has read, by their keys: a change of one writes what differs, and
   * leaves alone what the record could not say. A replacement has to write all where the version
   * does not stand for the whole row; a patch is about what differs in any case.
   */
  const rowsRead = new WeakMap<AdapterCall, Map<string, Cells>>()
  const remember = (call: AdapterCall) => (keyText: string, row: Cells) => {
    const known = rowsRead.get(call) ?? new Map<string, Cells>()
    rowsRead.set(call, known.set(keyText, row))
  }
  const { version: source = 'xmin' } = options
  /** Whether a version stands for the whole row: not one that is computed from parts of it, nor within a transaction of the caller's, which has one for all its writes. */
  const isTelling = !databases.write.nested && (source === 'xmin' || 'column' in source)

  /** The record that this very version of a key's row was read as. */
  const before = (table: Table, key: KeyValue, version: string | undefined, call: AdapterCall): Row | undefined => {
    const row = rowsRead.get(call)?.get(definition.key.text(key))
    const stored = row && storedOf(table, row)
    return stored !== undefined && stored.version === version ? stored.value : undefined
  }

  /** The same for a team's function; or as the caller has read it. */
  const seen = (table: Table, key: KeyValue, expected: string | undefined, call: AdapterCall): unknown => {
    if (expected === undefined || !isTelling) return undefined
    return before(table, key, expected, call) ?? structuredClone(call.before)
  }

  /** What a function of the team put into a record is not the client's to fix. */
  const blaming = <R>(result: R | Refused, given: Row, made: Row, hook: string): R | Refused => {
    if (!isRefused(result) || result.refused !== 'rule') return result
    const { members, why = result.refused } = result
    blameHook(`${hook} of "${collection}"`, members, { given, made, why: `the table refuses: ${why}` })
    return result
  }

  const fixed = (row: Row, members: Row): Row => {
    const next = { ...row }
    for (const [member, value] of Object.entries(members)) put(next, member, value)
    return next
  }

  const createdBy = async (hook: NonNullable<typeof onCreate>, draft: Row, call: AdapterCall): Promise<Row> =>
    madeBy('onCreate', collection, (await calledLater(`onCreate of "${collection}"`, () => hook(draft, call))) as Row)

  /** The record that `onUpdate` makes of the next one and the one that is there. */
  const updated = async (next: Row, current: Stored<Row>, key: KeyValue, call: AdapterCall): Promise<Row> => {
    if (onUpdate === undefined) return next
    const made = madeBy('onUpdate', collection, await calledLater(`onUpdate of "${collection}"`, () => onUpdate(next, current.value, call)))
    return fixed(canonical(made), { ...membersHolding(definition.key, key), ...call.scope })
  }

  const rewriter =
    (table: Table, texts: readonly string[], key: KeyValue, call: AdapterCall): Rewrite =>
    async (value, current, ask) => {
      const read = databases.write.nested ? undefined : structuredClone(current.value)
      const next = await updated(value, current, key, call)
      const result = await refusing(table, { action: 'replace', value: next }, () =>
        updateRow(table, texts, next, current.version, call, ask, read),
      )
      return blaming(result, value, next, 'onUpdate')
    }

  /** With a look at the record as it is, and again when another was quicker, where the caller did not mind. */
  async function replaceSeen(
    table: Table,
    texts: readonly string[],
    key: KeyValue,
    next: Row,
    expected: string | undefined,
    call: AdapterCall,
    ask: Ask,
  ) {
    for (;;) {
      const [current] = await readRecords(table, [key], call, ask)
      if (current === undefined) return 'absent'
      if (expected !== undefined && current.version !== expected) return 'stale'
      const result = await rewriter(table, texts, key, call)(next, current, ask)
      if (result !== 'stale' || expected !== undefined || (call.left?.() ?? 1) <= 0) return result
    }
  }

  const move = async (
    table: Table,
    ask: Ask,
    to: ParentKey,
    call: AdapterCall,
    details: Pick<Move, 'inwards' | 'texts' | 'expected'> & { readonly key: KeyValue },
  ) => {
    const association = associationOf(definition, to)
    const { texts, expected, inwards, key } = details
    if (association.by === undefined) {
      const why = unheld(association)
      if (why !== undefined) return inwards ? refusedMove(table, details, refusedFor({ path: [], why }), call, ask) : 'absent'
      const join = table.joins.get(association.as) as JoinColumns
      return (inwards ? attachRow : detachRow)(table, join, association, texts, expected, call, ask)
    }
    const scoped = association.by.filter(([member]) => Object.hasOwn(call.scope, member)).map(([member]) => member)
    const kept = inwards ? leavesScope(association, call) : scoped
    const columns = association.by.map(([member]) => table.layout.member(member)?.column)
    const needsRecord = onUpdate !== undefined || columns.includes(undefined)
    return moveRow(table, { ...details, by: association.by, kept }, call, ask, needsRecord ? rewriter(table, texts, key, call) : undefined)
  }

  /** What a create that may be repeated does beside: nothing where there is no key. */
  const repeats = ({ kept }: Table, { idempotency }: AdapterCall) =>
    kept === undefined || idempotency === undefined
      ? undefined
      : (ask: Ask, work: () => Promise<Made>): Promise<Made> => keeping(kept, idempotency, ask, work)

  /** From where writes go: a replica may not have it yet. */
  const recalled = (call: AdapterCall): Promise<Stored<Row> | Repeated | undefined> =>
    withTable(call, async ({ kept }) => {
      const { idempotency } = call
      if (kept === undefined || idempotency === undefined) return undefined
      return reading({ ...databases, read: databases.write }, options, call, (ask) => recall(kept, idempotency, ask))
    })

  return {
    ...(isComputed(options) ? { computes: true } : {}),
    list: (request, call) =>
      withTable(call, async (table) => {
        try {
          return await reading(databases, options, call, (ask) => listPage(table, request, call, ask))
        } catch (error) {
          const why = request.search === undefined ? undefined : searchFault(error)
          const members = request.where.map(({ field }) => field)
          // What is compared there may be none that the library can foresee: the value of a range, say.
          if (why === undefined && members.length > 0 && stateOf(error)?.startsWith('22'))
            return refusedPage(table, { refused: 'rule', members, why: 'holds a value that the store can not compare with' })
          if (why === undefined) throw error
          return refusedPage(table, { refused: 'rule', members: [], why })
        }
      }),
    read: (keys, call) =>
      withTable(call, (table) =>
        reading(databases, options, call, (ask) => readRecords(table, keys, call, ask, call.fresh ? remember(call) : undefined)),
      ),

    create: (value, call) =>
      withTable(call, async (table) => {
        const to = call.attachTo && associationOf(definition, call.attachTo)
        const leaving = to === undefined ? [] : leavesScope(to, call)
        if (leaving.length > 0) return { refused: 'rule', members: leaving }
        const set = { ...Object.fromEntries(to?.by ?? []), ...call.scope }
        const draft = fixed(value, set)
        const next = onCreate === undefined ? draft : fixed(canonical(await createdBy(onCreate, draft, call)), set)
        const why = to?.by === undefined ? unheld(to) : undefined
        if (why !== undefined) return refusedFor({ path: [], why })
        const join = to !== undefined && to.by === undefined ? { join: table.joins.get(to.as) as JoinColumns, to } : undefined
        const key = definition.key.of(next)
        const details = { action: 'create', collection, key, value: next, parent: call.attachTo } as const
        const insert = (ask: Ask): Promise<Made> => insertRow(table, next, join, call, ask)
        const result = await changing<Made>(databases, table, call, details, insert, repeats(table, call)).catch(
          (error: unknown): Repeated => {
            if (error instanceof Contested) return 'running'
            throw error
          },
        )
        if (table.kept !== undefined && call.idempotency !== undefined) clearing(table.kept)
        return blaming(result, draft, next, 'onCreate')
      }),
    ...(options.idempotency === undefined ? {} : { recall: recalled }),

    replace: (key, value, expected, call) => {
      const next = fixed(value, { ...membersHolding(definition.key, key), ...call.scope })
      const action = call.action === 'patch' ? 'patch' : 'replace'
      return change<Stored<Row> | 'absent' | 'stale'>(call, { action, key, value: next, expected }, (table, texts, ask) =>
        onUpdate === undefined
          ? updateRow(
              table,
              texts,
              next,
              expected,
              call,
              ask,
              isTelling || action === 'patch' ? before(table, key, expected, call) : undefined,
            )
          : replaceSeen(table, texts, key, next, expected, call, ask),
      )
    },

    remove: (key, expected, call) =>
      change(call, { action: 'remove', key, expected }, (table, texts, ask) => removeRow(table, texts, expected, call, ask)),

    attach: (parent, key, expected, call) =>
      change(call, { action: 'attach', key, parent, expected }, async (table, texts, ask) =>
        moved(await move(table, ask, parent, call, { inwards: true, texts, key, expected }), 'attached'),
      ),
    detach: (parent, key, expected, call) =>
      change(call, { action: 'detach', key, parent, expected }, async (table, texts, ask) =>
        moved(await move(table, ask, parent, call, { inwards: false, texts, key, expected }), 'detached'),
      ),
  }
}

/** Whether what is shown can change without a change of the row, or of that of it which the version is made of. */
function isComputed({ readFrom, columns = {}, version }: PostgresAdapterOptions): boolean {
  const expressions = Object.values(columns).some((column) => typeof column === 'object' && column.expression !== undefined)
  return readFrom !== undefined || expressions || (typeof version === 'object' && 'expression' in version)
}

/** Why no table holds the key of such a parent. */
const unheld = (parent: Association | undefined): string | undefined => parent?.parts.map(incomparable).find((one) => one !== undefined)

/** A move that needed no statement of its own says no more than that it is done. */
const moved = <W extends string>(result: string | Refused, word: W): W | 'absent' | 'stale' | Refused =>
  typeof result !== 'string' || result === 'absent' || result === 'stale' ? (result as never) : word

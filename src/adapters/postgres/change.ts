/** One change, with what a team does beside it: all of it takes place, or nothing (HDR-3). */

import type { KeyValue } from '../../definition/key.js'
import { HttpProblem } from '../../problem.js'
import type { Call, ParentKey, Refused, Repeated, Stored, WriteAction } from '../contract.js'
import { isRefused } from '../contract.js'
import type { SqlClient } from './client.js'
import { changesAfterwards, committed, isOwnRow, isOwnWork, reread, snapshotOf, wasThere } from './committed.js'
import type { Databases } from './database.js'
import { Outdated } from './opening.js'
import type { Applied, Change } from './options.js'
import { lockedRecord, shownRecord } from './reads.js'
import { isOutdated, isOwn, refusalOf } from './refusals.js'
import { type Ask, reading, teamError, teamErrors, writing } from './statements.js'
import type { Table } from './table.js'

type Row = Record<string, unknown>

/** A change before it is applied. */
export interface Details {
  readonly action: WriteAction
  readonly collection: string
  /** Absent where a create leaves it to the store. */
  readonly key: KeyValue | undefined
  readonly value?: unknown
  readonly parent?: ParentKey | undefined
  /** The version that the record must still have. */
  readonly expected?: string | undefined
  /** The record of that version, where it has been read and stands for the whole row. */
  before?(): unknown
}

/** Runs the statement of a change, in a transaction where anything else belongs to it: `around`, which may do without what it is given. */
export async function changing<R extends Applied<unknown> | { readonly created: unknown } | Repeated>(
  databases: Databases,
  table: Table,
  call: Call,
  details: Details,
  statement: (ask: Ask) => Promise<R>,
  around?: (ask: Ask, work: () => Promise<R | Refused>) => Promise<R | Refused>,
): Promise<R | Refused> {
  const { write } = table.options
  const { nested } = databases.write
  const settles = changesAfterwards(table, details.action)
  // Members of collections are absent for other reasons, and a view may show less than the table.
  const mayHide = write !== undefined && !table.separate && ['replace', 'patch', 'remove'].includes(details.action)
  /** What could be seen when the record was found to be absent. */
  let snapshot: string | undefined
  /** The failure of a constraint is an answer; that of a team's own statement is not. */
  const refusing = async (work: () => Promise<R | Refused>, concerns = (_error: unknown) => true): Promise<R | Refused> => {
    try {
      return await work()
    } catch (error) {
      const isTeams = error instanceof Error && teamErrors.has(error)
      const refused = isTeams || !concerns(error) ? undefined : refusalOf(table, error, details)
      if (refused === undefined) throw error
      if (isOutdated(table, error)) throw new Outdated(refused)
      return refused
    }
  }
  // What fails at the commit is the record's, or it is a deferred constraint of a row that the team wrote beside it.
  const concerns = (error: unknown): boolean => write === undefined || details.action === 'remove' || isOwn(table, error)
  const change = async (ask: Ask, native: SqlClient | undefined): Promise<R | Refused> => {
    let applied: Promise<R | Refused> | undefined
    const apply = (): Promise<R | Refused> => {
      applied ??= refusing(() => statement(ask)).then(async (result) => {
        if (nested) return result
        if (result === 'stale') await refuseOwnWork(table, details, ask)
        if (result === 'absent' && mayHide) snapshot = await snapshotOf(ask)
        return result
      })
      return applied
    }
    // A statement that stands alone: nothing else can have changed the record in its transaction.
    if (native === undefined) return refusing(() => statement(ask))
    if (write === undefined) return settles ? settled(await apply(), ask) : apply()
    const before = await beforeOf(table, details, call, ask)
    if (typeof before === 'string') return before as R
    const started = new StartedChange(
      details,
      before,
      async (): Promise<Made> => {
        const result = await apply()
        const applied = appliedOf(result)
        if (applied === 'attached' || applied === 'detached') {
          const moved = await shownRecord(table, table.layout.keyTexts(details.key as KeyValue) ?? [], call, ask)
          return { applied, record: moved?.value }
        }
        const stored = storedIn(result)
        const now = stored !== undefined && settles ? await reread(table, stored, call, ask) : stored
        return { applied: now ?? applied, record: now?.value }
      },
      table,
    )
    try {
      await write(native, started as Change, call)
    } catch (error) {
      // What a team says to a client it says whatever became of the change.
      if (error instanceof HttpProblem) throw error
      const result = await applied
      // After a refusal the database takes no more statements in this transaction: the refusal is what went wrong.
      if (result !== undefined && !succeeded(result)) return result
      throw teamError(error, 'write')
    }
    const result = await apply()
    const answer = await settled(result, ask)
    if (!nested && !table.separate) await refuseUndone(table, details, result, answer, call, ask)
    return answer
  }
  /** What the change came to, with the record that will be committed in place of the one that was written. */
  const settled = async (result: R | Refused, ask: Ask): Promise<R | Refused> => {
    const stored = storedIn(result)
    if (stored === undefined) return result
    const now = await committed(table, stored, nested, call, ask)
    if ('refused' in now) return now
    return (result === stored ? now : { created: now }) as R
  }
  const result = await refusing(
    () =>
      writing<R | Refused>(
        databases,
        table.options,
        call,
        write !== undefined || table.separate || around !== undefined,
        settles,
        succeeded,
        async (ask, native) => {
          const work = () => change(ask, native)
          return around === undefined ? work() : around(ask, work)
        },
      ),
    concerns,
  )
  const since = snapshot
  if (result !== 'absent' || since === undefined) return result
  const texts = details.key === undefined ? undefined : table.layout.keyTexts(details.key)
  if (texts === undefined) return result
  const there = await reading({ ...databases, read: databases.write }, table.options, call, (ask) =>
    wasThere(table, texts, since, call, ask),
  )
  if (there) throw ownWork(table, details, 'the record')
  return result
}

/** What `apply()` came to, and the record that the table holds then. */
interface Made {
  readonly applied: Applied<unknown>
  readonly record: Row | undefined
}

/** The change that a team's function gets. */
class StartedChange {
  readonly action: WriteAction
  readonly collection: string
  readonly value: unknown
  readonly parent: ParentKey | undefined
  readonly before: unknown
  key: KeyValue | undefined
  after: Row | undefined
  /** A function that needs no `this`: teams take it out of the change. */
  readonly apply: () => Promise<Applied<unknown>>

  constructor({ action, collection, key, value, parent }: Details, before: unknown, make: () => Promise<Made>, { definition }: Table) {
    this.action = action
    this.collection = collection
    this.key = key
    this.value = value
    this.parent = parent
    this.before = before
    this.after = undefined
    let made: Promise<Applied<unknown>> | undefined
    this.apply = () => {
      made ??= make().then(({ applied, record }) => {
        this.after = record
        if (record !== undefined) this.key ??= definition.key.of(record)
        return applied
      })
      // A team that does not wait for it learns of its failure from the result of the whole change.
      made.catch(() => undefined)
      return made
    }
  }
}

/** The record that a change is about to change; or why it will not. */
async function beforeOf(table: Table, details: Details, call: Call, ask: Ask): Promise<unknown> {
  const { action, key, expected, before } = details
  if (action === 'create' || key === undefined) return undefined
  if (table.options.readBefore !== true) return before?.()
  const found = await lockedRecord(table, table.layout.keyTexts(key) ?? [], action !== 'remove', call, ask)
  if (found === undefined) return 'absent'
  // A record that is not in the parent's collection is absent, which comes before stale.
  return expected === undefined || found.version === expected || action === 'detach' ? found.value : 'stale'
}

/** The record that a create or a replace has stored; `undefined` of any other answer. */
function storedIn(result: unknown): Stored<Row> | undefined {
  const applied = appliedOf(result)
  return typeof applied === 'object' && 'value' in applied ? (applied as Stored<Row>) : undefined
}

/**
 * Throws where the version that was expected is gone because this transaction has changed the record
 * itself. Another attempt would do the same.
 */
async function refuseOwnWork(table: Table, details: Details, ask: Ask): Promise<void> {
  const texts = details.key === undefined ? undefined : table.layout.keyTexts(details.key)
  if (texts !== undefined && (await isOwnWork(table, texts, ask))) throw ownWork(table, details, 'the version it expected')
}

/**
 * Throws where a team's function has undone the adapter's own statement, by a savepoint say: the
 * answer would claim a change that was not made.
 */
async function refuseUndone(table: Table, details: Details, made: unknown, answer: unknown, call: Call, ask: Ask): Promise<void> {
  const { action, collection, key, expected } = details
  const texts = key === undefined ? undefined : table.layout.keyTexts(key)
  if (texts === undefined) return
  const [stored, now] = [storedIn(made), storedIn(answer)]
  let undone = made === 'removed' && (await shownRecord(table, texts, call, ask)) !== undefined
  if (stored !== undefined && now !== undefined && now.version !== stored.version) {
    undone = expected === undefined ? !(await isOwnRow(table, texts, ask)) : now.version === expected
  }
  if (!undone) return
  const error = new Error(
    `The "write" function has undone the ${action} of "${collection}" that change.apply() made. Nothing was changed. Throw an HttpProblem to refuse a change.`,
  )
  teamErrors.add(error)
  throw error
}

function ownWork(table: Table, { collection, action }: Details, missed: string): Error {
  const names = (['write', 'session'] as const).filter((name) => table.options[name] !== undefined)
  const by = names.length === 0 ? 'A rule or a trigger' : `SQL of the "${names.join('" or "')}" function`
  const fix = names.includes('write') ? 'Run such SQL after change.apply()' : 'Set the columns in a BEFORE trigger, by NEW'
  const error = new Error(
    `${by} changed the record of "${collection}" before the adapter's own ${action}, which then no longer found ${missed}. Nothing was changed. ${fix}.`,
  )
  teamErrors.add(error)
  return error
}

const appliedOf = (result: unknown): Applied<unknown> =>
  (typeof result === 'object' && result !== null && 'created' in result ? result.created : result) as Applied<unknown>

const undone: readonly unknown[] = ['absent', 'stale', 'mismatched', 'running']

const succeeded = (result: unknown): boolean => !undone.includes(result) && !isRefused(result)

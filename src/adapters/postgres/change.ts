/** One change, with what a team does beside it: all of it takes place, or nothing (HDR-3). */

import type { KeyValue } from '../../definition/key.js'
import { isProblem } from '../../problem.js'
import type { AdapterCall, Refused, Repeated, Stored } from '../contract.js'
import { isRefused } from '../contract.js'
import type { Session } from './client.js'
import { changesAfterwards, committed, isOwnWork, reread, snapshotOf, wasThere } from './committed.js'
import type { Databases } from './database.js'
import { Outdated } from './opening.js'
import type { Applied } from './options.js'
import { lockedRecord, rowNow, shownRecord } from './reads.js'
import { isOutdated, isOwn, refusalOf } from './refusals.js'
import { type Ask, reading, teamError, teamErrors, writing } from './statements.js'
import type { Table } from './table.js'
import { changeOf, type Details, type Made, TeamWrite, teamFault } from './team-write.js'

export type { Details } from './team-write.js'

type Row = Record<string, unknown>

/** Runs the statement of a change, in a transaction where anything else belongs to it: `around`, which may do without what it is given. */
export function changing<R extends Applied<unknown> | { readonly created: unknown } | Repeated>(
  databases: Databases,
  table: Table,
  call: AdapterCall,
  details: Details,
  statement: (ask: Ask) => Promise<R>,
  around?: Around<R>,
): Promise<R | Refused> {
  const { write, session } = table.options
  const settles = changesAfterwards(table, details.action)
  const isAlone = write === undefined && session === undefined && around === undefined && !settles && !table.separate
  if (!isAlone || databases.write.nested) return changingTogether(databases, table, call, details, statement, settles, around)
  // Nothing else can have changed the record in the transaction of a statement that stands alone.
  return refusing(table, details, () => writing(databases, table.options, call, false, false, succeeded, statement))
}

type Around<R> = (ask: Ask, work: () => Promise<R | Refused>) => Promise<R | Refused>

/** The failure of a constraint is an answer; that of a team's own statement is not. */
export async function refusing<R>(
  table: Table,
  details: Pick<Details, 'action' | 'value'>,
  work: () => Promise<R | Refused>,
  concerns = (_error: unknown) => true,
): Promise<R | Refused> {
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

/** The same with what belongs to the change: SQL of the team, triggers that run later, a key of a repeat. */
async function changingTogether<R extends Applied<unknown> | { readonly created: unknown } | Repeated>(
  databases: Databases,
  table: Table,
  call: AdapterCall,
  details: Details,
  statement: (ask: Ask) => Promise<R>,
  settles: boolean,
  around: Around<R> | undefined,
): Promise<R | Refused> {
  const { write } = table.options
  const { nested } = databases.write
  // Members of collections are absent for other reasons, and a view may show less than the table.
  const mayHide = write !== undefined && !table.separate && ['replace', 'patch', 'remove'].includes(details.action)
  /** What could be seen when the record was found to be absent. */
  let snapshot: string | undefined
  /** Whether this transaction itself has changed the row whose version was another than expected. */
  let touched = false
  const keyTexts = (): readonly string[] | undefined => (details.key === undefined ? undefined : table.layout.keyTexts(details.key))
  // What fails at the commit is the record's, or it is a deferred constraint of a row that the team wrote beside it.
  const concerns = (error: unknown): boolean => write === undefined || details.action === 'remove' || isOwn(table, error)
  /** The last attempt with the team's function. */
  let team: TeamWrite | undefined
  const change = async (ask: Ask, own: Session | undefined): Promise<R | Refused> => {
    if (own === undefined) return refusing(table, details, () => statement(ask))
    let applied: Promise<R | Refused> | undefined
    const attempt = write === undefined ? undefined : new TeamWrite(databases, table, call, details, own)
    team = attempt
    attempt?.checkTime()
    const applying = async (): Promise<R | Refused> => {
      await attempt?.begin()
      const result = await refusing(table, details, () => statement(ask))
      if (succeeded(result)) attempt?.succeeded(appliedOf(result))
      if (nested) return result
      const texts = result === 'stale' ? keyTexts() : undefined
      if (texts !== undefined) touched = await isOwnWork(table, texts, ask)
      if (result === 'absent' && mayHide) snapshot = await snapshotOf(ask)
      return result
    }
    const apply = (): Promise<R | Refused> => {
      applied ??= applying()
      return applied
    }
    if (write === undefined || attempt === undefined) return settles ? settled(await apply(), ask) : apply()
    const before = await beforeOf(table, details, call, ask)
    if (typeof before === 'string') return before as R
    /** Whether the function was given a record that could be seen. */
    let wasShown = false
    const make = async (): Promise<Made> => {
      const result = await apply()
      const applied = appliedOf(result)
      if (applied === 'attached' || applied === 'detached') {
        const moved = await shownRecord(table, table.layout.keyTexts(details.key as KeyValue) ?? [], call, ask)
        return { applied, record: moved?.value }
      }
      const stored = storedIn(result)
      const now = stored !== undefined && settles ? await reread(table, stored, call, ask) : stored
      if (now !== undefined) attempt.succeeded(now)
      wasShown = now !== undefined
      return { applied: now ?? applied, record: now?.value }
    }
    try {
      await attempt.run(write, changeOf(details, before, make, table))
    } catch (error) {
      // What a team says to a client it says whatever became of the change.
      const isAnswer = isProblem(error)
      const result = isAnswer ? await applied?.catch(() => undefined) : await applied
      // After a refusal the database takes no more statements in this transaction: the refusal is what went wrong.
      if (!isAnswer && result !== undefined && !succeeded(result)) return result
      const thrown = isAnswer ? error : teamError(error, 'write')
      await attempt.doubt(thrown)
      throw thrown
    }
    const result = await apply()
    if (!succeeded(result)) return result
    await attempt.verify()
    const answer = await settled(result, ask)
    if (wasShown && isRefused(answer)) throw takenAway(details)
    if (result === 'removed' && !nested && !table.separate) await refusePutBack(table, details, call, ask)
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
  const attempts = (): Promise<R | Refused> =>
    writing<R | Refused>(
      databases,
      table.options,
      call,
      write !== undefined || table.separate || around !== undefined,
      settles,
      succeeded,
      async (ask, own) => {
        const work = () => change(ask, own)
        return around === undefined ? work() : around(ask, work)
      },
    )
  const explained = (): Promise<R | Refused> =>
    attempts().catch(async (error) => {
      throw team === undefined ? error : await team.explained(error)
    })
  const result = await refusing(table, details, write === undefined ? attempts : explained, concerns)
  // Triggers of a statement run also where it finds no row: the version may have been another before.
  const texts = touched || snapshot !== undefined ? keyTexts() : undefined
  if (result === 'stale' && touched && texts !== undefined) {
    const fresh = { ...databases, read: databases.write }
    const now = await reading(fresh, table.options, call, (ask) => rowNow(table, texts, call, ask))
    if (now?.version === details.expected) throw ownWork(table, details, 'the version it expected')
  }
  const since = snapshot
  if (result !== 'absent' || since === undefined || texts === undefined) return result
  const there = await reading({ ...databases, read: databases.write }, table.options, call, (ask) =>
    wasThere(table, texts, since, call, ask),
  )
  if (there) throw ownWork(table, details, 'the record')
  return result
}

/** The record that a change is about to change; or why it will not. */
async function beforeOf(table: Table, details: Details, call: AdapterCall, ask: Ask): Promise<unknown> {
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

/** The answer would be a record that nobody can read. */
const takenAway = ({ collection }: Details): Error =>
  teamFault(
    `SQL of the "write" function took away the record of "${collection}" after change.apply(). Nothing was changed. Throw an HttpProblem to refuse a change.`,
  )

/** Throws where the function has put a removed record back: the answer would be 204, and the record still be there (VERB-6). */
async function refusePutBack(table: Table, { action, collection, key }: Details, call: AdapterCall, ask: Ask): Promise<void> {
  const texts = key === undefined ? undefined : table.layout.keyTexts(key)
  if (texts === undefined || (await shownRecord(table, texts, call, ask)) === undefined) return
  throw teamFault(
    `SQL of the "write" function has undone the ${action} of "${collection}" that change.apply() made: the record is there again. Nothing was changed. Throw an HttpProblem to refuse a change.`,
  )
}

function ownWork(table: Table, { collection, action }: Details, missed: string): Error {
  const names = (['write', 'session'] as const).filter((name) => table.options[name] !== undefined)
  const by = names.length === 0 ? 'A rule or a trigger' : `SQL of the "${names.join('" or "')}" function`
  const fix = names.includes('write') ? 'Run such SQL after change.apply()' : 'Set the columns in a BEFORE trigger, by NEW'
  return teamFault(
    `${by} changed the record of "${collection}" before the adapter's own ${action}, which then no longer found ${missed}. Nothing was changed. ${fix}.`,
  )
}

const appliedOf = (result: unknown): Applied<unknown> =>
  (typeof result === 'object' && result !== null && 'created' in result ? result.created : result) as Applied<unknown>

const undone: readonly unknown[] = ['absent', 'stale', 'mismatched', 'running']

const succeeded = (result: unknown): boolean => !undone.includes(result) && !isRefused(result)

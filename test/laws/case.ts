/**
 * Runs one case: checks all laws on a random table and its rows. A law is a property that every
 * table must have.
 */
import type { Adapter } from '../../src/adapters/contract.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { postgresAdapter } from '../../src/adapters/postgres/index.js'
import { call } from '../adapters/memory/requests.js'
import { withBrokenRows } from '../strict/watch.js'
import { type Built, build, foreignInsert, resourceOf } from './built.js'
import { type Case, type Choose, choose } from './cases.js'
import { type Change, changes } from './changes.js'
import type { Design, MemberDesign, RowDesign } from './designs.js'
import { addressed, creates, filters, inexact, orders, removes, roundTrips } from './laws.js'
import { ownRows } from './security.js'
import { Broken, type Client, type Listener } from './service.js'
import type { LawStore } from './stores.js'

/** Tests the laws on a random table in a database. */
export async function tableCase({ design, rows, choices }: Case, listener: Listener, store: LawStore): Promise<void> {
  const pick = choose(choices)
  const built = build(design, store.role)
  const isSecured = design.security !== 'none'
  const options = isSecured ? { ...built.options, session: store.secured.session } : built.options
  let served: Client | undefined
  try {
    await store.sql(built.ddl)
    const theirs = await strangers(pick, design, built, store)
    const before = await theirs()
    const adapter = postgresAdapter(isSecured ? store.secured.client : store.client, options as never)
    const { client, ready } = listener.serve(built.resource, adapter as never)
    served = client
    await ready()
    await lawful(client, design, rows)
    await foreign(pick, client, design, built, store)
    const after = await theirs()
    if (after !== before) throw new Broken('Rows of other callers do not change.', before, after)
  } catch (error) {
    throw reported(error, design, rows, built.ddl, served)
  } finally {
    await store.sql(built.drop)
  }
}

/** Tests the laws on a random schema in the memory adapter. */
export async function memoryCase({ design: table, rows: sent }: Case, listener: Listener): Promise<void> {
  const design = inMemory(table)
  const names = new Set([...design.key, ...design.members].map(({ name }) => name))
  const rows = sent.map((row) => only(row, names))
  const resource = resourceOf(design)
  let served: Client | undefined
  try {
    const adapter = memoryAdapter(resource as never) as unknown as Required<Adapter<unknown, unknown>>
    const scope = design.members.find(({ filled }) => filled === 'scope')
    if (scope !== undefined)
      for (const { values, odd } of rows.slice(0, 2))
        if (odd.length === 0)
          await adapter.create({ ...values, [scope.name]: 'theirs' }, { ...call, scope: { [scope.name]: 'theirs' } })
    const { client, ready } = listener.serve(resource, adapter as never)
    served = client
    await ready()
    await lawful(client, design, rows)
  } catch (error) {
    throw reported(error, design, rows, '', served)
  }
}

async function lawful(client: Client, design: Design, rows: readonly RowDesign[]): Promise<void> {
  const found = await creates(client, design, rows)
  for (const one of found) await roundTrips(client, design, one)
  await filters(client, design)
  await orders(client, design)
  await removes(client, design, found)
}

/** Tests the laws on rows that other sessions insert. */
async function foreign(pick: Choose, client: Client, design: Design, built: Built, store: LawStore): Promise<void> {
  const insert = async (inexact: boolean): Promise<void> => {
    const statement = foreignInsert(design, built, inexact, pick)
    // A constraint may refuse the row.
    if (statement !== undefined) await store.sql(statement).catch((error) => refusedValue(error, statement))
  }
  for (let i = 0; i < 3; i++) await insert(false)
  for (const one of await addressed(client, built.resource)) await roundTrips(client, design, one)
  await filters(client, design)
  await orders(client, design)
  const change = changeOf(design, built, store, pick)
  if (change !== undefined)
    for (const one of await addressed(client, built.resource)) await changes(client, design, one, change)
  const own = ownRows(design, built.column)
  await store.sql(`DELETE FROM ${built.base}${own === undefined ? '' : ` WHERE ${own}`}`)
  for (let i = 0; i < 2; i++) await insert(true)
  const columns = [...design.key, ...design.members].map(({ name }) => built.column(name)).join(', ')
  const stored = async (): Promise<string> =>
    JSON.stringify(
      (await store.sql(`SELECT ROW(${columns})::text AS r FROM ${built.base} ORDER BY 1`)).map(({ r }) => r),
    )
  await withBrokenRows(async () => {
    for (const one of await addressed(client, built.resource)) await inexact(client, design, one, stored)
  })
}

/**
 * Inserts rows that the caller must not see. Returns a function that reads them directly from the
 * table.
 */
async function strangers(pick: Choose, design: Design, built: Built, store: LawStore): Promise<() => Promise<string>> {
  const own = ownRows(design, built.column)
  if (own === undefined) return async () => ''
  for (let i = 0; i < 2; i++) {
    const statement = foreignInsert(design, built, false, pick, true)
    if (statement !== undefined) await store.sql(statement).catch((error) => refusedValue(error, statement))
  }
  return async () => {
    const rows = await store.sql(`SELECT t::text AS r FROM ${built.base} AS t WHERE NOT (${own}) ORDER BY 1`)
    return JSON.stringify(rows.map(({ r }) => r))
  }
}

/**
 * Creates an update that another session can run. The update sets one member of each row of the
 * caller. Returns `undefined` if the design has no member that such an update can set.
 */
function changeOf(design: Design, { base, column }: Built, store: LawStore, pick: Choose): Change | undefined {
  const fit = design.members.filter(
    ({ name, kind, filled }) =>
      ['null', 'sent', 'default'].includes(filled) && kind.foreign !== undefined && design.unique?.member !== name,
  )
  const name = fit.length === 0 ? undefined : pick(fit.map((member) => member.name))
  const member = fit.find((one) => one.name === name)
  if (member === undefined) return undefined
  const own = ownRows(design, column)
  const values = [...(member.kind.foreign ?? []), ...(member.filled === 'null' ? ['NULL'] : [])]
  const updates = [pick(values), pick(values)].map(
    (value) => `UPDATE ${base} SET ${column(member.name)} = ${value}${own === undefined ? '' : ` WHERE ${own}`}`,
  )
  return {
    member,
    async run(which) {
      const statement = updates[which] as string
      try {
        await store.sql(statement)
        return true
      } catch (error) {
        refusedValue(error, statement)
        return false
      }
    },
  }
}

/**
 * Rethrows an error, unless the database refused a value.
 * Any other error means that the statement itself is wrong.
 */
function refusedValue(error: unknown, statement: string): void {
  const { code = '' } = error as { code?: string }
  if (!/^(?:22|23|P0)/.test(code)) throw new Error(`${statement}: ${error}`, { cause: error })
}

/**
 * The design without the parts that only a database has: triggers, constraints, defaults and
 * generated members.
 */
function inMemory(design: Design): Design {
  const members = design.members.filter(({ filled }) => ['null', 'sent', 'scope'].includes(filled)).map(schemaAlone)
  const key = design.key.map(schemaAlone)
  return { ...design, key, form: 'table', trigger: 'none', unique: undefined, reference: undefined, members }
}

/**
 * Returns the member for the memory adapter, which compares strings without a format by their exact
 * values. For such a string, `spellings`, `means` and `isBlind` are removed from the kind of the
 * member, because they make different strings count as equal.
 */
function schemaAlone(member: MemberDesign): MemberDesign {
  const { type, format } = member.kind.schema
  if (type !== 'string' || format !== undefined) return member
  const { spellings: _spellings, means: _means, isBlind: _isBlind, ...kind } = member.kind
  return { ...member, kind }
}

/** The row, limited to the members that the schema declares. */
const only = ({ values, odd }: RowDesign, names: ReadonlySet<string>): RowDesign => ({
  values: Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name))),
  odd: odd.filter((name) => names.has(name)),
})

/** Maximum length of a line in a report. */
const longest = 2_000
const cut = (line: string): string =>
  line.length > longest ? `${line.slice(0, longest)}... (${line.length} characters)` : line

/** An error that describes a failure: the last requests, the rows that were sent, and the table. */
function reported(
  error: unknown,
  design: Design,
  rows: readonly RowDesign[],
  ddl: string,
  client: Client | undefined,
): Error {
  const of = ({ name, kind, filled }: MemberDesign) => `${name}: ${kind.name} (${filled})`
  const { key, members, ...others } = design
  const sections = [
    error instanceof Error ? error.message : String(error),
    ['The last requests and responses:', ...(client?.last ?? [])].join('\n'),
    ['The rows that were sent:', ...rows.map(({ values }) => JSON.stringify(values))].join('\n'),
    [
      'The table:',
      `key ${key.map(of).join(', ')}`,
      `members ${members.map(of).join(', ')}`,
      JSON.stringify(others),
      ddl,
    ].join('\n'),
  ]
  return new Error(sections.join('\n\n').split('\n').map(cut).join('\n'), { cause: error })
}

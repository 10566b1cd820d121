/** One case: a random table, its rows, and every law on them. */
import fc from 'fast-check'
import type { Adapter } from '../../src/adapters/contract.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { postgresAdapter } from '../../src/adapters/postgres/index.js'
import { call } from '../adapters/memory/requests.js'
import { type Built, build, foreignInsert, resourceOf } from './built.js'
import { type Change, changes } from './changes.js'
import { type Design, type Draw, drawDesign, drawRows, type MemberDesign, type RowDesign } from './designs.js'
import type { Kind } from './kinds.js'
import { addressed, creates, filters, inexact, orders, removes, roundTrips } from './laws.js'
import { ownRows } from './security.js'
import { Broken, type Client, type Listener } from './service.js'
import type { LawStore } from './stores.js'

/** Tries the laws on a random table of a database. */
export async function tableCase(draw: Draw, listener: Listener, store: LawStore, kinds: readonly Kind[]): Promise<void> {
  const design = drawDesign(draw, kinds)
  const rows = drawRows(draw, design)
  const built = build(design, store.role)
  const isSecured = design.security !== 'none'
  const options = isSecured ? { ...built.options, session: store.secured.session } : built.options
  try {
    await store.sql(built.ddl)
    const theirs = await strangers(draw, design, built, store)
    const before = await theirs()
    const adapter = postgresAdapter(isSecured ? store.secured.client : store.client, options as never)
    const { client, ready } = listener.serve(built.resource, adapter as never)
    await ready()
    await lawful(client, design, rows)
    await foreign(draw, client, design, built, store)
    const after = await theirs()
    if (after !== before) throw new Broken(`Rows of others have changed.\n${before}\n${after}`)
  } catch (error) {
    throw told(error, design, built.ddl)
  } finally {
    await store.sql(built.drop)
  }
}

/** Tries the laws on a random schema in memory. */
export async function memoryCase(draw: Draw, listener: Listener, kinds: readonly Kind[]): Promise<void> {
  const design = inMemory(drawDesign(draw, kinds))
  const rows = drawRows(draw, design)
  const resource = resourceOf(design)
  try {
    const adapter = memoryAdapter(resource as never) as unknown as Required<Adapter<unknown, unknown>>
    const scope = design.members.find(({ filled }) => filled === 'scope')
    if (scope !== undefined)
      for (const { values, odd } of rows.slice(0, 2))
        if (odd.length === 0) await adapter.create({ ...values, [scope.name]: 'theirs' }, { ...call, scope: { [scope.name]: 'theirs' } })
    const { client, ready } = listener.serve(resource, adapter as never)
    await ready()
    await lawful(client, design, rows)
  } catch (error) {
    throw told(error, design, '')
  }
}

async function lawful(client: Client, design: Design, rows: readonly RowDesign[]): Promise<void> {
  const found = await creates(client, design, rows)
  for (const one of found) await roundTrips(client, design, one)
  await filters(client, design)
  await orders(client, design)
  await removes(client, design, found)
}

/** The laws on rows that other sessions insert. */
async function foreign(draw: Draw, client: Client, design: Design, built: Built, store: LawStore): Promise<void> {
  const pick = (values: readonly string[]): string => draw(fc.constantFrom(...values))
  const insert = async (inexact: boolean): Promise<void> => {
    const statement = foreignInsert(design, built, inexact, pick)
    // A constraint may refuse it.
    if (statement !== undefined) await store.sql(statement).catch((error) => refusedValue(error, statement))
  }
  for (let i = 0; i < 3; i++) await insert(false)
  for (const one of await addressed(client, built.resource)) await roundTrips(client, design, one)
  await filters(client, design)
  await orders(client, design)
  const change = changeOf(design, built, store, pick)
  if (change !== undefined) for (const one of await addressed(client, built.resource)) await changes(client, design, one, change)
  const own = ownRows(design, built.column)
  await store.sql(`DELETE FROM ${built.base}${own === undefined ? '' : ` WHERE ${own}`}`)
  for (let i = 0; i < 2; i++) await insert(true)
  const columns = [...design.key, ...design.members].map(({ name }) => built.column(name)).join(', ')
  const stored = async (): Promise<string> =>
    JSON.stringify((await store.sql(`SELECT ROW(${columns})::text AS r FROM ${built.base} ORDER BY 1`)).map(({ r }) => r))
  for (const one of await addressed(client, built.resource)) await inexact(client, design, one, stored)
}

/** Inserts rows that the caller may not see; gives a function that shows them as they are. */
async function strangers(draw: Draw, design: Design, built: Built, store: LawStore): Promise<() => Promise<string>> {
  const own = ownRows(design, built.column)
  if (own === undefined) return async () => ''
  for (let i = 0; i < 2; i++) {
    const statement = foreignInsert(design, built, false, (values) => draw(fc.constantFrom(...values)), true)
    if (statement !== undefined) await store.sql(statement).catch((error) => refusedValue(error, statement))
  }
  return async () => {
    const rows = await store.sql(`SELECT t::text AS r FROM ${built.base} AS t WHERE NOT (${own}) ORDER BY 1`)
    return JSON.stringify(rows.map(({ r }) => r))
  }
}

/** An update of another session that gives one member of every row a value, or another one. */
function changeOf(
  design: Design,
  { base, column }: Built,
  store: LawStore,
  pick: (values: readonly string[]) => string,
): Change | undefined {
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

/** Throws what is not about values: a mistake in the statement. */
function refusedValue(error: unknown, statement: string): void {
  const { code = '' } = error as { code?: string }
  if (!/^(?:22|23|P0)/.test(code)) throw new Error(`${statement}: ${error}`, { cause: error })
}

/** What of a design is the database's: memory has no triggers, constraints, defaults or generated members. */
function inMemory(design: Design): Design {
  const members = design.members.filter(({ filled }) => ['null', 'sent', 'scope'].includes(filled)).map(schemaAlone)
  const key = design.key.map(schemaAlone)
  return { ...design, key, form: 'table', trigger: 'none', unique: undefined, reference: undefined, members }
}

/** A value has other spellings by its schema alone: a plain string is a text. */
function schemaAlone(member: MemberDesign): MemberDesign {
  const { type, format } = member.kind.schema
  if (type !== 'string' || format !== undefined) return member
  const { spellings: _spellings, means: _means, isBlind: _isBlind, ...kind } = member.kind
  return { ...member, kind }
}

/** A failure, with all that is needed to repeat it by hand. */
function told(error: unknown, design: Design, ddl: string): Error {
  const of = ({ name, kind, filled }: Design['key'][number]) => `${name}: ${kind.name} (${filled})`
  const { key, members, ...others } = design
  const table = [JSON.stringify(others), `key ${key.map(of).join(', ')}`, `members ${members.map(of).join(', ')}`, ddl]
  return new Error(`${error instanceof Error ? error.message : error}\n\n${table.join('\n')}`, { cause: error })
}

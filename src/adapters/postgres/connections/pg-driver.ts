/** The driver for `pg`: a pool, a single client, or a client in a transaction. */
import { acquire, lenderOf, release } from './acquire.js'
import type { Database, Session, Wait } from './client.js'
import { holdingTurn, takeTurn } from './client-turn.js'
import { connectionOf, hasUniformConnections, watchClient, watchPool } from './connections.js'
import { Lease } from './lease.js'
import type { PgClient, PgPool } from './pg-client.js'
import { inSavepoint, inTransaction } from './pg-transactions.js'
import { Behind, replayedSql } from './replayed.js'
import { SharedReads } from './shared-reads.js'
import { StatementNames } from './statement-names.js'

export interface PgOptions {
  /** Whether statements are named, so that the server keeps them prepared. */
  readonly prepare: boolean
  /** The timeout for acquiring a connection, in milliseconds. */
  readonly acquire: number
  /** The timeout of a statement, in milliseconds. */
  readonly statement: number
  readonly warn: (message: string) => void
  /** Returns the log position that a replica must have reached. Absent for a primary. */
  readonly floor?: () => string | undefined
}

/**
 * For each connection to a replica: the last required position (`floor`) that the replica has
 * reached.
 */
const reached = new WeakMap<PgClient, string>()

const registries = new WeakMap<object, StatementNames>()

function namesOf(owner: object): StatementNames {
  const known = registries.get(owner)
  if (known !== undefined) return known
  const made = new StatementNames()
  registries.set(owner, made)
  return made
}

/**
 * Returns the database of a pool. Every statement or transaction holds a connection while it runs.
 */
export function poolDatabase(pool: PgPool, options: PgOptions): Database {
  watchPool(pool, options.warn)
  const lender = lenderOf(pool)
  const names = options.prepare ? namesOf(pool) : undefined
  const takeBack = (client: PgClient, broken: Error | boolean): void => {
    try {
      release(lender, client, broken)
    } catch {
      // The connection has already been released, but the results of the statements are still
      // valid. So the only consequence is a warning.
      options.warn(
        "One of the service's own functions released the connection of its transaction. Only the adapter may do this.",
      )
    }
  }
  const lent = (client: PgClient): Lease =>
    new Lease(client, true, options.statement, (broken) => takeBack(client, broken))
  const borrow = async (wait: Wait): Promise<Lease> => {
    const lease = lent(await acquire(lender, wait, options.acquire))
    const floor = options.floor?.()
    if (floor === undefined || reached.get(lease.client) === floor) return lease
    try {
      const { rows } = await lease.run(replayedSql, [floor], wait, names)
      if (rows[0]?.c0 !== 'true') throw new Behind()
    } catch (error) {
      lease.end()
      throw error
    }
    reached.set(lease.client, floor)
    return lease
  }
  const holding = async <T>(wait: Wait, work: (lease: Lease) => Promise<T>): Promise<T> => {
    const lease = await borrow(wait)
    try {
      return await work(lease)
    } finally {
      lease.end()
    }
  }
  const cells: Database['cells'] = (text, columns, values, wait) =>
    holding(wait, (lease) => lease.cells(text, columns, values, wait, names))
  const shared = new SharedReads(
    (text, columns, sets, wait) => holding(wait, (lease) => lease.cellsOfAll(text, columns, sets(), wait, names)),
    cells,
  )
  return {
    embedded: false,
    mayBeNested: false,
    pooled: true,
    checksFloor: options.floor !== undefined,
    query: (text, values, wait) => holding(wait, async (lease) => (await lease.run(text, values, wait, names)).rows),
    cells,
    shared: (text, columns, values, wait) =>
      hasUniformConnections(pool) ? shared.read(text, columns, values, wait) : cells(text, columns, values, wait),
    transaction: async (work, wait, _optional, first) => inTransaction(await borrow(wait), work, wait, first),
  }
}

/**
 * Returns the database of a single client. Statements run one after the other. If a transaction of
 * the caller is open, they run in that transaction.
 */
export function clientDatabase(client: PgClient, options: PgOptions): Database {
  watchClient(client, options.warn)
  const connection = connectionOf(client)
  /**
   * How many times the pool had handed out the client when `clientDatabase` was called. If that
   * number has changed, another caller is using the client, and the open transaction belongs to
   * that caller.
   */
  const { checkouts } = connection
  const names = options.prepare ? namesOf(client) : undefined
  return {
    embedded: false,
    mayBeNested: true,
    async query(text, values, wait) {
      const lease = await turn(client, wait, options)
      try {
        // If the client does not expose its transaction status, a transaction may be open. An error
        // about an unknown statement name would abort that transaction, so names are not used.
        return (await lease.run(text, values, wait, lease.transaction === undefined ? undefined : names)).rows
      } finally {
        lease.end()
      }
    },
    async cells(text, columns, values, wait) {
      const lease = await turn(client, wait, options)
      try {
        return await lease.cells(text, columns, values, wait, lease.transaction === undefined ? undefined : names)
      } finally {
        lease.end()
      }
    },
    async transaction<T>(work: (session: Session) => Promise<T>, wait: Wait, _optional?: boolean, first?: string) {
      const lease = await turn(client, wait, options)
      try {
        const held = (session: Session): Promise<T> => holdingTurn(client, () => work(session))
        if (!(await isOpen(lease, wait))) return await inTransaction(lease, held, wait, first)
        return await inSavepoint(lease, held, wait, connection.checkouts === checkouts)
      } catch (error) {
        lease.end()
        throw error
      }
    },
  }
}

/** Waits until no other operation of the library runs on the client, and then returns a lease. */
async function turn(client: PgClient, wait: Wait, { acquire, statement }: PgOptions): Promise<Lease> {
  return new Lease(client, false, statement, await takeTurn(client, wait, acquire))
}

/**
 * Returns whether the caller has a transaction open. If the client reports no transaction, the
 * function first waits for the statements that the caller has sent and not awaited, such as a
 * BEGIN.
 */
async function isOpen(lease: Lease, wait: Wait): Promise<boolean> {
  if (lease.transaction === undefined) return hasTransaction(lease, wait)
  if (lease.transaction === 'I') await lease.run('', [], wait)
  return lease.transaction !== 'I'
}

async function hasTransaction(lease: Lease, wait: Wait): Promise<boolean> {
  try {
    await lease.run('SAVEPOINT rest_probe; RELEASE SAVEPOINT rest_probe', [], wait)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === '25P01') return false
    throw error
  }
}

/**
 * Runs random schedules of calls and connection events. No error is left uncaught, and every
 * response states the true outcome. `emitted.long.test.ts` tests single cases.
 */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Unavailable } from '../../../src/problem.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { listRequest } from '../memory/requests.js'
import { bultosIn, ddl, tried, unchanged, until, within } from './bultos.js'

/** A client that records the statements sent on it after it has emitted `error`. */
class Watched extends pg.Client {
  isDead = false
  readonly lateStatements: string[] = []
  override emit(event: string | symbol, ...given: unknown[]): boolean {
    if (event === 'error') this.isDead = true
    return super.emit(event as never, ...(given as never[]))
  }
  override query(...given: unknown[]): never {
    const text = String((given[0] as { text?: string }).text ?? given[0])
    if (this.isDead) this.lateStatements.push(text)
    return (super.query as (...all: unknown[]) => unknown).apply(this, given) as never
  }
}

interface Inner {
  readonly connection: {
    emit(event: string, ...given: unknown[]): boolean
    readonly stream: { destroy(error?: Error): void }
  }
}

const fatal = () =>
  Object.assign(new Error('terminating connection due to administrator command'), {
    code: '57P01',
    severity: 'FATAL',
    name: 'error',
  })
const notice = (routine: string) => ({ severity: 'WARNING', code: '01000', message: 'a warning', routine })

/**
 * Events of a connection. A connection that is still being opened gets only the event 'a notice'
 * and the events that close its socket.
 */
const events = {
  'a FATAL error': (client: Inner) => client.connection.emit('errorMessage', fatal()),
  'an error of the socket': (client: Inner) => client.connection.emit('error', new Error('read ECONNRESET')),
  'a socket that closes': (client: Inner) => client.connection.stream.destroy(),
  'a socket that breaks': (client: Inner) => client.connection.stream.destroy(new Error('broken')),
  'a notice': (client: Inner) => client.connection.emit('notice', notice('exec_simple_query')),
  'a warning that a commit did not wait for its standby': (client: Inner) =>
    client.connection.emit('notice', notice('SyncRepWaitForLSN')),
  'end() called by the service': (client: Inner) => void (client as unknown as pg.Client).end().catch(() => undefined),
} as const

const works = [
  'read',
  'list',
  'create',
  'create with an outbox',
  'create that is cancelled',
  'a query of the service',
  'a transaction of the service',
] as const

/** How long to wait before the next step. */
interface Pause {
  readonly microtasks?: number
  /** Iterations of the event loop. */
  readonly turns?: number
}

interface Step {
  readonly what: (typeof works)[number] | keyof typeof events
  readonly which: number
  readonly pause: Pause
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...works) },
    fc.constantFrom(...(Object.keys(events) as (keyof typeof events)[])),
  ),
  which: fc.nat(10),
  pause: fc.oneof(fc.record({ microtasks: fc.nat(6) }), fc.record({ turns: fc.nat(5) })),
})

let place: Place
const uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)
beforeAll(async () => {
  place = await freshSchema()
  await place.sql(`${ddl} INSERT INTO bultos VALUES ('a', 1)`)
  process.on('uncaughtExceptionMonitor', note)
  process.on('unhandledRejection', note)
})
afterAll(async () => {
  process.off('uncaughtExceptionMonitor', note)
  process.off('unhandledRejection', note)
  await place.drop()
})

let runs = 0

async function pass(pause: Pause): Promise<void> {
  for (let i = 0; i < (pause.microtasks ?? 0); i++) await undefined
  for (let i = 0; i < (pause.turns ?? 0); i++) await new Promise((resolve) => setImmediate(resolve))
}

async function underSchedule(steps: readonly Step[]): Promise<void> {
  const run = ++runs
  const seen = new Set<Watched>()
  const pool = new pg.Pool({ connectionString: place.url, max: 3, Client: Watched } as pg.PoolConfig)
  pool.on('connect', (client) => void seen.add(client as unknown as Watched))
  const plain = bultosIn(pool)
  const outbox = bultosIn(pool, {
    write: (tx, { key }) => tx.query('INSERT INTO buzon VALUES ($1)', [key]).then(() => {}),
  })
  const slow = bultosIn(pool, { write: (tx) => tx.query('SELECT pg_sleep(2)').then(() => {}) })
  const answers: Promise<unknown>[] = []
  const created = new Map<string, unknown>()
  const create = async (store: typeof plain, id: string, left = 20_000) =>
    void created.set(id, await tried(store.create({ id, n: 1 }, within(left))))
  const begin: Record<(typeof works)[number], (id: string) => Promise<unknown>> = {
    read: () => tried(plain.read(['a'], within(20_000))),
    list: () => tried(plain.list(listRequest({ sort: 'id' }), within(20_000))),
    create: (id) => create(plain, id),
    'create with an outbox': (id) => create(outbox, id),
    'create that is cancelled': (id) => create(slow, id, 60),
    'a query of the service': () => pool.query('SELECT 1').then(ignore, ignore),
    'a transaction of the service': async () => {
      const client = await pool.connect().catch(ignore)
      if (client === undefined) return
      await client.query('BEGIN; SELECT 1; COMMIT').catch(ignore)
      client.release()
    },
  }
  for (const [i, { what, which, pause }] of steps.entries()) {
    const clients = (pool as unknown as { _clients: (Inner & Watched)[] })._clients
    const client = clients[which % Math.max(1, clients.length)]
    if (what in begin) answers.push(begin[what as keyof typeof begin](`s${run}-${i}`))
    else if (client !== undefined && (seen.has(client) || /socket that|notice/.test(what)))
      events[what as keyof typeof events](client)
    await pass(pause)
  }
  for (const answer of await Promise.all(answers))
    if (answer instanceof Error) expect(answer).toBeInstanceOf(Unavailable)
  await until(() => [pool.waitingCount, pool.idleCount === pool.totalCount]).toEqual([0, true])

  expect(uncaught).toEqual([])
  const rows = new Set((await place.sql(`SELECT id FROM bultos WHERE id LIKE 's${run}-%'`)).map(({ id }) => id))
  for (const [id, answer] of created) {
    if (answer instanceof Unavailable) {
      if (unchanged.test(String(answer.detail))) expect([id, rows.has(id)]).toEqual([id, false])
    } else
      expect([id, answer, rows.has(id)]).toEqual([id, expect.objectContaining({ created: expect.anything() }), true])
  }
  for (const client of seen) {
    // A closed connection keeps the listeners of the adapter and of the pool.
    expect(client.listenerCount('notice')).toBe(1)
    expect(client.listenerCount('error')).toBeLessThanOrEqual(3)
    // Only the statements of the adapter are checked, not the service's own statements.
    expect(client.lateStatements.filter((text) => /bultos|buzon|ROLLBACK|COMMIT$/.test(text))).toEqual([])
  }
  expect(await plain.read(['a'], within(20_000))).toMatchObject([{ value: { id: 'a' } }])
  for (const client of await Promise.all([1, 2, 3].map(() => pool.connect()))) {
    expect([client.listenerCount('error'), client.listenerCount('notice')]).toEqual([1, 1])
    client.release()
  }
  await pool.end()
}

const ignore = (): undefined => undefined

describe('any schedule of statements, cancels, errors and notices', () => {
  it('ends with true results, no uncaught error, no statement on a dead connection, and no leak', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), underSchedule), {
      numRuns: 60,
      endOnFailure: true,
    })
  }, 120_000)
})

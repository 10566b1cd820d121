/**
 * The parts of the outbox example, with their own schema and stream on the servers of this test
 * run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import pg from 'pg'
import type { ChangeMessage } from '../../../examples/outbox/message.js'
import { ordersTable } from '../../../examples/outbox/orders.js'
import { appliedTable, changesTable } from '../../../examples/outbox/tables.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { freshStream } from '../../servers/nats-streams.js'

export interface Outbox extends AsyncDisposable {
  readonly place: Place
  readonly pool: pg.Pool
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly stream: string
  readonly subject: string
  /** The options of a publisher. */
  readonly options: { databaseUrl: string; natsUrl: string; stream: string; subject: string; interval: number }
  /** The number of changes that are not published yet. */
  waiting(): Promise<number>
  /**
   * Records a change of a key, as the hook of the example does. Returns the position of the change.
   */
  insert(key: unknown, after?: unknown, tx?: pg.PoolClient): Promise<number>
  /** Ends the database session of the publisher that holds the lock. */
  endSession(): Promise<void>
  /** All messages of the stream, in order. */
  messages(): Promise<ChangeMessage[]>
}

/**
 * Creates the tables of the outbox. If `duplicateWindow` is given (in milliseconds), also creates
 * the stream, with that window.
 */
export async function openOutbox(natsUrl: string, duplicateWindow?: number): Promise<Outbox> {
  const place = await freshSchema()
  await place.sql(ordersTable + changesTable + appliedTable)
  const pool = new pg.Pool({ connectionString: place.url, max: 20 })
  pool.on('error', () => {})
  const nats = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
  const manager = await jetstreamManager(nats)
  const { stream, subject } = freshStream()
  if (duplicateWindow !== undefined) {
    await manager.streams.add({
      name: stream,
      subjects: [`${subject}.>`],
      duplicate_window: duplicateWindow * 1_000_000,
    })
  }
  return {
    place,
    pool,
    nats,
    manager,
    stream,
    subject,
    options: { databaseUrl: place.url, natsUrl, stream, subject, interval: 20 },
    async waiting() {
      const { rows } = await pool.query('SELECT count(*)::int AS n FROM changes WHERE published_at IS NULL')
      return rows[0].n
    },
    async insert(key, after = {}, tx) {
      const { rows } = await (tx ?? pool).query(
        `INSERT INTO changes (collection, key, action, after, request) VALUES ('orders', $1, 'replace', $2, 'r') ` +
          'RETURNING position::int',
        [JSON.stringify(key), JSON.stringify(after)],
      )
      return rows[0].position
    },
    async endSession() {
      await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND (classid::bigint << 32 | objid::bigint) = hashtextextended('outbox:' || 'changes'::regclass::oid, 0)`)
    },
    async messages() {
      const { state } = await manager.streams.info(stream)
      if (state.messages === 0) return []
      const consumer = await jetstream(nats).consumers.get(stream)
      const found: ChangeMessage[] = []
      for await (const message of await consumer.consume()) {
        found.push(message.json())
        if (message.seq === state.last_seq) break
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await manager.streams.delete(stream).catch(() => {})
      await nats.close()
      await pool.end()
      await place.drop()
    },
  }
}

/** A publisher that runs as a process. */
export interface Publisher {
  readonly child: ChildProcess
  /** Resolves when the process becomes the active publisher. */
  readonly publishing: Promise<void>
  readonly isPublishing: boolean
  readonly ended: Promise<number | null>
  readonly log: string
}

const main = fileURLToPath(new URL('../../../build/examples/outbox/publish.js', import.meta.url))

export function startPublisher(options: Outbox['options']): Publisher {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: options.databaseUrl,
      NATS_URL: options.natsUrl,
      STREAM: options.stream,
      SUBJECT: options.subject,
    },
  })
  let log = ''
  let isPublishing = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const publishing = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log += text
      if (!log.includes('Publishing.')) return
      isPublishing = true
      resolve()
    })
  })
  return {
    child,
    publishing,
    get isPublishing() {
      return isPublishing
    },
    get log() {
      return log
    },
    ended: once(child, 'close').then(([code]) => code),
  }
}

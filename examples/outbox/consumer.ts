/**
 * Applies the changes that another service publishes: each change once, and the changes of each
 * record in order.
 */
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type pg from 'pg'
import type { ChangeMessage } from './message.js'

export interface ConsumerOptions {
  readonly natsUrl: string
  /** The consumer's own database, with the table `applied_changes`. */
  readonly pool: pg.Pool
  /**
   * The name of the consumer. After a restart, a consumer with the same name continues where it
   * stopped.
   */
  readonly name: string
  readonly stream?: string
  /**
   * Applies a change, in the transaction that also stores its position. If this function throws,
   * the message is redelivered.
   */
  readonly apply: (tx: pg.PoolClient, change: ChangeMessage) => Promise<void>
  readonly report?: (message: string) => void
}

/** Milliseconds until a message that could not be applied is redelivered. */
const pause = 1_000

// Returns no row if this change, or a later change of the record, was already applied.
const claim = `
INSERT INTO applied_changes AS a (consumer, collection, key, position) VALUES ($1, $2, $3, $4)
ON CONFLICT (consumer, collection, key) DO UPDATE SET position = excluded.position WHERE a.position < excluded.position
RETURNING position`

/** Consumes messages until `signal` is aborted. */
export async function consumeChanges(options: ConsumerOptions, signal: AbortSignal): Promise<void> {
  const { name, stream = 'CHANGES', report = () => {} } = options
  const nats = await connect({ servers: options.natsUrl, maxReconnectAttempts: -1, name })
  try {
    const manager = await jetstreamManager(nats)
    // Only one message is in flight at a time. Otherwise, a redelivered message would arrive after
    // newer messages about the same record.
    await manager.consumers.add(stream, { durable_name: name, ack_policy: AckPolicy.Explicit, max_ack_pending: 1 })
    const consumer = await jetstream(nats).consumers.get(stream, name)
    const messages = await consumer.consume({ max_messages: 1 })
    const stop = (): void => messages.stop()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    for await (const message of messages) {
      try {
        await once(options, message.json<ChangeMessage>())
        message.ack()
      } catch (error) {
        report(`${message.subject} will be redelivered: ${error instanceof Error ? error.message : String(error)}`)
        message.nak(pause)
      }
    }
  } finally {
    await nats.drain().catch(() => {})
  }
}

async function once({ pool, name, apply }: ConsumerOptions, change: ChangeMessage): Promise<void> {
  const tx = await pool.connect()
  let failure: Error | undefined
  try {
    await tx.query('BEGIN')
    const { rowCount } = await tx.query(claim, [name, change.collection, JSON.stringify(change.key), change.position])
    if (rowCount === 1) await apply(tx, change)
    await tx.query('COMMIT')
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // Closing the connection rolls back a failed transaction.
    tx.release(failure)
  }
}

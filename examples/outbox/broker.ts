/** The publisher's connection to NATS JetStream. */
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, errors, nanos } from '@nats-io/transport-node'
import { type ChangeMessage, subjectOf } from './message.js'

/** Milliseconds to wait for an acknowledgement. */
const timeout = 5_000
/** Milliseconds during which the broker drops a message whose id it has already stored. */
const duplicateWindow = 2 * 60_000
/** JetStream's error code for a message that exceeds the maximum message size of the stream. */
const messageTooLarge = 10054
const streamNotFound = 10059

export interface Broker {
  /** Aborted when the connection is lost. */
  readonly lost: AbortSignal
  /**
   * Resolves to `undefined` when the broker has stored the message. Resolves to the reason if the
   * broker or its client refuses this particular message, for example because it is too large.
   * Rejects if the outcome is unknown, or if the broker accepts no messages at the moment.
   */
  publish(message: ChangeMessage): Promise<string | undefined>
  close(): Promise<void>
}

export interface BrokerOptions {
  readonly servers: string
  readonly stream: string
  /** The prefix of subjects. */
  readonly subject: string
}

/**
 * Connects, and creates the stream if it does not exist. The client does not reconnect. A client
 * that reconnects would buffer messages until the next connection, and could then send them after
 * newer messages of another publisher.
 */
export async function openBroker({ servers, stream, subject }: BrokerOptions): Promise<Broker> {
  const nats = await connect({ servers, reconnect: false, timeout, name: 'outbox publisher' })
  const lost = new AbortController()
  nats.closed().then((error) => lost.abort(error ?? new Error('The broker closed the connection.')))
  try {
    const manager = await jetstreamManager(nats, { timeout })
    await manager.streams.info(stream).catch((error) => {
      if (!(error instanceof JetStreamApiError) || error.code !== streamNotFound) throw error
      return manager.streams.add({ name: stream, subjects: [`${subject}.>`], duplicate_window: nanos(duplicateWindow) })
    })
  } catch (error) {
    await nats.close()
    throw error
  }
  const client = jetstream(nats, { timeout })
  return {
    lost: lost.signal,
    async publish(message) {
      try {
        await client.publish(subjectOf(subject, message), JSON.stringify(message), {
          msgID: message.id,
          timeout,
          expect: { streamName: stream },
        })
        return undefined
      } catch (error) {
        const refused =
          error instanceof errors.InvalidArgumentError ||
          (error instanceof JetStreamApiError && error.code === messageTooLarge)
        if (!refused) throw error
        return error.message
      }
    },
    close: () => nats.close(),
  }
}

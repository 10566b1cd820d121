/**
 * Publishes the rows of the table `changes` to the broker: each change at least once, and the
 * changes of each record in order.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Broker, openBroker } from './broker.js'
import { openDatabaseSession, type Refusal } from './database-session.js'
import type { ChangeMessage } from './message.js'

export interface PublisherOptions {
  readonly databaseUrl: string
  /** The URL of the broker. */
  readonly natsUrl: string
  /**
   * The name of the stream for the messages. The stream is created if it does not exist. Default
   * `CHANGES`.
   */
  readonly stream?: string
  /** The prefix of subjects. Default `changes`. */
  readonly subject?: string
  /**
   * The maximum number of changes that are read at a time, which limits the use of memory. Default
   * 100.
   */
  readonly batch?: number
  /**
   * The pause in milliseconds after a poll that found fewer than `batch` changes. Attempts to
   * become the publisher have the same pause between them. Default 250.
   */
  readonly interval?: number
  /** The number of days for which published changes are kept. Default: forever. */
  readonly keepDays?: number
  /** Called with messages for operators. */
  readonly report?: (message: string) => void
}

/** Milliseconds between two attempts to connect. */
const pause = 1_000
/** Milliseconds between two deletions of old published changes. */
const sweepInterval = 60_000

/**
 * Publishes until `signal` is aborted. Then waits for the acknowledgements of messages that were
 * already sent, and resolves. Any number of processes can run this function. One of them holds a
 * lock and publishes. The others wait for the lock. If the database or the broker does not respond,
 * this function tries again every second.
 */
export async function publishChanges(options: PublisherOptions, signal: AbortSignal): Promise<void> {
  const report = options.report ?? (() => {})
  while (!signal.aborted) {
    try {
      await session(options, report, signal)
    } catch (error) {
      report(`Trying again: ${error instanceof Error ? error.message : String(error)}`)
    }
    await rest(pause, signal)
  }
}

/**
 * Publishes with one connection to the database and one to the broker. If one of them fails, both
 * are closed, so that a process that has lost the lock sends nothing.
 */
async function session(
  options: PublisherOptions,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { stream = 'CHANGES', subject = 'changes', batch = 100, interval = 250, keepDays } = options
  const broker = await openBroker({ servers: options.natsUrl, stream, subject })
  try {
    const database = await openDatabaseSession(options.databaseUrl)
    try {
      const ended = AbortSignal.any([signal, broker.lost, database.lost])
      while (!ended.aborted && !(await database.lock())) await rest(interval, ended)
      if (!ended.aborted) report('Publishing.')
      let sweepAt = 0
      while (!ended.aborted) {
        const changes = await database.unpublished(batch)
        const { published, refusals, failure } = await publishInOrder(
          changes,
          broker,
          () => !ended.aborted && database.holds(),
        )
        await database.mark(published)
        await database.postpone(refusals)
        for (const { position, reason } of refusals)
          report(`The broker refuses the change at position ${position}: ${reason}`)
        if (failure !== undefined) throw failure
        if (keepDays !== undefined && Date.now() >= sweepAt) {
          await database.sweep(keepDays)
          sweepAt = Date.now() + sweepInterval
        }
        if (changes.length < batch) await rest(interval, ended)
      }
      if (!signal.aborted) throw ended.reason
    } finally {
      await database.close()
    }
  } finally {
    await broker.close()
  }
}

interface Outcome {
  readonly published: number[]
  readonly refusals: Refusal[]
  readonly failure: unknown
}

/**
 * Publishes the changes of different records at the same time, and the changes of each record one
 * after another. A message is sent only after the broker has stored the previous message about the
 * same record.
 */
async function publishInOrder(
  changes: readonly ChangeMessage[],
  broker: Broker,
  mayPublish: () => boolean,
): Promise<Outcome> {
  const published: number[] = []
  const refusals: Refusal[] = []
  let failure: unknown
  const publishAll = async (ofKey: readonly ChangeMessage[]): Promise<void> => {
    for (const change of ofKey) {
      if (failure !== undefined || !mayPublish()) return
      try {
        const reason = await broker.publish(change)
        if (reason !== undefined) {
          refusals.push({ position: change.position, reason })
          return // later changes of this record wait until this change is accepted
        }
        published.push(change.position)
      } catch (error) {
        failure ??= error
      }
    }
  }
  await Promise.all(byKey(changes).map(publishAll))
  return { published, refusals, failure }
}

function byKey(changes: readonly ChangeMessage[]): ChangeMessage[][] {
  const groups = new Map<string, ChangeMessage[]>()
  for (const change of changes) {
    const name = JSON.stringify([change.collection, change.key])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [change])
    else group.push(change)
  }
  return [...groups.values()]
}

/** Waits for a number of milliseconds, or until `signal` is aborted. */
async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {})
}

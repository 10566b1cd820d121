import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { jetstream } from '@nats-io/jetstream'
import express from 'express'
import { expect, it, vi } from 'vitest'
import { consumeChanges } from '../../../examples/outbox/consumer.js'
import type { ChangeMessage } from '../../../examples/outbox/message.js'
import { orders, ordersAdapter } from '../../../examples/outbox/orders.js'
import { api, mount, problems } from '../../../src/index.js'
import { natsUrl } from '../../servers/nats-streams.js'
import { startProxy } from '../../servers/proxy.js'
import { type Outbox, openOutbox, type Publisher, startPublisher } from './running.js'

// Every fifth transaction commits late. About one transaction in ten fails at its COMMIT, after its
// change was recorded.
const unsettling = `
CREATE FUNCTION commit_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.position % 5 = 0 THEN PERFORM pg_sleep(random() * 0.1); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER commit_late AFTER INSERT ON changes FOR EACH ROW EXECUTE FUNCTION commit_late();
CREATE FUNCTION refuse_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.quantity % 10 = 9 THEN RAISE EXCEPTION 'refused at the commit'; END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refuse_late AFTER INSERT OR UPDATE ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_late();
CREATE TABLE mirror (id int PRIMARY KEY, customer text NOT NULL, quantity int NOT NULL);
`

/**
 * Runs concurrent clients that create orders and change 30 shared orders, until `succeed` writes
 * have succeeded. Returns the counts of succeeded and refused writes.
 */
async function writes(base: string, succeed: number, clients: number): Promise<{ succeeded: number; refused: number }> {
  let succeeded = 0
  let refused = 0
  const client = async (): Promise<void> => {
    while (succeeded < succeed) {
      const id = randomInt(1, 31)
      const body = { customer: `c${randomInt(1e6)}`, quantity: randomInt(1e6), paymentToken: 'not for others' }
      const [method, path, content] = (
        [
          ['POST', '/v1/orders', body],
          ['PUT', `/v1/orders/${id}`, { id, ...body }],
          ['PATCH', `/v1/orders/${id}`, { quantity: body.quantity }],
          ['PATCH', `/v1/orders/${id}`, { quantity: body.quantity }],
          ['DELETE', `/v1/orders/${id}`, undefined],
        ] as const
      )[randomInt(5)] as readonly [string, string, unknown]
      const response = await fetch(base + path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        ...(content === undefined ? {} : { body: JSON.stringify(content) }),
      })
      await response.text()
      if (response.ok) succeeded++
      else refused++
      expect([200, 201, 204, 404, 422]).toContain(response.status)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { succeeded, refused }
}

/** Collects the messages of the stream as they arrive. */
async function observe({ nats, stream }: Outbox): Promise<{ received: ChangeMessage[]; stop(): void }> {
  const received: ChangeMessage[] = []
  const consumer = await jetstream(nats).consumers.get(stream)
  const messages = await consumer.consume()
  void (async () => {
    for await (const message of messages) received.push(message.json())
  })()
  return { received, stop: () => messages.stop() }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

it('each of 1,000 changes is published at least once, in order per key, while publishers are killed', async () => {
  await using outbox = await openOutbox(natsUrl())
  const { pool, place } = outbox
  await place.sql(unsettling)
  await pool.query(`INSERT INTO orders (id, customer, quantity) SELECT n, 'seed', 0 FROM generate_series(1, 30) n`)
  await pool.query(`INSERT INTO mirror SELECT id, customer, quantity FROM orders`)
  await pool.query('ALTER TABLE orders ALTER COLUMN id RESTART WITH 31')
  const service = api({ versions: { v1: [mount(orders, ordersAdapter(pool))] } })
  await service.ready()
  const server = express().use(service, problems()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  // The connection to the broker has latency, so that a killed publisher has messages in transit.
  const { hostname, port } = new URL(natsUrl())
  await using proxy = await startProxy({ host: hostname, port: Number(port) })
  proxy.delay(10)
  const far = { ...outbox.options, natsUrl: `nats://127.0.0.1:${proxy.port}` }
  const publishers: Publisher[] = [startPublisher(far), startPublisher(far)]
  const stop = new AbortController()
  try {
    /** The index of the active publisher. Waits until there is one. */
    const leader = async (): Promise<number> => {
      await Promise.any(publishers.map(({ publishing }) => publishing))
      return publishers.findIndex(({ isPublishing }) => isPublishing)
    }
    await leader()
    const { received, stop: stopObserving } = await observe(outbox)
    const consuming = consumeChanges(
      {
        natsUrl: natsUrl(),
        pool,
        name: 'mirror',
        stream: outbox.stream,
        async apply(tx, { key, action, after }) {
          if (action === 'remove') await tx.query('DELETE FROM mirror WHERE id = $1', [key])
          else {
            await tx.query(
              `INSERT INTO mirror SELECT * FROM jsonb_to_record($1) AS r(id int, customer text, quantity int)
               ON CONFLICT (id) DO UPDATE SET customer = excluded.customer, quantity = excluded.quantity`,
              [JSON.stringify(after)],
            )
          }
        },
      },
      stop.signal,
    )

    let succeeded = 0
    let refused = 0
    for (let round = 0; round < 11; round++) {
      const before = received.length
      const at = randomInt(1, 80)
      const writing = writes(base, 91, 12).then((counts) => {
        succeeded += counts.succeeded
        refused += counts.refused
      })
      await vi.waitFor(() => expect(received.length - before).toBeGreaterThanOrEqual(at), {
        timeout: 10_000,
        interval: 1,
      })
      const i = await leader()
      const killed = publishers[i] as Publisher
      if (round < 10) {
        await end(killed.child, 'SIGKILL')
        publishers[i] = startPublisher(far)
      } else {
        // The publisher is paused until its database session has been ended and another publisher
        // is active. When it continues, it runs as if it still were the active publisher.
        killed.child.kill('SIGSTOP')
        await outbox.endSession()
        await (publishers[1 - i] as Publisher).publishing
        await writing
        killed.child.kill('SIGCONT')
      }
      await writing
    }
    await vi.waitFor(async () => expect(await outbox.waiting()).toBe(0), { timeout: 15_000, interval: 50 })
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM changes ORDER BY position')
    const recorded = rows.map(({ id }) => id)
    const { state } = await outbox.manager.streams.info(outbox.stream)
    await vi.waitFor(() => expect(received).toHaveLength(state.messages), { timeout: 5_000 })
    stopObserving()

    expect(succeeded).toBeGreaterThanOrEqual(1000)
    expect(refused).toBeGreaterThan(0)
    expect(recorded).toHaveLength(succeeded)
    // No change is lost, and no rolled-back change is published.
    expect(new Set(received.map(({ id }) => id))).toEqual(new Set(recorded))
    // Some changes were published after changes with a later position, because their transactions
    // committed later.
    expect(received.some(({ position }, i) => i > 0 && position < (received[i - 1] as ChangeMessage).position)).toBe(
      true,
    )
    const last = new Map<unknown, number>()
    const seen = new Set<string>()
    for (const { id, key, position } of received) {
      if (seen.has(id)) continue
      seen.add(id)
      expect(position, `key ${key}`).toBeGreaterThan(last.get(key) ?? 0)
      last.set(key, position)
    }
    expect(JSON.stringify(received)).not.toContain('not for others')
    await vi.waitFor(
      async () => {
        const mirrored = await pool.query('SELECT id, customer, quantity FROM mirror ORDER BY id')
        const stored = await pool.query('SELECT id, customer, quantity FROM orders ORDER BY id')
        expect(mirrored.rows).toEqual(stored.rows)
      },
      { timeout: 15_000, interval: 100 },
    )
    stop.abort()
    await consuming
    for (const { child, ended } of publishers) {
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
    }
  } finally {
    stop.abort()
    await Promise.all(publishers.map(({ child }) => end(child, 'SIGKILL')))
    server.close()
    server.closeAllConnections()
  }
}, 60_000)

import { createServer } from 'node:http'
import express from 'express'
import type pg from 'pg'
import { afterEach, expect, it, vi } from 'vitest'
import { openBroker } from '../../../examples/outbox/broker.js'
import { consumeChanges } from '../../../examples/outbox/consumer.js'
import { openDatabaseSession } from '../../../examples/outbox/database-session.js'
import { subjectOf } from '../../../examples/outbox/message.js'
import { orders, ordersAdapter } from '../../../examples/outbox/orders.js'
import { publishChanges } from '../../../examples/outbox/publisher.js'
import { api, mount, problems } from '../../../src/index.js'
import { natsUrl } from '../../servers/nats-streams.js'
import { ownNats } from '../../servers/own-nats.js'
import { startProxy } from '../../servers/proxy.js'
import { type Outbox, openOutbox } from './running.js'

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop()
})

/** Runs a publisher until the test ends, and collects its reports. */
function publish(
  outbox: Outbox,
  options: Partial<Parameters<typeof publishChanges>[0]> = {},
): { reports: string[]; stop(): Promise<void> } {
  const reports: string[] = []
  const end = new AbortController()
  const publishing = publishChanges(
    { ...outbox.options, report: (message) => reports.push(message), ...options },
    end.signal,
  )
  const stop = async (): Promise<void> => {
    end.abort()
    await publishing
  }
  running.push(stop)
  return { reports, stop }
}

const published = (outbox: Outbox) =>
  vi.waitFor(async () => expect(await outbox.waiting()).toBe(0), { timeout: 15_000, interval: 20 })

/**
 * Consumes all messages of the stream. Returns the positions of the changes that the consumer
 * applied.
 */
async function consumed(outbox: Outbox): Promise<number[]> {
  const applied: number[] = []
  const stop = new AbortController()
  const { last_seq } = (await outbox.manager.streams.info(outbox.stream)).state
  const apply = async (_tx: pg.PoolClient, { position }: { position: number }): Promise<void> => {
    applied.push(position)
  }
  const consuming = consumeChanges(
    { natsUrl: outbox.options.natsUrl, pool: outbox.pool, name: 'test', stream: outbox.stream, apply },
    stop.signal,
  )
  await vi.waitFor(
    async () =>
      expect((await outbox.manager.consumers.info(outbox.stream, 'test')).ack_floor.stream_seq).toBe(last_seq),
    {
      timeout: 10_000,
      interval: 20,
    },
  )
  stop.abort()
  await consuming
  return applied
}

it('the publisher publishes a change even if its transaction commits after later changes were published', async () => {
  await using outbox = await openOutbox(natsUrl())
  const late = await outbox.pool.connect()
  await late.query('BEGIN')
  const first = await outbox.insert(1, {}, late)
  const second = await outbox.insert(2)
  publish(outbox)
  await published(outbox)
  expect((await outbox.messages()).map(({ position }) => position)).toEqual([second])
  await late.query('COMMIT')
  late.release()
  await published(outbox)
  expect((await outbox.messages()).map(({ position }) => position)).toEqual([second, first])
})

it('a change that is published several times has the same id each time, and the consumer applies it once', async () => {
  await using outbox = await openOutbox(natsUrl(), 100)
  // Simulates a publisher that dies after it has published a change and before it has marked the
  // change as published. The first three attempts to mark a change end the database session.
  await outbox.place.sql(`
    CREATE SEQUENCE marks;
    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('marks') <= 3 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER lose BEFORE UPDATE ON changes FOR EACH ROW WHEN (NEW.published_at IS NOT NULL) EXECUTE FUNCTION lose()`)
  const position = await outbox.insert(1)
  publish(outbox)
  await published(outbox)
  const messages = await outbox.messages()
  expect(messages.map(({ position }) => position)).toEqual([position, position, position, position])
  expect(new Set(messages.map(({ id }) => id)).size).toBe(1)
  expect(await consumed(outbox)).toEqual([position])
})

it('the consumer ignores old messages of a publisher that was paused and replaced', async () => {
  await using outbox = await openOutbox(natsUrl(), 100)
  const old = {
    database: await openDatabaseSession(outbox.place.url),
    broker: await openBroker({ ...outbox, servers: natsUrl() }),
  }
  const next = {
    database: await openDatabaseSession(outbox.place.url),
    broker: await openBroker({ ...outbox, servers: natsUrl() }),
  }
  try {
    expect(await old.database.lock()).toBe(true)
    expect(await next.database.lock()).toBe(false)
    const first = await outbox.insert(1)
    const [stale] = await old.database.unpublished(10)
    expect(old.database.holds()).toBe(true)
    await outbox.endSession()
    await vi.waitFor(async () => expect(await next.database.lock()).toBe(true))
    const second = await outbox.insert(1)
    for (const change of await next.database.unpublished(10)) await next.broker.publish(change)
    await vi.waitFor(() => expect(old.database.holds()).toBe(false))
    // Publishes the message again until the duplicate window of the stream has ended, and the
    // broker stores the message a second time.
    await vi.waitFor(
      async () => {
        await old.broker.publish(stale as NonNullable<typeof stale>)
        expect((await outbox.messages()).map(({ position }) => position)).toEqual([first, second, first])
      },
      { timeout: 5_000, interval: 50 },
    )
    await expect(old.database.mark([first])).rejects.toThrow()
    expect(await consumed(outbox)).toEqual([first, second])
  } finally {
    for (const { database, broker } of [old, next]) {
      await database.close()
      await broker.close()
    }
  }
})

it('a publisher that is paused for longer than its lease loses its lock to another publisher', async () => {
  await using outbox = await openOutbox(natsUrl())
  const paused = await openDatabaseSession(outbox.place.url, 2_000)
  const next = await openDatabaseSession(outbox.place.url)
  try {
    expect(await paused.lock()).toBe(true)
    // Heartbeats keep the session alive for longer than the lease, even if there is nothing to
    // publish.
    const until = performance.now() + 2_500
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(until), { timeout: 5_000 })
    await vi.waitFor(() => expect(paused.holds()).toBe(true))
    // Blocks the thread. This stops every timer and every read, as SIGSTOP does.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000)
    expect(paused.holds()).toBe(false)
    await vi.waitFor(async () => expect(await next.lock()).toBe(true), { timeout: 5_000 })
    expect(paused.lost.aborted).toBe(true)
  } finally {
    await paused.close()
    await next.close()
  }
})

it('the publisher waits for an unreachable broker, and then publishes the changes of a key in order', async () => {
  const server = await ownNats()
  running.push(() => server.remove())
  const outbox = await openOutbox(server.url, 100)
  running.push(async () => outbox[Symbol.asyncDispose]())
  const { reports } = publish(outbox)
  const expected: number[] = []
  expected.push(await outbox.insert(1))
  await published(outbox)
  await server.kill()
  for (let i = 0; i < 300; i++) expected.push(await outbox.insert(1))
  await vi.waitFor(() => expect(reports.some((report) => report.startsWith('Trying again: '))).toBe(true), {
    timeout: 10_000,
  })
  await server.start()
  await published(outbox)
  const firsts = [...new Set((await outbox.messages()).map(({ position }) => position))]
  expect(firsts).toEqual(expected)
})

it('the publisher waits for an unreachable database, and continues when it is back', async () => {
  await using outbox = await openOutbox(natsUrl())
  const { hostname, port } = new URL(outbox.place.url)
  await using proxy = await startProxy({ host: hostname, port: Number(port || 5432) })
  const { reports } = publish(outbox, { databaseUrl: proxy.through(outbox.place.url) })
  await outbox.insert(1)
  await published(outbox)
  proxy.refuse()
  proxy.cut('reset')
  const position = await outbox.insert(1)
  await vi.waitFor(() => expect(reports.join('\n')).toMatch(/Trying again: .*ECONNREFUSED/), { timeout: 10_000 })
  await proxy.accept()
  await published(outbox)
  expect((await outbox.messages()).at(-1)?.position).toBe(position)
})

it('a message that the broker refuses blocks only later messages of its key, and the reason is reported', async () => {
  await using outbox = await openOutbox(natsUrl())
  const poison = await outbox.insert(1, { text: 'x'.repeat(2_000_000) })
  const behind = await outbox.insert(1)
  const others: number[] = []
  for (let i = 0; i < 150; i++) others.push(await outbox.insert(2))
  const { reports } = publish(outbox)
  await vi.waitFor(async () => expect(await outbox.waiting()).toBe(2), { timeout: 10_000 })
  expect((await outbox.messages()).map(({ position }) => position)).toEqual(others)
  expect(reports.join('\n')).toMatch(`The broker refuses the change at position ${poison}: `)
  const { rows } = await outbox.pool.query('SELECT position::int, error FROM changes WHERE error IS NOT NULL')
  expect(rows).toEqual([{ position: poison, error: expect.stringContaining('max_payload') }])
  // Repairs the change and clears its retry time, as an operator does.
  await outbox.pool.query(`UPDATE changes SET after = '{}', retry_at = NULL WHERE position = $1`, [poison])
  await published(outbox)
  expect((await outbox.messages()).slice(-2).map(({ position }) => position)).toEqual([poison, behind])
})

it('sweep() deletes only published changes whose retention time is over', async () => {
  await using outbox = await openOutbox(natsUrl())
  const [old, recent] = [await outbox.insert(1), await outbox.insert(2)]
  publish(outbox)
  await published(outbox)
  await outbox.pool.query(`UPDATE changes SET published_at = now() - interval '40 days' WHERE position = $1`, [old])
  const session = await openDatabaseSession(outbox.place.url)
  await session.sweep(30)
  await session.close()
  const { rows } = await outbox.pool.query('SELECT position::int FROM changes')
  expect(rows).toEqual([{ position: recent }])
})

it('the publisher completes and marks the current batch before it stops', async () => {
  await using outbox = await openOutbox(natsUrl(), 100)
  for (let i = 0; i < 500; i++) await outbox.insert(i % 7)
  const { stop } = publish(outbox, { batch: 10 })
  await vi.waitFor(async () => expect(await outbox.waiting()).toBeLessThan(500), { timeout: 10_000, interval: 1 })
  await stop()
  expect(await outbox.messages()).toHaveLength(500 - (await outbox.waiting()))
})

it('every key has a valid NATS subject, and different keys have different subjects', () => {
  const keys = [
    1,
    '1.2',
    'a b',
    '*',
    '>',
    'ñ',
    '',
    '='.repeat(10),
    'x'.repeat(5000),
    { a: 1, b: 'x' },
    '{"a":1,"b":"x"} ',
    '\u{1F600}',
  ]
  const subjects = keys.map((key) => subjectOf('changes', { collection: 'orders', key }))
  expect(new Set(subjects).size).toBe(keys.length)
  for (const subject of subjects) expect(subject).toMatch(/^changes\.orders\.[\w=-]{1,64}$/)
})

it('changes are recorded with the actor and the states before and after, without excluded members', async () => {
  await using outbox = await openOutbox(natsUrl())
  const app = express().use(
    api({ principal: () => ({ sub: 'ana' }), versions: { v1: [mount(orders, ordersAdapter(outbox.pool))] } }),
    problems(),
  )
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.push(async () => void server.close().closeAllConnections())
  const { port } = server.address() as { port: number }
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  expect((await send('POST', '/orders', { customer: 'a', quantity: 1, paymentToken: 'secret' })).status).toBe(201)
  expect((await send('PATCH', '/orders/1', { quantity: 2 })).status).toBe(200)
  expect((await send('PATCH', '/orders/1', { quantity: 'x' })).status).toBe(422)
  expect((await send('PUT', '/orders/1', { id: 1, customer: 'b', quantity: 3 })).status).toBe(200)
  expect((await send('DELETE', '/orders/1')).status).toBe(204)
  expect((await send('DELETE', '/orders/1')).status).toBe(404)
  const { rows } = await outbox.pool.query(
    'SELECT collection, key, action, before, after, actor FROM changes ORDER BY position',
  )
  const of = { collection: 'orders', key: 1, actor: 'ana' }
  const [a, b, c] = [
    { id: 1, customer: 'a', quantity: 1 },
    { id: 1, customer: 'a', quantity: 2 },
    { id: 1, customer: 'b', quantity: 3 },
  ]
  expect(rows).toEqual([
    { ...of, action: 'create', before: null, after: a },
    { ...of, action: 'patch', before: a, after: b },
    { ...of, action: 'replace', before: b, after: c },
    { ...of, action: 'remove', before: c, after: null },
  ])
})

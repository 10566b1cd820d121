/** Tests of the example in docs/records.md, exactly as the page shows it. */
import { readFileSync } from 'node:fs'
import express from 'express'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expireOrders, makeService } from '../../../examples/cancellations/service.js'
import { listen, type Served } from '../../clauses/fixture.js'
import { freshSchema, type Place } from '../../servers/databases.js'

describe('the example in docs/records.md', () => {
  let place: Place
  let pool: pg.Pool
  let served: Omit<Served, 'data'>
  let service: ReturnType<typeof makeService>
  beforeAll(async () => {
    place = await freshSchema()
    await place.sql(`
      CREATE TABLE orders (id integer PRIMARY KEY, total double precision NOT NULL, state text NOT NULL);
      CREATE TABLE refunds (id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY, amount double precision NOT NULL,
        reason text NOT NULL, order_id integer NOT NULL REFERENCES orders)`)
    // The pool has only one connection, so a read outside the transaction would wait forever. The
    // tests pass only if all reads use the transaction.
    pool = new pg.Pool({ connectionString: place.url, max: 1 })
    service = makeService(pool)
    await service.ready()
    served = await listen(express().use(service))
  })
  beforeEach(() =>
    place.sql(`
      DROP TRIGGER IF EXISTS refuse ON refunds;
      TRUNCATE refunds, orders RESTART IDENTITY; INSERT INTO orders VALUES (1, 50, 'open'), (2, 0, 'open'), (3, 5, 'expired')`),
  )
  afterAll(async () => {
    await served.close()
    await pool.end()
    await place.drop()
  })
  const stored = () =>
    place.sql(
      'SELECT id, state, (SELECT count(*)::int FROM refunds WHERE order_id = o.id) AS refunds FROM orders ' +
        'o ORDER BY id',
    )
  const untouched = [
    { id: 1, state: 'open', refunds: 0 },
    { id: 2, state: 'open', refunds: 0 },
    { id: 3, state: 'expired', refunds: 0 },
  ]
  const cancel = (order: unknown, reason = 'Broken') => served.send('POST', '/v1/cancellations', {}, { order, reason })

  it('is the code that these tests run', () => {
    const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
    expect(read('docs/records.md')).toContain(`\`\`\`ts\n${read('examples/cancellations/service.ts')}\`\`\``)
  })

  it('cancels an order and writes a refund in one transaction', async () => {
    expect(await cancel(1)).toMatchObject({
      status: 200,
      json: { order: 'https://shop.example.com/v1/orders/1', refund: 'https://shop.example.com/v1/refunds/1' },
    })
    expect(await stored()).toEqual([{ id: 1, state: 'cancelled', refunds: 1 }, ...untouched.slice(1)])
  })

  it('ERR-2: a violation in the second record rolls back the first record', async () => {
    const { status, json } = await cancel(2)
    expect(status).toBe(422)
    expect(json).toMatchObject({
      code: 'invalid-body',
      errors: [{ pointer: '/amount', code: 'exclusiveMinimum', params: { limit: 0 } }],
    })
    expect(await stored()).toEqual(untouched)
  })

  it('ERR-2: a rule of the service is reported with its own code and params', async () => {
    expect(await cancel(3)).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: '/state', code: 'closed', params: { state: 'expired' } }] },
    })
    expect(await cancel(9)).toMatchObject({ status: 404, json: { code: 'absent' } })
    expect(await stored()).toEqual(untouched)
  })

  it('an order is refunded only once: later and concurrent cancellations are refused', async () => {
    const wide = new pg.Pool({ connectionString: place.url, max: 5 })
    const many = await listen(express().use(makeService(wide)))
    const send = () => many.send('POST', '/v1/cancellations', {}, { order: 1, reason: 'Broken' })
    const answers = await Promise.all([send(), send(), send(), send(), send()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422])
    expect((await send()).json).toMatchObject({
      errors: [{ pointer: '/state', code: 'closed', params: { state: 'cancelled' } }],
    })
    expect(await stored()).toEqual([{ id: 1, state: 'cancelled', refunds: 1 }, ...untouched.slice(1)])
    await many.close()
    await wide.end()
  })

  it('VERB-13: if COMMIT fails, the response is 500, and says that the outcome is unknown', async () => {
    await place.sql(`
      CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'late'; END $$;
      CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON refunds DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
    const { status, json } = await cancel(1)
    expect(status).toBe(500)
    expect(json).toMatchObject({ code: 'internal', detail: expect.stringContaining('unknown') })
    expect(await stored()).toEqual(untouched)
  })

  it('the nightly job expires all orders except those that the store refuses, and returns their problems', async () => {
    expect(await expireOrders(service, pool)).toEqual(new Map())
    expect((await stored()).map(({ state }) => state)).toEqual(['expired', 'expired', 'expired'])
    await place.sql(`UPDATE orders SET state = 'open' WHERE id = 1; UPDATE orders SET state = 'open' WHERE id = 2;
      ALTER TABLE orders ADD CHECK (id <> 2 OR state <> 'expired') NOT VALID`)
    const refused = await expireOrders(service, pool)
    expect([...refused]).toEqual([[2, expect.objectContaining({ code: 'rule' })]])
    expect(await place.sql('SELECT state FROM orders ORDER BY id')).toEqual([
      { state: 'expired' },
      { state: 'open' },
      { state: 'expired' },
    ])
    await expect(expireOrders(service, pool, AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended')
  })
})

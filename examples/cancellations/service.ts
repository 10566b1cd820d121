import { type Api, api, defineResource, endpoint, type HttpProblem, mount } from 'express-rest-conventions'
import { postgresAdapter } from 'express-rest-conventions/postgres'
import type pg from 'pg'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'total'],
    properties: {
      id: { type: 'integer' },
      total: { type: 'number', minimum: 0 },
      state: { type: 'string', enum: ['open', 'cancelled', 'expired'], default: 'open' },
    },
  },
  // Refuses changes of an order that is not open any more, so that it is not refunded twice.
  rules: (_next, { current }) =>
    current !== undefined && current.state !== 'open'
      ? [
          {
            member: 'state',
            detail: `The order is ${current.state} already.`,
            code: 'closed',
            params: { state: current.state ?? null },
          },
        ]
      : [],
})

const refunds = defineResource({
  collection: 'refunds',
  key: 'id',
  assigned: true,
  schema: {
    type: 'object',
    required: ['id', 'amount', 'orderId'],
    properties: {
      id: { type: 'integer' },
      amount: { type: 'number', exclusiveMinimum: 0 },
      reason: { type: 'string', maxLength: 200, default: '' },
      orderId: { type: 'integer' },
    },
  },
  links: { order: { to: orders, by: 'orderId' } },
})

/** Runs work in one transaction. If the work throws, the transaction is rolled back. */
async function inTransaction<R>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<R>): Promise<R> {
  const tx = await pool.connect()
  let broken: Error | undefined
  try {
    await tx.query('BEGIN')
    const result = await work(tx)
    await tx.query('COMMIT')
    return result
  } catch (error) {
    await tx.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    tx.release(broken)
  }
}

export function makeService(pool: pg.Pool): Api {
  const cancellations = endpoint('cancellations', {
    description: 'Cancels an order and refunds its total.',
    methods: {
      POST: {
        body: {
          type: 'object',
          required: ['order', 'reason'],
          properties: { order: { type: 'integer' }, reason: { type: 'string' } },
        },
        describe: { problems: ['absent'] },
        handle: ({ body, records }) => {
          const { order, reason } = body
          return inTransaction(pool, async (tx) => {
            const cancelled = await records(orders, { within: tx }).patch(order, { state: 'cancelled' })
            if ('problem' in cancelled) throw cancelled.problem
            const { total } = cancelled.record
            const refund = await records(refunds, { within: tx }).create({ amount: total, orderId: order, reason })
            if ('problem' in refund) throw refund.problem
            return { order: cancelled.href, refund: refund.href }
          })
        },
      },
    },
  })
  return api({
    baseUrl: 'https://shop.example.com',
    versions: {
      v1: [
        mount(orders, postgresAdapter(pool, { table: 'orders' })),
        mount(refunds, postgresAdapter(pool, { table: 'refunds', columns: { orderId: 'order_id' } })),
        cancellations,
      ],
    },
  })
}

/**
 * The nightly job: expires all open orders. Returns the ids of the orders that could not be
 * expired, each with the problem that prevented it.
 */
export async function expireOrders(
  service: Api,
  pool: pg.Pool,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, HttpProblem>> {
  const records = service.records(orders, { principal: 'nightly', signal })
  const { rows } = await pool.query<{ id: number }>("SELECT id FROM orders WHERE state = 'open' ORDER BY id")
  const refused = new Map<number, HttpProblem>()
  for (const { id } of rows) {
    const result = await records.patch(id, { state: 'expired' })
    if ('problem' in result) refused.set(id, result.problem)
  }
  return refused
}

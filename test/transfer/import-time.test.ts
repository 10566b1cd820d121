/** Imports that exceed their time limit. */
import { expect, it } from 'vitest'
import { type Adapter, api, mount } from '../../src/index.js'
import { csv, imports, type Transaction } from '../../src/transfer/index.js'
import { frameworks, listen } from '../clauses/fixture.js'
import { clientes, clientesOf, type Pedido, pedidos, pedidosOf } from './fixture.js'

/** Blocks the process until `moment`, as the work on a large file would. */
function busyUntil(moment: number): void {
  while (performance.now() < moment);
}

it.each([
  ['its rows are written', 'create'],
  ['its rows are checked', 'none'],
] as const)('VERB-13: an import changes nothing if it exceeds its time limit while %s', async (_, kind) => {
  const store = pedidosOf(0)
  const ends: string[] = []
  const transaction: Transaction = async (run) => {
    try {
      const result = await run('tx')
      ends.push('committed')
      return result
    } catch (error) {
      ends.push('rolled back')
      throw error
    }
  }
  const slow: Adapter<Pedido, number> = {
    ...store,
    read: (keys, call) => {
      if (kind === 'none') busyUntil(performance.now() + 1_100)
      return store.read(keys, call)
    },
    create: (value, call) => {
      ends.push('created')
      busyUntil(performance.now() + 1_100)
      return store.create(value, call)
    },
    within: () => slow,
  }
  const [[, express]] = frameworks as unknown as [[string, () => import('express').Express]]
  const served = await listen(
    express().use(
      api({
        onError: () => {},
        versions: {
          v1: [
            mount(pedidos, slow),
            mount(clientes, clientesOf()),
            imports('cargas', pedidos, {
              description: 'Takes orders from a file.',
              formats: [csv()],
              transaction: kind === 'none' ? 'none' : transaction,
              timeout: 1_000,
            }),
          ],
        },
      }),
    ),
  )
  try {
    const answer = await served.send('POST', '/v1/cargas', { 'content-type': 'text/csv' }, 'id,nota\n1,x\n')
    expect([answer.status, answer.json.code]).toEqual([503, 'unavailable'])
    expect(ends).toEqual(kind === 'none' ? [] : ['created', 'rolled back'])
  } finally {
    await served.close()
  }
})

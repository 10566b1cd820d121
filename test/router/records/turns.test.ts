/** Other requests are served while many records are checked and created. */
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../../src/index.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  rules: () => {
    // The check of each record takes 5 ms on any machine.
    const end = performance.now() + 5
    while (performance.now() < end);
    return []
  },
})

it.each(['checkAll', 'createAll'] as const)(
  'ERR-1: other requests can run during %s, even if the rules of the records are slow',
  async (method) => {
    const service = api({ versions: { v1: [mount(notas, memoryAdapter(notas))] } })
    const values = Array.from({ length: 40 }, (_, id) => ({ id }))
    let turns = 0
    let over = false
    const count = (): void => {
      turns += 1
      if (!over) setImmediate(count)
    }
    setImmediate(count)
    const done = await service.records(notas, { principal: 1 })[method](values)
    over = true
    expect(done).not.toHaveProperty('problem')
    // The work takes 200 ms, and runs in slices of little more than 20 ms.
    expect(turns).toBeGreaterThanOrEqual(5)
  },
)

/**
 * Tests of the abort signal that a job passes to `records()`. When this signal aborts, the signals
 * that were passed to adapters abort too. After each method, no listener is left on the signal of
 * the job.
 */
import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../../src/index.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, texto: { type: 'string', default: '' } },
  },
})

/**
 * A service whose adapter reads the signal of every call, as adapters that can cancel their work
 * do. `seen` gets each signal.
 */
function watched(seen: (signal: AbortSignal) => void = () => {}) {
  const memory = memoryAdapter(notas)
  const methods = Object.entries(memory).map(([name, method]) => [
    name,
    typeof method !== 'function'
      ? method
      : (...given: unknown[]) => {
          const call = given.find((one) => typeof one === 'object' && one !== null && 'signal' in one)
          if (call !== undefined) seen((call as { signal: AbortSignal }).signal)
          return Reflect.apply(method, memory, given)
        },
  ])
  return api({ versions: { v1: [mount(notas, Object.fromEntries(methods) as typeof memory)] } })
}

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

it('records() removes its listener from the signal of a job after every method', async () => {
  const { signal } = new AbortController()
  let reads = 0
  let most = 0
  const service = watched(() => {
    reads += 1
    most = Math.max(most, listeners(signal))
  })
  const records = service.records(notas, { principal: 1, signal })
  const calls: Record<string, () => Promise<unknown>> = {
    create: () => records.create({ id: 1 }),
    'create, refused': () => records.create({ id: 1 }),
    patch: () => records.patch(1, { texto: 'a' }),
    'patch, stale': () => records.patch(1, { texto: 'b' }, { expected: '"old"' }),
    replace: () => records.replace(1, { id: 1 }),
    remove: () => records.remove(1),
    'remove, absent': () => records.remove(1),
    check: () => records.check({ id: 2 }),
    checkAll: () => records.checkAll([{ id: 2 }, { id: 3 }]),
    createAll: () => records.createAll([{ id: 2 }, { id: 3 }, { id: 4 }]),
    'createAll, refused': () => records.createAll([{ id: 2 }, { id: 3 }]),
  }
  for (const [name, call] of Object.entries(calls)) {
    await call()
    expect(listeners(signal), name).toBe(0)
  }
  expect(reads).toBeGreaterThan(10)
  expect(most).toBeLessThanOrEqual(1)
})

it('when the signal of the job aborts, the signal that was passed to the adapter aborts too', async () => {
  const job = new AbortController()
  const reason = new Error('The nightly job was stopped.')
  const aborted: unknown[] = []
  const service = watched((signal) => {
    signal.addEventListener('abort', () => aborted.push(signal.reason))
    job.abort(reason)
  })
  const records = service.records(notas, { principal: 1, signal: job.signal })
  await records.create({ id: 1 }).catch(() => {})
  expect(aborted).toContain(reason)
  expect(listeners(job.signal)).toBe(0)
  await expect(records.create({ id: 2 })).rejects.toBe(reason)
})

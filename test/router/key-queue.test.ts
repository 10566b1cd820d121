import { describe, expect, it } from 'vitest'
import { Unavailable } from '../../src/problem.js'
import { KeyQueue } from '../../src/router/key-queue.js'

/** A task that ends when the test calls `state.end`. */
function work<T>(value: T) {
  const state = { begun: false, end: (): void => {} }
  const ended = new Promise<void>((resolve) => {
    state.end = resolve
  })
  const run = async (): Promise<T> => {
    state.begun = true
    await ended
    return value
  }
  return { state, run }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('KeyQueue', () => {
  const owner = {}

  it('tasks with the same key run one at a time, in the order in which they were added', async () => {
    const queue = new KeyQueue()
    const all = [work('a'), work('b'), work('c')]
    const results = all.map(({ run }) => queue.run(owner, 'k', 1_000, run))
    await turn()
    expect(all.map(({ state }) => state.begun)).toEqual([true, false, false])
    all[0]?.state.end()
    await results[0]
    await turn()
    expect(all.map(({ state }) => state.begun)).toEqual([true, true, false])
    for (const { state } of all) state.end()
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c'])
  })

  it('a task does not wait for tasks with another key or another owner', async () => {
    const queue = new KeyQueue()
    const blocking = work('x')
    const blocked = queue.run(owner, 'k', 1_000, blocking.run)
    expect(await queue.run(owner, 'l', 1_000, async () => 1)).toBe(1)
    expect(await queue.run({}, 'k', 1_000, async () => 2)).toBe(2)
    blocking.state.end()
    expect(await blocked).toBe('x')
  })

  it('after a task has failed, the next task starts', async () => {
    const queue = new KeyQueue()
    const failed = queue.run(owner, 'k', 1_000, async () => Promise.reject(new Error('no')))
    const next = queue.run(owner, 'k', 1_000, async () => 'next')
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('next')
  })

  it('a task that times out in the queue rejects with Unavailable, and the tasks behind it keep waiting', async () => {
    const queue = new KeyQueue()
    const running = work('a')
    const first = queue.run(owner, 'k', 1_000, running.run)
    const impatient = queue.run(owner, 'k', 0, async () => 'never')
    const behind = work('c')
    const third = queue.run(owner, 'k', 1_000, behind.run)
    await expect(impatient).rejects.toBeInstanceOf(Unavailable)
    await turn()
    expect(behind.state.begun).toBe(false)
    running.state.end()
    behind.state.end()
    expect(await Promise.all([first, third])).toEqual(['a', 'c'])
  })

  it('a task that is added after another task timed out still waits for the running task', async () => {
    const queue = new KeyQueue()
    const [first, third] = [work('a'), work('c')]
    const running = queue.run(owner, 'k', 1_000, first.run)
    await expect(queue.run(owner, 'k', 0, async () => 'b')).rejects.toBeInstanceOf(Unavailable)
    const waiting = queue.run(owner, 'k', 1_000, third.run)
    await turn()
    expect([first.state.begun, third.state.begun]).toEqual([true, false])
    first.state.end()
    third.state.end()
    expect(await Promise.all([running, waiting])).toEqual(['a', 'c'])
  })

  it('a synchronous task runs synchronously if no other task has its key', () => {
    const queue = new KeyQueue()
    expect(queue.run(owner, 'k', 0, () => 'now')).toBe('now')
    expect(() =>
      queue.run(owner, 'k', 0, () => {
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(queue.run(owner, 'k', 0, () => 'then')).toBe('then')
  })

  it('a synchronous task waits for running and queued tasks', async () => {
    const queue = new KeyQueue()
    const first = work('a')
    const done: string[] = []
    const running = queue.run(owner, 'k', 1_000, async () => {
      done.push(await first.run())
    })
    const second = queue.run(owner, 'k', 1_000, () => done.push('b'))
    const third = queue.run(owner, 'k', 1_000, () => done.push('c'))
    await turn()
    expect(done).toEqual([])
    first.state.end()
    await Promise.all([running, second, third])
    expect(done).toEqual(['a', 'b', 'c'])
    await turn()
    expect(queue.run(owner, 'k', 0, () => 'free')).toBe('free')
  })

  it('if a running task adds another task with the same key, later tasks wait until both have ended', async () => {
    const queue = new KeyQueue()
    const [outer, inner] = [work('outer'), work('inner')]
    const ended: string[] = []
    const running = queue.run(owner, 'k', 1_000, () => {
      void Promise.resolve(queue.run(owner, 'k', 1_000, inner.run)).then((name) => ended.push(name))
      return outer.run()
    })
    const next = queue.run(owner, 'k', 1_000, () => ended.push('next'))
    outer.state.end()
    await running
    await turn()
    expect(ended).toEqual([])
    inner.state.end()
    await next
    expect(ended).toEqual(['inner', 'next'])
  })
})

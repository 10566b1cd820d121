import { describe, expect, it } from 'vitest'
import { SerialQueue } from '../src/serial-queue.js'

const patient = (before: Promise<unknown>) => before
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('SerialQueue', () => {
  it('runs tasks one at a time, in order', async () => {
    const queue = new SerialQueue<string>()
    const entered: string[] = []
    const enter = async (name: string) => {
      const leave = await queue.enter('k', patient)
      entered.push(name)
      return leave
    }
    const [first, second, third] = [enter('a'), enter('b'), enter('c')]
    await turn()
    expect(entered).toEqual(['a'])
    ;(await first)()
    await turn()
    expect(entered).toEqual(['a', 'b'])
    ;(await second)()
    ;(await third)()
    expect(entered).toEqual(['a', 'b', 'c'])
  })

  it('a task that stops waiting leaves the queue, and the next task still waits for the running task', async () => {
    const queue = new SerialQueue<string>()
    const leave = await queue.enter('k', patient)
    await expect(queue.enter('k', () => Promise.reject(new Error('impatient')))).rejects.toThrow('impatient')
    let entered = false
    const last = queue.enter('k', patient).then((end) => {
      entered = true
      return end
    })
    await turn()
    expect(entered).toBe(false)
    leave()
    ;(await last)()
    expect(entered).toBe(true)
  })

  it('keeps no entry for a key whose queue is empty', async () => {
    const tails = new Map<string, Promise<unknown>>()
    const queue = new SerialQueue(tails)
    const ran = queue.run('k', patient, async () => 'a')
    const behind = queue.run('k', patient, () => 'b')
    expect(queue.tail('k')).toBeInstanceOf(Promise)
    expect(await Promise.all([ran, behind])).toEqual(['a', 'b'])
    await turn()
    expect([...tails.keys()]).toEqual([])
    expect(queue.tail('k')).toBeUndefined()
  })

  it('two queues that were created with the same map act as one queue', async () => {
    const tails = new WeakMap<object, Promise<unknown>>()
    const key = {}
    const leave = await new SerialQueue(tails).enter(key, patient)
    let ran = false
    const other = new SerialQueue(tails).run(key, patient, () => {
      ran = true
    })
    await turn()
    expect(ran).toBe(false)
    leave()
    await other
    expect(ran).toBe(true)
  })
})

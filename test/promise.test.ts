import { describe, expect, it } from 'vitest'
import { together } from '../src/promise.js'

describe('together()', () => {
  it('returns synchronously if no value is a promise', () => {
    expect(together([1, 2, 3], (n) => n * 2)).toEqual([2, 4, 6])
  })

  it('waits for promises, and keeps the order of the values', async () => {
    const made = together([1, 2, 3], (n) => (n === 2 ? Promise.resolve(4) : n * 2))
    expect(made).toBeInstanceOf(Promise)
    expect(await made).toEqual([2, 4, 6])
  })

  it('if several items fail, rejects with the error of the first item, and handles all rejections', async () => {
    const unhandled: unknown[] = []
    const onRejection = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', onRejection)
    const made = together([1, 2, 3], (n) => {
      if (n === 2) throw new Error('at once')
      return Promise.reject(new Error(`later ${n}`))
    })
    await expect(made).rejects.toThrow('later 1')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', onRejection)
    expect(unhandled).toEqual([])
  })
})

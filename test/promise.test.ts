import { describe, expect, it } from 'vitest'
import { together } from '../src/promise.js'

describe('together', () => {
  it('gives what is there at once at once', () => {
    expect(together([1, 2, 3], (n) => n * 2)).toEqual([2, 4, 6])
  })

  it('waits where one waits, in the order given', async () => {
    const made = together([1, 2, 3], (n) => (n === 2 ? Promise.resolve(4) : n * 2))
    expect(made).toBeInstanceOf(Promise)
    expect(await made).toEqual([2, 4, 6])
  })

  it('rejects with what one throws, and leaves no rejection of another unheard', async () => {
    const unheard: unknown[] = []
    const hear = (reason: unknown): void => void unheard.push(reason)
    process.on('unhandledRejection', hear)
    const made = together([1, 2, 3], (n) => {
      if (n === 2) throw new Error('at once')
      return Promise.reject(new Error(`later ${n}`))
    })
    await expect(made).rejects.toThrow('later 1')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
  })
})

import { beforeEach, describe, expect, it, vi } from 'vitest'
import { EqualWork } from '../../../src/auth/login/equal-work.js'
import { type Cost, parsePasswordHash } from '../../../src/auth/login/password-hash.js'
import { storedHash } from './stored-hash.js'

const done: Cost[] = []
const asked: number[] = []
vi.mock('../../../src/auth/login/hashing-queue.js', () => ({
  hashing: {
    run(steps: number, work: () => Promise<unknown>) {
      asked.push(steps)
      return work()
    },
  },
}))
vi.mock('../../../src/auth/login/scrypt-threads.js', () => ({
  derive: async (_password: string, _salt: Buffer, length: number, { ln, r, p }: Cost) => {
    done.push({ ln, r, p })
    return Buffer.alloc(length)
  },
}))

const stored = (ln: number, r: number, p: number) => parsePasswordHash(storedHash.format({ ln, r, p }))
const today = { ln: 15, r: 8, p: 3 }

describe('a password check', () => {
  beforeEach(() => {
    done.length = 0
    asked.length = 0
  })

  it('AUTH-6: does the same work for an unknown user as for a known one', async () => {
    const work = new EqualWork()
    expect(await work.check('guess', undefined)).toBe(false)
    expect(await work.check('guess', stored(15, 8, 3))).toBe(false)
    expect(done).toEqual([today, today])
    expect(asked).toEqual([2 ** 15 * 8 * 3, 2 ** 15 * 8 * 3])
  })

  it('AUTH-6: adds work if the stored hash is weaker than new hashes', async () => {
    const work = new EqualWork()
    await work.check('guess', stored(15, 8, 1))
    expect(done).toEqual([{ ln: 15, r: 8, p: 1 }, expect.objectContaining({ r: 8 })])
    const [, left] = done as [Cost, Cost]
    expect((2 ** left.ln * left.p) / 2 ** 15).toBeCloseTo(1.9, 0)
  })

  it('AUTH-6: after a check against a stronger hash, later checks take as much work as that check', async () => {
    const work = new EqualWork()
    await work.check('guess', stored(16, 8, 3))
    await work.check('guess', undefined)
    expect(done).toEqual([
      { ln: 16, r: 8, p: 3 },
      { ln: 16, r: 8, p: 3 },
    ])
    done.length = 0
    await work.check('guess', stored(15, 8, 3))
    expect(done).toHaveLength(2)
  })
})

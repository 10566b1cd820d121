/** Tests of the error for a violated law. The error says how to repeat the failed case. */
import { describe, expect, it } from 'vitest'
import { type Case, cases, choose } from './cases.js'
import { kinds } from './kinds.js'
import { holds } from './runs.js'
import { Broken } from './service.js'

const runs = { name: 'nothing', usual: 200, cases: cases(kinds) }
/**
 * A law that is violated if the table has a trigger and at least two members, and at least two rows
 * were sent.
 */
const law = async ({ design, rows }: Case): Promise<void> => {
  if (rows.length > 1 && design.members.length > 1 && design.trigger !== 'none')
    throw new Broken('Tables are small.', `${rows.length}`)
}

const failure = async (env: NodeJS.ProcessEnv, broken = law): Promise<string> =>
  holds(runs, broken, env).then(
    () => 'no failure',
    (error: Error) => error.message,
  )

describe('a run of the laws', () => {
  it('fails with a seed and a path that repeat the smallest case exactly', async () => {
    for (let n = 1; n <= 10; n++) {
      const seen: Case[] = []
      const message = await failure({ LAWS_SEED: String(n) }, async (one) => {
        seen.push(one)
        await law(one)
      })
      const [, seed, path] = /LAWS_SEED=(-?\d+) LAWS_PATH=([\d:]+) npx vitest run/.exec(message) ?? []
      expect(seed, message).toBe(String(n))
      const repeated: Case[] = []
      const again = await failure({ LAWS_SEED: seed, LAWS_PATH: path }, async (one) => {
        repeated.push(one)
        await law(one)
      })
      expect(again).toBe('Tables are small.\n2')
      expect(repeated).toHaveLength(1)
      expect(repeated[0]?.rows).toHaveLength(2)
      expect(repeated[0]?.design.members).toHaveLength(2)
      expect(repeated[0]?.design).toMatchObject({ form: 'table', security: 'none', unique: undefined })
      expect(seen).toContainEqual(repeated[0])
    }
  })

  it('starts with the seed of the whole test run if LAWS_SEED is not set', async () => {
    expect(await failure({})).toContain(`LAWS_SEED=${process.env.TEST_SEED} `)
  })

  it('shrinks a case only while it violates the same law', async () => {
    const message = await failure({ LAWS_SEED: '1' }, async (one) => {
      await law(one)
      if (one.rows.length === 0) throw new Broken('There are rows.')
    })
    expect(message).toContain('Tables are small.\n2')
  })

  it('makes the same choices for the same seed', () => {
    const values = ['a', 'b', 'c', 'd']
    const drawn = (choices: number): string => {
      const pick = choose(choices)
      return Array.from({ length: 100 }, () => pick(values)).join('')
    }
    expect(drawn(7)).toBe(drawn(7))
    expect(drawn(7)).not.toBe(drawn(8))
    expect(new Set(drawn(7))).toEqual(new Set(values))
  })

  it('reports a LAWS_PATH without a LAWS_SEED, an invalid LAWS_SEED and an invalid LAWS_RUNS', async () => {
    expect(await failure({ LAWS_PATH: '3' })).toMatch(/needs the LAWS_SEED/)
    expect(await failure({ LAWS_SEED: 'x' })).toMatch(/LAWS_SEED is "x": it must be a whole number/)
    expect(await failure({ LAWS_RUNS: 'many' })).toMatch(/LAWS_RUNS is "many"/)
  })
})

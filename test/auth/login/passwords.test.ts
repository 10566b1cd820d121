import { scryptSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { remainingCost } from '../../../src/auth/login/equal-work.js'
import { prepareOpaqueString } from '../../../src/auth/login/opaque-string.js'
import { parsePasswordHash, workOf } from '../../../src/auth/login/password-hash.js'
import { checkPassword, hashPassword, needsRehash } from '../../../src/auth/login/passwords.js'
import { ConfigurationError, HttpProblem, Unavailable } from '../../../src/problem.js'
import { storedHash } from './stored-hash.js'

describe('stored passwords', () => {
  it('AUTH-6: are PHC strings of scrypt with a random salt, and do not match a similar password', async () => {
    const [one, two] = await Promise.all([hashPassword('contraseña'), hashPassword('contraseña')])
    expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(two)
    expect(await checkPassword('contraseña', one)).toBe(true)
    expect(await checkPassword('contrasena', one)).toBe(false)
    expect(needsRehash(one)).toBe(false)
    expect(needsRehash(one, { cost: 16 })).toBe(true)
  })

  it('AUTH-6: can be checked even if another program created the hash with a lower cost', async () => {
    const salt = Buffer.from('0123456789abcdef')
    const hash = scryptSync('pleaseletmein', salt, 32, { N: 2 ** 10, r: 8, p: 1 })
    const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    expect(await checkPassword('pleaseletmein', `$scrypt$ln=10,r=8,p=1$${plain(salt)}$${plain(hash)}`)).toBe(true)
  })

  it('RFC 8265: equivalent spellings of a password are the same password', async () => {
    const hash = storedHash(prepareOpaqueString('caf\u00e9 ol\u00e9') as string, { ln: 4, r: 8, p: 1 })
    expect(await checkPassword('cafe\u0301\u00a0ole\u0301', hash)).toBe(true)
    expect(await checkPassword('CAF\u00c9 OL\u00c9', hash)).toBe(false)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const prepared = prepareOpaqueString(text)
        if (prepared !== undefined) expect(prepareOpaqueString(prepared)).toBe(prepared)
      }),
    )
  })

  it.each(['', 'x'.repeat(1025), 'ñ'.repeat(513), 'tab\there', 'nul\0', '\ud800'])(
    'AUTH-6: the password %j cannot be stored, and a check of it returns false',
    async (bad) => {
      const refused = await hashPassword(bad).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(HttpProblem)
      expect(refused).toMatchObject({ status: 422, detail: expect.stringContaining('1024 bytes') })
      expect(await checkPassword(bad, storedHash(bad, { ln: 4, r: 8, p: 1 }))).toBe(false)
    },
  )

  it.each([
    '',
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$scrypt$ln=31,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$scrypt$ln=99,r=99,p=999$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$scrypt$ln=15,r=8,p=999$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$scrypt$ln=15,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA$AAAA',
    `$scrypt$ln=15,r=8,p=3$${'A'.repeat(10_000)}$${'A'.repeat(43)}`,
  ])(
    'AUTH-6: the stored hash "%.40s" needs a rehash, and is refused with an error that does not contain it',
    async (hash) => {
      const refused = await checkPassword('right', hash).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(ConfigurationError)
      if (hash !== '') expect(String(refused)).not.toContain(hash)
      expect(needsRehash(hash)).toBe(true)
    },
  )

  it('AUTH-6: an invalid cost is refused', async () => {
    for (const cost of [14, 18, 15.5, '15', null]) {
      await expect(hashPassword('right', { cost: cost as never })).rejects.toThrow(/Give 15, 16 or 17/)
      expect(() => needsRehash('', { cost: cost as never })).toThrow(ConfigurationError)
    }
    await expect(hashPassword('right', { costs: 15 } as never)).rejects.toThrow(/Did you mean "cost"/)
  })

  it('AUTH-6: need a rehash if their parameters are weaker than the current parameters', () => {
    const of = (ln: number, r: number, p: number) => needsRehash(storedHash.format({ ln, r, p }))
    expect([of(14, 8, 1), of(14, 8, 9), of(15, 8, 2), of(15, 8, 3), of(16, 8, 2), of(17, 8, 1)]).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('AUTH-6: a check that would wait too long is refused with Retry-After', async () => {
    const costly = storedHash.format({ ln: 15, r: 8, p: 3 })
    const all = await Promise.allSettled(Array.from({ length: 400 }, () => checkPassword('right', costly)))
    const refused = all.filter((one) => one.status === 'rejected').map(({ reason }) => reason)
    expect(refused.length).toBeGreaterThan(10)
    for (const error of refused) {
      expect(error).toBeInstanceOf(Unavailable)
      const seconds = Number(error.headers['Retry-After'])
      expect(error.detail).toBe(
        `Too many passwords are being checked. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
      )
    }
    const cheap = storedHash('right', { ln: 10, r: 8, p: 1 })
    expect(await Promise.all(Array.from({ length: 60 }, () => checkPassword('right', cheap)))).toEqual(
      Array(60).fill(true),
    )
  })

  it('AUTH-6: the work for the stored hash plus that for an additional hash is roughly the required work', () => {
    const cost = fc.record({
      ln: fc.integer({ min: 8, max: 17 }),
      r: fc.constant(8),
      p: fc.integer({ min: 1, max: 5 }),
    })
    fc.assert(
      fc.property(cost, cost, (a, b) => {
        const [whole, done] = workOf(a) >= workOf(b) ? [a, b] : [b, a]
        const left = remainingCost(whole, done)
        const work = workOf(done) + (left === undefined ? 0 : workOf(left))
        // The two hashes should take as long as one hash with the required work. With less memory,
        // each unit of work takes less time. So an additional hash that uses less memory may do
        // more units of work.
        expect(work / workOf(whole)).toBeGreaterThan(0.75)
        expect(work / workOf(whole)).toBeLessThan(1.75)
      }),
    )
    expect(remainingCost({ ln: 15, r: 8, p: 3 }, undefined)).toEqual({ ln: 15, r: 8, p: 3 })
    expect(parsePasswordHash(5)).toBeUndefined()
  })
})

import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressKey, principalKey, principalName } from '../../src/limits/keys.js'

const from = (ip: string) => ({ ip, socket: {} }) as unknown as IncomingMessage

describe('keys', () => {
  it('LIMIT-1: of a principal are its sub with its iss, a text or a number', () => {
    expect(principalName({ sub: 'ana' })).toBe('["ana"]')
    expect(principalName({ sub: '["i","ana"]' })).not.toBe(principalName({ sub: 'ana', iss: 'i' }))
    expect(principalName({ sub: 'ana', iss: 'https://a' })).not.toBe(principalName({ sub: 'ana', iss: 'https://b' }))
    expect(principalName('ana')).toBe('ana')
    expect(principalName(7)).toBe('7')
    for (const nobody of [undefined, null, true, {}, { sub: null }, { sub: {} }, [], '', Number.NaN, { sub: '' }, { sub: Number.NaN }])
      expect(principalName(nobody)).toBeUndefined()
  })

  it('LIMIT-1: are of bounded length, and no principal has the key of an address', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (name, address) => {
        const [a, b] = [principalKey(name), addressKey(from(address))]
        expect(a.length).toBeLessThanOrEqual(66)
        expect(b.length).toBeLessThanOrEqual(66)
        expect(a).not.toBe(b)
        expect(principalKey(a)).not.toBe(a)
      }),
    )
    const long = 'x'.repeat(65)
    expect(principalKey(long)).not.toBe(principalKey(`${long}y`))
    expect(principalKey(long)).not.toContain('xxx')
  })
})

import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressKey, nameKey, principalKey, principalName } from '../../src/limits/keys.js'

const from = (ip: string) => ({ ip, socket: {} }) as unknown as IncomingMessage

describe('keys', () => {
  it('LIMIT-1: a principal is named by its "sub" and "iss", or, if it is a string or a number, by its value', () => {
    expect(principalName({ sub: 'ana' })).toBe('["ana"]')
    expect(principalName({ sub: '["i","ana"]' })).not.toBe(principalName({ sub: 'ana', iss: 'i' }))
    expect(principalName({ sub: 'ana', iss: 'https://a' })).not.toBe(principalName({ sub: 'ana', iss: 'https://b' }))
    expect(principalName('ana')).toBe('ana')
    expect(principalName(7)).toBe('7')
    for (const anonymous of [
      undefined,
      null,
      true,
      {},
      { sub: null },
      { sub: {} },
      [],
      '',
      Number.NaN,
      { sub: '' },
      { sub: Number.NaN },
    ])
      expect(principalName(anonymous)).toBeUndefined()
  })

  it('LIMIT-1: the key of a principal is computed again after its "sub" or "iss" was modified', () => {
    const texts = fc.option(fc.constantFrom('', 'ana', 'eva', 'x'.repeat(70)), { nil: undefined })
    const values = fc.oneof(texts, fc.constantFrom(7, null))
    fc.assert(
      fc.property(fc.array(fc.record({ sub: values, iss: values }), { minLength: 1 }), (changes) => {
        const principal: Record<string, unknown> = {}
        for (const change of changes) {
          Object.assign(principal, change)
          const name = principalName(change)
          const key = name === undefined ? undefined : nameKey(name)
          expect([principalKey(principal), principalKey(principal), principalKey(change)]).toEqual([key, key, key])
        }
      }),
    )
    const issuer = { name: 'a' }
    const held = { sub: 'ana', iss: issuer }
    const before = principalKey(held)
    issuer.name = 'b'
    expect(principalKey(held)).not.toBe(before)
    expect(principalKey('ana')).toBe(nameKey('ana'))
  })

  it('LIMIT-1: every key has a bounded length, and the key of a principal is never the key of an IP address', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (name, address) => {
        const [a, b] = [nameKey(name), addressKey(from(address))]
        expect(a.length).toBeLessThanOrEqual(66)
        expect(b.length).toBeLessThanOrEqual(66)
        expect(a).not.toBe(b)
        expect(nameKey(a)).not.toBe(a)
      }),
    )
    const long = 'x'.repeat(65)
    expect(nameKey(long)).not.toBe(nameKey(`${long}y`))
    expect(nameKey(long)).not.toContain('xxx')
  })
})

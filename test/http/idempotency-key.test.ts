import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  idempotencyKeyPattern,
  longestKey,
  longestKeyField,
  parseIdempotencyKey,
} from '../../src/http/idempotency-key.js'
import { cpuTime } from '../cpu-time.js'

const printable = fc.stringMatching(/^[\x20-\x7e]{1,255}$/)

describe('VERB-12: parseIdempotencyKey', () => {
  it('accepts any printable ASCII string of 1 to 255 characters that is quoted as in RFC 9651', () => {
    fc.assert(
      fc.property(printable, (key) => {
        expect(parseIdempotencyKey(`"${key.replace(/["\\]/g, '\\$&')}"`)).toBe(key)
      }),
    )
  })

  it('accepts a key without quotes if it has no space, quote, comma, semicolon or backslash', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!#-+\--:<-[\]-~]{1,255}$/), (key) => {
        expect([parseIdempotencyKey(key), parseIdempotencyKey(`"${key}"`)]).toEqual([key, key])
      }),
    )
  })

  it('accepts exactly what the pattern and the length in OpenAPI documents allow', () => {
    const pattern = new RegExp(idempotencyKeyPattern)
    const reported = (field: string): boolean => field.length <= longestKeyField && pattern.test(field)
    for (const length of [0, 1, longestKey - 1, longestKey, longestKey + 1, longestKeyField]) {
      const [plain, escaped] = ['k'.repeat(length), '\\"'.repeat(length)]
      for (const field of [plain, `"${plain}"`, `"${escaped}"`]) {
        expect([field, reported(field)]).toEqual([field, parseIdempotencyKey(field) !== undefined])
      }
    }
    const longest = `"${'\\"'.repeat(longestKey)}"`
    expect([longest.length, reported(longest)]).toEqual([longestKeyField, true])
  })

  it('returns either no key or a key of 1 to 255 printable characters, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('"', '\\', ',', ';', ' ', 'a') })),
        (field) => {
          const key = parseIdempotencyKey(field)
          if (key !== undefined) expect(key).toMatch(/^[\x20-\x7e]{1,255}$/)
        },
      ),
    )
  })

  it('refuses long invalid fields in linear time', () => {
    for (const field of [
      `"${'\\'.repeat(100_000)}`,
      `"${'a'.repeat(100_000)}`,
      `${' '.repeat(100_000)}a b`,
      'a'.repeat(100_000),
    ]) {
      const started = cpuTime()
      expect(parseIdempotencyKey(field)).toBeUndefined()
      expect(cpuTime() - started).toBeLessThan(1_000)
    }
  })

  it('counts the length of a key without its quotes and escapes', () => {
    expect(parseIdempotencyKey(`"${'\\"'.repeat(longestKey)}"`)).toBe('"'.repeat(longestKey))
    expect(parseIdempotencyKey(`"${'\\"'.repeat(longestKey + 1)}"`)).toBeUndefined()
  })
})

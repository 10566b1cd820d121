import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMediaType } from '../../src/http/media-type.js'
import { cpuTime } from '../cpu-time.js'

const parsed = (field: string): unknown => {
  const media = parseMediaType(field)
  return media && [media.type, Object.fromEntries(media.parameters)]
}

const token = fc.string({ unit: fc.constantFrom(..."!#$%&'*+-.^_`|~019azAZ"), minLength: 1 })
const value = fc.string({ unit: fc.constantFrom(...'ab,;= "\\\t\u00e9'.split('')) })

describe('parseMediaType', () => {
  it('HDR-5: the type and parameter names are lower-cased, and parameter values are not', () => {
    expect(parsed('application/json')).toEqual(['application/json', {}])
    expect(parsed(' Application/JSON ; Charset=UTF-8\t')).toEqual(['application/json', { charset: 'UTF-8' }])
    expect(parsed('a/b;c="x;y,\\"z\\\\"; d=""')).toEqual(['a/b', { c: 'x;y,"z\\', d: '' }])
  })

  it('HDR-5: empty parameters are allowed (RFC 9110 5.6.6)', () => {
    expect(parsed('a/b;;c=d; ;')).toEqual(['a/b', { c: 'd' }])
    expect(parsed('a/b;')).toEqual(['a/b', {}])
  })

  it('HDR-5: a malformed field, or a repeated parameter, results in no media type', () => {
    const fields = [
      '',
      'a',
      'a/',
      '/b',
      'a b/c',
      'a/b c',
      'a/b/c',
      'a/b,c/d',
      'a/b;c',
      'a/b;c=',
      'a/b;=d',
      'a/b;c =d',
      'a/b;c= d',
    ]
    for (const field of [...fields, 'a/b;c="d', 'a/b;c="d"e', 'a/b;c=d;C=e', 'é/b', 'a/b;c=é', 'a/b;c="\u0001"']) {
      expect(parseMediaType(field), field).toBeUndefined()
    }
  })

  it('HDR-5: every well-formed field is read as it was written, except that types and names are lower-cased', () => {
    fc.assert(
      fc.property(
        token,
        token,
        fc.uniqueArray(fc.tuple(token, fc.oneof(token, value)), { selector: ([name]) => name.toLowerCase() }),
        (type, subtype, pairs) => {
          const written = pairs.map(
            ([name, text]) => ` ;\t${name}=${/^[\w.-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`}`,
          )
          const media = parseMediaType(`${type}/${subtype}${written.join('')}`)
          expect(media?.type).toBe(`${type}/${subtype}`.toLowerCase())
          expect([...(media?.parameters ?? [])]).toEqual(pairs.map(([name, text]) => [name.toLowerCase(), text]))
        },
      ),
    )
  })

  it('HDR-5: parsing a hostile field of a megabyte takes linear time', () => {
    const started = cpuTime()
    for (const piece of [';', '"', ' ', 'a/b;', ';a="\\'])
      parseMediaType(`a/b;c=d;${piece.repeat(1_000_000 / piece.length)}`)
    expect(cpuTime() - started).toBeLessThan(5_000)
  })
})

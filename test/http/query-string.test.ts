import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatQueryString, parseQueryString } from '../../src/http/query-string.js'

const pairs = (raw: string): unknown => {
  const query = parseQueryString(raw)
  expect(query.malformed).toEqual([])
  return query.pairs
}

const pairsOfText = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })))

describe('parseQueryString', () => {
  it('QUERY-1: returns pairs in order, split at & and the first =', () => {
    expect(pairs('')).toEqual([])
    expect(pairs('a=1&b=x=y&a=2')).toEqual([
      ['a', '1'],
      ['b', 'x=y'],
      ['a', '2'],
    ])
    expect(pairs('&&a&&=b&=&')).toEqual([
      ['a', ''],
      ['', 'b'],
      ['', ''],
    ])
  })

  it('QUERY-2: + is a space, and %2B is a plus', () => {
    expect(pairs('sort=+fecha,%2Bid&a+b=c+d')).toEqual([
      ['sort', ' fecha,+id'],
      ['a b', 'c d'],
    ])
  })

  it('QUERY-1: names and values are decoded once, as UTF-8', () => {
    expect(pairs('n%61me=Jos%C3%A9&x=%2525&y=%26%3D')).toEqual([
      ['name', 'José'],
      ['x', '%25'],
      ['y', '&='],
    ])
  })

  it('QUERY-8: pairs that cannot be decoded are malformed, and the other pairs are read', () => {
    expect(parseQueryString('a=1&b=%&%zz=1&c=%E9&d=%ED%A0%80&e=%C0%80&f=2')).toEqual({
      pairs: [
        ['a', '1'],
        ['f', '2'],
      ],
      malformed: ['b=%', '%zz=1', 'c=%E9', 'd=%ED%A0%80', 'e=%C0%80'],
    })
    expect(parseQueryString(`a=%\u0000\u001b\ud800${'x'.repeat(100)}`).malformed).toEqual([`a=%???${'x'.repeat(74)}`])
  })

  it('QUERY-1: reads the queries that HTML forms write', () => {
    fc.assert(
      fc.property(
        pairsOfText,
        (written) => void expect(pairs(new URLSearchParams(written).toString())).toEqual(written),
      ),
    )
  })

  it('QUERY-8: any string can be parsed: each part is either a pair or malformed', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab=&%+41CA39') }), (raw) => {
        const query = parseQueryString(raw)
        expect(query.pairs.length + query.malformed.length).toBe(raw.split('&').filter((piece) => piece !== '').length)
      }),
    )
  })
})

describe('formatQueryString', () => {
  it('QUERY-7: parsing the formatted query returns the same pairs', () => {
    fc.assert(fc.property(pairsOfText, (written) => void expect(pairs(formatQueryString(written))).toEqual(written)))
  })

  it('QUERY-7: commas, minus signs and colons are not percent-encoded', () => {
    expect(
      formatQueryString([
        ['sort', '-fecha,a.b'],
        ['desde', '2024-02-29T10:00:00'],
        ['x', '~_ é&=+%'],
      ]),
    ).toBe('sort=-fecha,a.b&desde=2024-02-29T10:00:00&x=~_%20%C3%A9%26%3D%2B%25')
    expect(formatQueryString([['a', ' ,:']])).toBe('a=%20,:')
    expect(formatQueryString([])).toBe('')
  })

  it('QUERY-7: a lone surrogate causes no exception', () => {
    expect(formatQueryString([['a', 'x\ud800']])).toBe('a=x%EF%BF%BD')
  })
})

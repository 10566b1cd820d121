import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { negotiator } from '../../src/http/accept.js'
import { cpuTime } from '../cpu-time.js'

const json = 'application/json'
const xml = 'application/xml'
const negotiate = negotiator([json, xml])
const chosen = (cases: Record<string, string | undefined>): void => {
  expect(Object.fromEntries(Object.keys(cases).map((field) => [field, negotiate(field)]))).toEqual(cases)
}

describe('negotiator', () => {
  it('HDR-1: if Accept is missing or empty, the first offer is chosen', () => {
    expect(negotiate(undefined)).toBe(json)
    chosen({ '': json, ' ': json, ',': json, ' ,\t, ': json })
  })

  it('HDR-1: types are compared case-insensitively, and a type that is not offered is not acceptable', () => {
    chosen({
      'APPLICATION/Json': json,
      [xml]: xml,
      'text/html': undefined,
      'application/jsonp': undefined,
      'text/*': undefined,
    })
  })

  it('HDR-1: the offer with the highest q-value wins. If the q-values are equal, the first offer wins', () => {
    chosen({
      [`${xml}, ${json}`]: json,
      [`${json};q=0.5, ${xml};q=0.501`]: xml,
      [`${json};q=0.5, ${xml};Q=0.4`]: json,
      '*/*': json,
      'application/*;q=0.1': json,
      'text/html, application/xml;q=0.9, */*;q=0.8': xml,
      'text/html, image/gif, *; q=.2, */*; q=.2': json,
    })
  })

  it('HDR-1: q=0 excludes a type', () => {
    chosen({
      [`${json};q=0`]: undefined,
      [`${json};q=0.000, */*`]: xml,
      '*/*;q=0': undefined,
      [`*/*;q=0, ${xml}`]: xml,
      'application/*;q=0, */*': undefined,
    })
  })

  it('HDR-1: the most specific range decides, at any position in the field', () => {
    chosen({
      [`${json};q=0.1, application/*;q=0.5, */*;q=0.9`]: xml,
      [`*/*;q=0.9, application/*;q=0.5, ${json};q=0.6`]: json,
      [`${json};charset=utf-8;q=0.1, ${json}, ${xml};q=0.2`]: xml,
      [`${json};q=0.1, ${json};q=0.7, ${xml};q=0.5`]: json,
    })
  })

  it('HDR-1: an offer without parameters matches ranges with charset=utf-8, but not with other parameters', () => {
    chosen({
      [`${json}; charset=utf-8`]: json,
      [`${json};Charset="UTF-8"`]: json,
      [`${json};q=0.5;charset=utf-8`]: json,
      [`${json};charset=latin1`]: undefined,
      [`${json};version=1`]: undefined,
      [`${json};version=1, ${xml};q=0.1`]: xml,
    })
    const versioned = negotiator(['application/json;version=1', json])
    expect(versioned('application/json;version=1')).toBe('application/json;version=1')
    expect(versioned('application/json;version=2')).toBeUndefined()
    expect(versioned('application/json;version=1;q=0.1, application/json')).toBe(json)
  })

  it('HDR-1: malformed elements are ignored, and a field with only malformed elements accepts nothing', () => {
    chosen({
      nonsense: undefined,
      '*': undefined,
      '*/json': undefined,
      [`nonsense, ${xml}`]: xml,
      [`${json};q=2, ${xml}`]: xml,
      [`${json};q=0.1234, ${xml}`]: xml,
      [`${json};q=-1, ${xml}`]: xml,
      [`${json};q=0.5;q=1, ${xml}`]: xml,
      [`${json};, ${xml}`]: json,
    })
  })

  it('HDR-1: commas and semicolons within quotes are part of the parameter value', () => {
    chosen({ [`text/html;a="x, ${json}", ${xml}`]: xml, [`text/html;a="\\", ${json};q=1", ${xml};q=0.1`]: xml })
  })

  it('HDR-1: an offer must be a media type', () => {
    for (const offer of ['json', '', 'text/*', '*/*'])
      expect(() => negotiator([offer]), offer).toThrow(/is not a media type/)
    expect(negotiator([])('*/*')).toBeUndefined()
  })

  it('HDR-1: the choice does not depend on earlier calls', () => {
    const range = fc.record({
      type: fc.constantFrom(json, xml, 'text/html', 'application/*', '*/*', 'bad'),
      q: fc.constantFrom('', ';q=0', ';q=0.5', ';q=1', ';q=x'),
    })
    const field = fc.array(range, { maxLength: 5 }).map((ranges) => ranges.map(({ type, q }) => type + q).join(', '))
    fc.assert(fc.property(field, (accept) => negotiate(accept) === negotiator([json, xml])(accept)))
    for (let at = 0; at < 500; at++) negotiate(`text/x${at}, ${xml}`)
    chosen({ [xml]: xml, 'text/x1': undefined })
  })

  it('HDR-1: the choice equals the choice of a simple implementation of the rules', () => {
    const ranges = fc.uniqueArray(fc.constantFrom(json, xml, 'application/*', '*/*', 'text/html'), { minLength: 1 })
    fc.assert(
      fc.property(
        ranges,
        fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 5, maxLength: 5 }),
        (types, thousandths) => {
          const q = new Map<string, number>(types.map((type, at) => [type, (thousandths[at] ?? 0) / 1000]))
          const quality = (type: string): number => q.get(type) ?? q.get('application/*') ?? q.get('*/*') ?? 0
          const expected =
            Math.max(quality(json), quality(xml)) === 0 ? undefined : quality(json) >= quality(xml) ? json : xml
          expect(negotiate([...q].map(([type, value]) => `${type};q=${value}`).join(','))).toBe(expected)
        },
      ),
    )
  })

  it('HDR-1: any Accept field is handled, and a hostile field takes linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a/*;=q01.,"\\ ') }), (accept) =>
        [json, xml, undefined].includes(negotiate(accept)),
      ),
    )
    const started = cpuTime()
    for (const piece of ['"', ',', ';', 'a/b;c="\\",', '*/*,', ';q=0']) negotiate(piece.repeat(200_000 / piece.length))
    expect(cpuTime() - started).toBeLessThan(5_000)
  })
})

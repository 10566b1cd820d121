import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSegments, splitTarget, targetAuthority } from '../../src/http/targets.js'

describe('splitTarget', () => {
  it('PATH-11: splits origin-form, absolute-form and asterisk-form (RFC 9112 3.2)', () => {
    const targets = {
      '/v1/a?b=c?d': ['/v1/a', 'b=c?d'],
      '/': ['/', ''],
      '/a?': ['/a', ''],
      '?a': ['/', 'a'],
      '//a/b': ['//a/b', ''],
      '/a?u=http://x/y': ['/a', 'u=http://x/y'],
      'http://host/x?y': ['/x', 'y'],
      'HTTPS://host:1': ['/', ''],
      'http://host?y/z': ['/', 'y/z'],
      '*': ['*', ''],
    }
    for (const [url, [path, query]] of Object.entries(targets)) expect(splitTarget(url), url).toEqual({ path, query })
  })

  it('PATH-11: splits any path and any query, in origin-form and absolute-form', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (path, query) => {
        expect(splitTarget(`/${path}?${query}`)).toEqual({ path: `/${path}`, query })
        expect(splitTarget(`http://host:80/${path}?${query}`)).toEqual({ path: `/${path}`, query })
      }),
    )
  })

  it('REP-5: only an absolute-form target names an authority', () => {
    expect(['/a://b', '*', 'http://h:1/x', 'http://h?x', 'http://'].map(targetAuthority)).toEqual([
      undefined,
      undefined,
      'h:1',
      'h',
      '',
    ])
  })
})

describe('decodeSegments', () => {
  it('PATH-11: a leading slash and one trailing slash add no segment, and other empty segments are kept', () => {
    expect(['', '/', '/a', '/a/', 'a', '//', '/a//', '//a', '/a//b'].map(decodeSegments)).toEqual([
      [],
      [],
      ['a'],
      ['a'],
      ['a'],
      [''],
      ['a', ''],
      ['', 'a'],
      ['a', '', 'b'],
    ])
  })

  it('PATH-11: segments are decoded exactly once', () => {
    expect(decodeSegments('/a%2Fb/%252F/%C3%B1/a+b')).toEqual(['a/b', '%2F', 'ñ', 'a+b'])
    expect(['/a/%', '/%zz', '/%E9', '/%ED%A0%80', '/%C0%AF'].map(decodeSegments)).toEqual(Array(5).fill(undefined))
  })

  it('PATH-11: decoding any encoded string returns the string', () => {
    const segment = fc.string({ unit: 'binary', minLength: 1 })
    fc.assert(
      fc.property(fc.array(segment), fc.constantFrom('', '/'), (segments, trailing) => {
        expect(decodeSegments(segments.map((text) => `/${encodeURIComponent(text)}`).join('') + trailing)).toEqual(
          segments,
        )
      }),
    )
  })
})

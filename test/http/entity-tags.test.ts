import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  codedTag,
  formatTag,
  isCoded,
  knownTag,
  matchesStrongly,
  parseTagList,
  type TagList,
  versionOf,
  versionsOf,
} from '../../src/http/entity-tags.js'
import { cpuTime } from '../cpu-time.js'

const list = (field: string): TagList => parseTagList(field) ?? expect.fail('a list')
const opaques = (field: string): string[] => list(field).tags.map((tag) => `${tag.weak ? 'W/' : ''}${tag.opaque}`)

/** Any UTF-16 string, including lone surrogates. */
const text = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) })
const digest = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_') })
const tagCharacter = fc.constantFrom(...'!#%,.*\\/;azAZ09W~\u00e9\u00ff'.split(''))
const tag = fc.record({ opaque: fc.string({ unit: tagCharacter }).map((inner) => `"${inner}"`), weak: fc.boolean() })
const space = fc.constantFrom('', ' ', '\t', '  ')

const yes = () => true
const no = () => false

describe('formatTag and versionOf', () => {
  it('HDR-2: a tag consists of version and digest in quotes', () => {
    expect(formatTag('3', 'x7Q')).toBe('"3.x7Q"')
    expect(formatTag('a b"%ñ', 'd')).toBe('"a%20b%22%25%C3%B1.d"')
    expect(formatTag('\ud800', 'd')).toBe('"%uD800.d"')
    expect(formatTag('1.2', 'd')).toBe('"1.2.d"')
  })

  it('HDR-2: the version round-trips through a tag, regardless of its characters', () => {
    fc.assert(
      fc.property(
        fc.oneof(text, fc.string({ unit: 'binary' })),
        digest,
        (version, end) => versionOf(formatTag(version, end)) === version,
      ),
    )
  })

  it('HDR-2: parseTagList reads every tag that formatTag returns, and the tag matches itself', () => {
    fc.assert(
      fc.property(text, digest, (version, end) =>
        matchesStrongly(list(formatTag(version, end)), formatTag(version, end)),
      ),
    )
  })

  it('HDR-2: versionOf returns no version for a tag that formatTag never creates', () => {
    for (const opaque of [
      '',
      '"',
      '"."x',
      '"3"',
      '3.a',
      '"3.a',
      '"%41.d"',
      '"%zz.d"',
      '"%e9.d"',
      '"%C3.d"',
      '"%u0041.d"',
      '"\u00e9.d"',
      '"%uD83D%uDE00.d"',
    ]) {
      expect(versionOf(opaque), opaque).toBeUndefined()
    }
  })
})

describe('parseTagList', () => {
  it('HDR-3: an absent field results in no list, and an empty field matches nothing', () => {
    expect(parseTagList(undefined)).toBeUndefined()
    for (const field of ['', ' ', ',', ' ,\t,']) expect(parseTagList(field)).toEqual({ any: false, tags: [] })
  })

  it('HDR-3: * is valid only alone', () => {
    for (const field of ['*', ' * ', '\t*']) expect(parseTagList(field)).toEqual({ any: true, tags: [] })
    expect(parseTagList('*, "a"')).toEqual({ any: false, tags: [{ opaque: '"a"', weak: false }] })
    expect(parseTagList('"a", *')).toEqual({ any: false, tags: [{ opaque: '"a"', weak: false }] })
    expect(opaques('"*"')).toEqual(['"*"'])
  })

  it('HDR-3: white space, empty elements, empty tags, quoted commas and quoted backslashes are accepted', () => {
    expect(opaques('"a",,\t"b,c" , W/"d",')).toEqual(['"a"', '"b,c"', 'W/"d"'])
    expect(opaques('"a\\", "b"')).toEqual(['"a\\"', '"b"'])
    expect(opaques('""')).toEqual(['""'])
    expect(opaques('"é"')).toEqual(['"é"'])
  })

  it('HDR-3: malformed elements are dropped, and those around them are kept', () => {
    expect(opaques('"a", b, "c"')).toEqual(['"a"', '"c"'])
    expect(opaques('"a", w/"b", "c"')).toEqual(['"a"', '"c"'])
    expect(opaques('"a", W/ "b"')).toEqual(['"a"'])
    expect(opaques('"a", "b, c", "d"')).toEqual(['"a"', '"d"'])
    expect(opaques('"a" "b", "c"')).toEqual(['"c"'])
    expect(opaques('"a", "never closed')).toEqual(['"a"'])
    expect(opaques('"a", "con\u007ftrol", "con\u0001trol"')).toEqual(['"a"'])
    expect(opaques('abc')).toEqual([])
  })

  it('HDR-3: every well-formed list is read exactly as it was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(space, tag, space)),
        fc.array(fc.constantFrom(',', ', ,'), { minLength: 1 }),
        (elements, commas) => {
          const field = elements.map(
            ([before, { opaque, weak }, after], at) =>
              `${before}${weak ? 'W/' : ''}${opaque}${after}${commas[at % commas.length]}`,
          )
          expect(list(field.join('')).tags).toEqual(elements.map(([, { opaque, weak }]) => ({ opaque, weak })))
        },
      ),
    )
  })

  it('HDR-3: any string can be read, and every tag that is found occurs in the string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'"",,W/* \ta.') }), (field) => {
        expect(
          list(field).tags.every((found) => field.includes(found.opaque) && /^"[^"\s]*"$/.test(found.opaque)),
        ).toBe(true)
      }),
    )
  })

  it('HDR-3: a hostile field of a megabyte takes linear time', () => {
    const started = cpuTime()
    for (const piece of ['"', ',', '",', '"a ,', 'W/"', ' ']) parseTagList(piece.repeat(1_000_000 / piece.length))
    expect(cpuTime() - started).toBeLessThan(5_000)
  })
})

describe('comparison', () => {
  it('HDR-3: strong comparison ignores weak tags. HDR-4: weak comparison does not', () => {
    const both = list('W/"a", "b"')
    expect([matchesStrongly(both, '"a"'), matchesStrongly(both, '"b"'), matchesStrongly(both, '"c"')]).toEqual([
      false,
      true,
      false,
    ])
    expect([knownTag(both, '"a"', no), knownTag(both, '"b"', no), knownTag(both, '"c"', no)]).toEqual([
      '"a"',
      '"b"',
      undefined,
    ])
    expect([matchesStrongly(list('*'), '"a"'), knownTag(list('*'), '"a"', no)]).toEqual([true, '"a"'])
    expect([matchesStrongly(both, '"a"', true), matchesStrongly(both, '"c"', true)]).toEqual([true, false])
  })

  it('HDR-2: versionsOf returns the versions of strong tags, and also those of weak tags if weakToo is true', () => {
    const field = list('"1.a", W/"2.b", "3", "1.c"')
    expect(versionsOf(field)).toEqual(['1', '1'])
    expect(versionsOf(field, true)).toEqual(['1', '2', '1'])
    expect(versionsOf(list('*'))).toEqual([])
  })
})

describe('tags of content codings', () => {
  it.each([
    ['gzip', '"3.x+gzip"'],
    ['GZip', '"3.x+gzip"'],
    ['gzip, br', '"3.x+gzip+br"'],
    ['identity', '"3.x"'],
    ['', '"3.x"'],
    [' , "quoted", a b', '"3.x"'],
  ])('HDR-2: with Content-Encoding %j, the tag "3.x" becomes %s (RFC 9110 8.8.3.3)', (coding, expected) => {
    expect(codedTag('"3.x"', coding)).toBe(expected)
    expect(versionOf(codedTag('"3.x"', coding))).toBe('3')
  })

  it('HDR-2: a tag with a content coding keeps its version, and matches the tag without a content coding', () => {
    fc.assert(
      fc.property(
        text,
        digest,
        fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'gzip, br'),
        (version, end, coding) => {
          const own = formatTag(version, end)
          const coded = codedTag(own, coding)
          expect([isCoded(own), isCoded(coded)]).toEqual([false, true])
          expect(opaques(coded)).toEqual([coded])
          expect(versionsOf(list(coded))).toEqual([version])
          expect([knownTag(list(coded), own, yes), knownTag(list(coded), own, no)]).toEqual([coded, undefined])
          expect([matchesStrongly(list(coded), own), matchesStrongly(list(`W/${coded}`), own)]).toEqual([true, false])
        },
      ),
    )
  })

  it.each([
    ['"3.x"', 'br, gzip', '"3.x"'],
    ['"3.x+gzip"', 'br, gzip', '"3.x+gzip"'],
    ['W/"3.x+gzip"', 'br, gzip', '"3.x+gzip"'],
    ['"3.x", "3.x+gzip"', 'br, gzip', '"3.x+gzip"'],
    ['"3.x+gzip", "3.x"', '', '"3.x"'],
    ['"3.x+gzip"', '', undefined],
    ['"3.x+br", "3.x+gzip"', 'gzip', '"3.x+gzip"'],
    ['"3.x+gzip+br"', 'gzip', undefined],
    ['"3.x-gzip"', '', '"3.x"'],
    ['"3.x-br"', '', '"3.x"'],
    ['"3.x--gzip"', 'gzip', undefined],
    ['"3.x-gzip-gzip"', 'gzip', undefined],
    ['"3.x+"', 'gzip', undefined],
    ['"3.x+gzip+"', 'gzip', undefined],
    ['"3.xx"', 'gzip', undefined],
    ['"3.x"-gzip', 'gzip', undefined],
    ['"2.x+gzip", "3.y-gzip"', 'gzip', undefined],
    ['*, "3.y"', 'gzip', undefined],
  ])(
    'HDR-4: if a client sends the tags %s and accepts "%s", knownTag returns %s for "3.x" (RFC 9111 4.3.4)',
    (field, codings, expected) => {
      const taken = codings.split(', ')
      expect(knownTag(list(field), '"3.x"', (coding) => taken.includes(coding))).toBe(expected)
    },
  )
})

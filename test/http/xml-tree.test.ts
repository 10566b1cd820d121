import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseXml } from '../../src/http/xml-tree.js'
import { cpuTime } from '../cpu-time.js'
import { size } from '../size.js'

const parse = (text: string, depth = 32) => parseXml(text, { depth })
const root = (text: string, depth?: number) => {
  const parsed = parse(text, depth)
  if (!('root' in parsed)) throw new Error(parsed.malformed)
  return parsed.root
}
const leaf = { attributes: [], children: [], text: '' }
const megabyte = 1_048_576
const filled = (unit: string, length = megabyte): string => unit.repeat(Math.floor(length / unit.length))
const numbered = (unit: (at: number) => string, count: number): string =>
  Array.from({ length: count }, (_, at) => unit(at)).join('')

describe('parseXml', () => {
  it('HDR-5: reads elements, attributes and text', () => {
    expect(root('<?xml version="1.0" encoding="UTF-8"?>\n<!-- x --><?y z?><a x="1">b<c/>d</a>\n<!-- x -->')).toEqual({
      name: 'a',
      attributes: [{ name: 'x', namespace: '', value: '1' }],
      children: [{ ...leaf, name: 'c' }],
      text: 'bd',
    })
  })

  it('HDR-5: comments and processing instructions are skipped, CDATA is text, and adjacent text is joined', () => {
    expect(
      root('<a> x<!-- & < -->y<?pi < ?>z<![CDATA[<&]]]]><![CDATA[>]]>\r\n\r&#13;&#x1F600;&amp;&lt;&gt;&quot;&apos;</a>')
        .text,
    ).toBe(' xyz<&]]>\n\n\r😀&<>"\'')
  })

  it('HDR-5: white space in attributes becomes spaces, unless it is written as a character reference', () => {
    expect(root('<a x=" \t\r\n b&#9;&#10;&#13;"/>').attributes[0]?.value).toBe('    b\t\n\r')
  })

  it('HDR-5: a prefix has the namespace of its innermost declaration', () => {
    const at = (text: string) =>
      root(text).children.map(({ attributes }) => attributes.map(({ name, namespace }) => `${namespace}#${name}`))
    expect(at('<a xmlns:p="u:1"><b p:x=""/><c xmlns:p="u:2" p:x=""/><d p:x=""/></a>')).toEqual([
      ['u:1#x'],
      ['http://www.w3.org/2000/xmlns/#p', 'u:2#x'],
      ['u:1#x'],
    ])
    expect(at('<a xmlns="u:1"><b x="" xml:lang="es"/></a>')).toEqual([
      ['#x', 'http://www.w3.org/XML/1998/namespace#lang'],
    ])
    expect(root('<p:a xmlns:p="u"><p:b><p:c/></p:b></p:a>')).toMatchObject({
      name: 'a',
      children: [{ name: 'b', children: [{ name: 'c' }] }],
    })
    expect(parse('<a><b xmlns:p="u"/><p:c/></a>')).toHaveProperty('malformed')
  })

  it('HDR-5: the depth of elements is limited', () => {
    expect(parse('<a><b><c/></b></a>', 3)).toHaveProperty('root')
    expect(parse('<a><b><c/></b></a>', 2)).toEqual({
      malformed: 'Elements may be nested at most 2 levels deep: line 1, column 9.',
    })
    expect(parse('<a/>', 0)).toHaveProperty('malformed')
  })

  it('ERR-3: an error has a message and a position, and contains no part of the document', () => {
    expect(parse('<a>\n  <b>R&D</b>\n</a>')).toEqual({
      malformed: 'An ampersand must be escaped: write it as &amp;: line 2, column 7.',
    })
    expect(parse('<a>\n</b>')).toEqual({
      malformed: 'The end tag does not match the open element: line 2, column 4.',
    })
    for (const name of ['secret', 'x'.repeat(100_000)]) {
      for (const text of [
        `<${name}>`,
        `</${name}>`,
        `<a></${name}>`,
        `<a ${name}="" ${name}=""/>`,
        `<${name}:a/>`,
        `<a>&${name};</a>`,
        `<a ${name}/>`,
      ]) {
        const { malformed } = parse(text) as { malformed: string }
        expect(malformed).not.toContain(name)
        expect(malformed.length).toBeLessThan(200)
        expect(malformed).toMatch(/^[A-Z"].*: line \d+, column \d+\.$/)
        expect(malformed).not.toContain('not well-formed XML')
      }
    }
  })

  it('HDR-5: lone surrogates and a second byte order mark are refused', () => {
    // The decoder has already removed the first byte order mark.
    for (const text of ['<a>\ud83d</a>', '<a>\ud83d<b/></a>', '<a\udc00/>', '\ufeff<a/>'])
      expect(parse(text)).toHaveProperty('malformed')
  })

  it('HDR-5: an element has at most 64 attributes, and a namespace at most 1,000 characters', () => {
    expect(root(`<a ${numbered((at) => `a${at}="" `, 64)}/>`).attributes).toHaveLength(64)
    expect(parse(`<a ${numbered((at) => `a${at}="" `, 65)}/>`)).toHaveProperty('malformed')
    expect(parse(`<a xmlns="${'u'.repeat(1_000)}"/>`)).toHaveProperty('root')
    expect(parse(`<a xmlns="${'u'.repeat(1_001)}"/>`)).toHaveProperty('malformed')
    expect(parse(`<a xmlns:p="${'u'.repeat(1_001)}"/>`)).toHaveProperty('malformed')
  })

  it.each(
    Object.entries({
      'never closed': filled('<a>'),
      'deep and closed': filled('<a>', 449_389) + filled('</a>', 599_186),
      wide: `<r>${filled('<a/>')}</r>`,
      'many names': `<r>${numbered((at) => `<a${at}/>`, 110_000)}</r>`,
      'a flood of attributes': `<r ${numbered((at) => `a${at}="" `, 110_000)}/>`,
      'many attributes everywhere': `<r>${filled(`<a ${numbered((at) => `a${at}="" `, 60)}/>`)}</r>`,
      'namespaces everywhere': `<r>${filled(`<a ${numbered((at) => `xmlns:a${at}="u" `, 60)}/>`)}</r>`,
      'namespaces in namespaces': filled('<a xmlns:a="u" xmlns:b="v">'),
      'a long namespace used often': `<r xmlns:p="${'u'.repeat(500_000)}">${filled('<a p:x=""/>', 500_000)}</r>`,
      'the longest namespace used often': `<r xmlns:p="${'u'.repeat(1_000)}">${filled('<a p:x="" p:y="" p:z="" p:v="" p:w=""/>')}</r>`,
      'a long name': `<${'a'.repeat(megabyte / 2)}></${'a'.repeat(megabyte / 2)}>`,
      'a long comment': `<r><!--${filled('a -')}x--></r>`,
      'many comments': `<r>${filled('a<!---->')}</r>`,
      'a long instruction': `<r><?a ${filled('?x')}?></r>`,
      'many instructions': `<r>${filled('a<?a?>')}</r>`,
      'a long CDATA section': `<r><![CDATA[${filled(']]x')}]]></r>`,
      'many CDATA sections': `<r>${filled('a<![CDATA[b]]>')}</r>`,
      'many references': `<r>${filled('&amp;')}</r>`,
      'a long reference': `<r>&#${filled('0')}65;</r>`,
      'a reference that never ends': `<r>&${filled('a')}`,
      'references in an attribute': `<r a="${filled('&#65;')}"/>`,
      'line ends': `<r a="${filled('\n', 500_000)}">${filled('\r', 500_000)}</r>`,
      'text in pieces': `<r>${filled('x<a/>')}</r>`,
      'white space in a tag': `<r${filled(' ')}/>`,
      'an endless DOCTYPE': `<!DOCTYPE a [${filled('<!x')}`,
    }),
  )('HDR-5: parsing a hostile document of a megabyte takes less than three seconds: %s', (_, text) => {
    for (const depth of [32, Number.POSITIVE_INFINITY]) {
      const started = cpuTime()
      parse(text, depth)
      expect(cpuTime() - started).toBeLessThan(3_000)
    }
  })

  it('HDR-5: never throws, and refuses truncated documents', () => {
    const valid = '<?xml version="1.0"?><a xmlns:p="u" p:x="&#9;y"><!-- c --><b>ñ&amp;<![CDATA[<]]></b><?pi x?><c/></a>'
    expect(parse(valid)).toHaveProperty('root')
    for (let end = 0; end < valid.length; end++) expect(parse(valid.slice(0, end))).toHaveProperty('malformed')
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '&',
      ';',
      '"',
      "'",
      '=',
      '!',
      '?',
      '[',
      ']',
      '-',
      ':',
      'a',
      ' ',
      '\r',
      '\0',
      '\ud800',
      '<!--',
      ']]>',
      '<![CDATA[',
      'xmlns',
    )
    fc.assert(
      fc.property(fc.nat(valid.length), fc.nat(6), fc.array(piece, { maxLength: 4 }), (at, cut, pieces) => {
        const parsed = parse(valid.slice(0, at) + pieces.join('') + valid.slice(at + cut))
        if ('malformed' in parsed) expect(parsed.malformed).toMatch(/\.$/)
        else expect(parsed.root.name).toBeTypeOf('string')
      }),
      { numRuns: size(1_000, 5_000) },
    )
  })
})

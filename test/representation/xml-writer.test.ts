import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'
import { formOf, listOf, openForm } from '../../src/plan/form.js'
import { writeXml } from '../../src/representation/xml-writer.js'

const head = '<?xml version="1.0" encoding="UTF-8"?>'
const xsi = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const formed = (schema: JsonSchema) => formOf(Shape.of(schema))
const written = (value: unknown, schema: JsonSchema, options = {}): string => {
  const document = writeXml(value, { root: 'r', form: formed(schema), ...options })
  expect(document.startsWith(head)).toBe(true)
  return document.slice(head.length)
}
const text = { type: 'string' }
const object = (properties: JsonSchema): JsonSchema => ({ type: 'object', properties })

describe('writeXml', () => {
  it('HDR-1: members become elements in the same order, without type attributes if the schema gives the types', () => {
    const schema = object({
      a: text,
      b: { type: 'integer' },
      c: { type: 'boolean' },
      d: { type: 'array', items: text },
      e: object({ f: text }),
    })
    expect(written({ b: 7, a: 'x', c: true, d: ['y', ''], e: { f: 'z' } }, schema)).toBe(
      '<r><b>7</b><a>x</a><c>true</c><d><item>y</item><item></item></d><e><f>z</f></e></r>',
    )
  })

  it('HDR-1: an element has the attribute "type" unless its schema has exactly the type of the value', () => {
    expect(written({ a: 1, b: [], c: {} }, object({ a: text, b: { type: ['array', 'string'] } }))).toBe(
      '<r><a type="number">1</a><b type="array"></b><c type="object"></c></r>',
    )
    expect(written('x', {})).toBe('<r type="string">x</r>')
  })

  it('HDR-1: null becomes xsi:nil, and the namespace of xsi is declared only where it is used', () => {
    expect(written({ a: null }, object({ a: text }))).toBe(`<r${xsi}><a xsi:nil="true"></a></r>`)
    expect(written(null, {}, { namespace: 'urn:a"b' })).toBe(`<r xmlns="urn:a&quot;b"${xsi} xsi:nil="true"></r>`)
  })

  it('HDR-1: items of the root list and items of other lists have different element names', () => {
    const form = listOf(formed(object({ a: { type: 'array', items: { type: 'array', items: text } } })))
    expect(writeXml([{ a: [['x']] }], { root: 'pre-piezas', item: 'pre-pieza', form })).toBe(
      `${head}<pre-piezas><pre-pieza><a><item><item>x</item></item></a></pre-pieza></pre-piezas>`,
    )
    expect(writeXml([{ a: [['x']] }], { root: 'pre-piezas', item: 'pre-pieza', nestedItem: 'i', form })).toBe(
      `${head}<pre-piezas><pre-pieza><a><i><i>x</i></i></a></pre-pieza></pre-piezas>`,
    )
    expect(writeXml([{ a: [] }], { root: 'r', nestedItem: 'i', form })).toBe(`${head}<r><i><a></a></i></r>`)
    // If the root is not a list, the option `item` has no effect.
    expect(
      written({ a: [['x']] }, object({ a: { type: 'array', items: { type: 'array', items: text } } }), { item: 'no' }),
    ).not.toContain('<no>')
  })

  it('HDR-1: a name that is invalid in XML is written as an attribute value', () => {
    const odd = {
      '': 'a',
      member: 'b',
      xmlA: 'c',
      'a:b': 'd',
      'a b': 'e',
      '\t"<': 'f',
      '\0': 'g',
      '\ufffe': 'h',
      '1': 'i',
      '😀': 'j',
      ñ: 'k',
    }
    const schema = object(Object.fromEntries(Object.keys(odd).map((name) => [name, text])))
    expect(written(odd, schema)).toBe(
      [
        '<r><member name="1">i</member><member name="">a</member><member>b</member><member name="xmlA">c</member>',
        '<member name="a:b">d</member><member name="a b">e</member><member name="&#9;&quot;&lt;">f</member>',
        '<member name="&quot;\\u0000&quot;" name-encoding="json">g</member><member name="&quot;\\ufffe&quot;" ' +
          'name-encoding="json">h</member>',
        '<member name="😀">j</member><ñ>k</ñ></r>',
      ].join(''),
    )
  })

  it('HDR-1: a name with a character that parsers may treat as white space is written as an attribute value', () => {
    expect(written({ '\ufeff': 'a', 'b\u1680': 'c' }, {})).toBe(
      '<r type="object"><member name="\ufeff" type="string">a</member><member name="b\u1680" ' +
        'type="string">c</member></r>',
    )
  })

  it('HDR-1: text is escaped, or written as a JSON literal if XML cannot represent it', () => {
    expect(written(' <&>"\'\t\r\n]]>😀\u0085 ', text)).toBe('<r> &lt;&amp;&gt;"\'\t&#13;\n]]&gt;😀\u0085 </r>')
    expect(written('a\0<\ud800\uffff', text)).toBe('<r encoding="json">"a\\u0000&lt;\\ud800\\uffff"</r>')
    expect(written('\b', {})).toBe('<r type="string" encoding="json">"\\b"</r>')
  })

  it('HDR-1: values that do not exist in JSON are written as JSON.stringify converts them', () => {
    const value = {
      a: undefined,
      b: [undefined, () => 1],
      c: -0,
      d: Number.NaN,
      e: new Date(0),
      f: Symbol('s'),
      g: Object.create({ inherited: 1 }),
    }
    expect(written(value, {})).toBe(
      `<r${xsi} type="object"><b type="array"><item xsi:nil="true"></item><item xsi:nil="true"></item></b><c ` +
        'type="number">0</c><d xsi:nil="true"></d>' +
        '<e type="string">1970-01-01T00:00:00.000Z</e><g type="object"></g></r>',
    )
    expect(() => written({ a: 1n }, {})).toThrow(TypeError)
  })

  it('HDR-1: a problem has the element names and the namespace of RFC 9457 appendix B', () => {
    const problem = { type: 'https://example.com/p', errors: [{ detail: 'a' }] }
    const form = formed(object({ type: text, errors: { type: 'array', items: object({ detail: text }) } }))
    expect(writeXml(problem, { root: 'problem', namespace: 'urn:ietf:rfc:7807', nestedItem: 'i', form })).toBe(
      `${head}<problem ` +
        'xmlns="urn:ietf:rfc:7807"><type>https://example.com/p</type><errors><i><detail>a</detail></i></errors></problem>',
    )
  })

  it('HDR-1: only valid XML names are accepted for the root and the items', () => {
    for (const wrong of [
      { root: 'a b' },
      { root: '' },
      { root: 'a:b' },
      { root: 'r', item: '1' },
      { root: 'r', nestedItem: '<' },
    ]) {
      expect(() => writeXml(1, { form: openForm, ...wrong })).toThrow(/cannot be the name/)
    }
  })

  it('HDR-1: 2,000 member names in one object, more than the writer caches, are written correctly', () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`name${at}`, at]))
    const document = writeXml(many, { root: 'r', form: openForm })
    expect(writeXml(many, { root: 'r', form: openForm })).toBe(document)
    expect(document).toContain('<name1999 type="number">1999</name1999>')
  })
})

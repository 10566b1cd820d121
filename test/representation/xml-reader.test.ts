import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'
import { formOf, openForm } from '../../src/plan/form.js'
import { readXml } from '../../src/representation/xml-reader.js'

const text = { type: 'string' }
const schema: JsonSchema = {
  type: 'object',
  properties: {
    s: text,
    n: { type: 'number' },
    b: { type: 'boolean' },
    a: { type: 'array', items: { type: 'integer' } },
    o: { type: 'object', properties: { s: text } },
    open: {},
  },
}
const form = formOf(Shape.of(schema))
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const read = (document: string, depth = 32) => readXml(Buffer.from(document), undefined, form, { depth })
const inside = (content: string) => read(`<r ${xsi}>${content}</r>`)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapInUse(): number {
  collect()
  return process.memoryUsage().heapUsed
}

describe('readXml', () => {
  it.each<[string, unknown]>([
    ['<s> x </s><n> 7\n</n><b>1</b>', { s: ' x ', n: 7, b: true }],
    ['<a><x>1</x><x>2</x></a><o><s/></o>', { a: [1, 2], o: { s: '' } }],
    ['\n  <a>\n    <item>1</item>\n  </a>\n', { a: [1] }],
    ['<a/><o/><s/><open/>', { a: [], o: {}, s: '', open: '' }],
    ['<open><x>1</x></open>', { open: { x: '1' } }],
    ['<open type="array"><x type="integer">1</x><x type="null"/></open>', { open: [1, null] }],
    ['<s xsi:nil="true"/><n xsi:nil=" 1 "></n><b xsi:nil="false">false</b>', { s: null, n: null, b: false }],
    ['<s xmlns:q="http://www.w3.org/2001/XMLSchema-instance" q:nil="true"/>', { s: null }],
    ['<n>abc</n><b>yes</b>', { n: 'abc', b: 'yes' }],
    ['<n/><b/>', { n: '', b: '' }],
    ['<n>1.5e3</n><open type="number">-0</open>', { n: 1500, open: 0 }],
    ['<n type="string">7</n><s type="number">7</s>', { n: '7', s: 7 }],
    ['<n><x>1</x></n>', { n: { x: '1' } }],
    [
      '<member>1</member><member name="a b">2</member><member name="member2">3</member>',
      { member: '1', 'a b': '2', member2: '3' },
    ],
    ['<member name="&quot;\\u0000&quot;" name-encoding="json">1</member>', { '\0': '1' }],
    ['<s encoding="json">"\\ud800"</s>', { s: '\ud800' }],
    ['<p:s xmlns:p="urn:x" xml:lang="es" xsi:type="xs:string">x</p:s>', { s: 'x' }],
    ['<s>a<!-- -->b<![CDATA[<c>]]></s>', { s: 'ab<c>' }],
    ['<constructor>1</constructor><toString>2</toString>', { constructor: '1', toString: '2' }],
    ['<n>1152921504606847000</n>', { n: 2 ** 60 }],
  ])('HDR-5: %s is read as %j', (content, value) => {
    expect(inside(content)).toEqual({ value })
  })

  it.each<[string, string, string | undefined]>([
    ['<s>1</s><s>2</s>', 'A member occurs twice in one object.', '/s'],
    ['<o><s/><member name="s"/></o>', 'A member occurs twice in one object.', '/o/s'],
    ['<__proto__/>', 'A member must not be named "__proto__".', '/__proto__'],
    ['<member name="__proto__"/>', 'A member must not be named "__proto__".', '/__proto__'],
    ['<a><x>1</x><y>2</y></a>', 'All items of an array must be elements with the same name.', '/a/1'],
    ['<a>1</a>', 'An array is written as elements, and must not contain text of its own.', '/a'],
    ['<o>x<s/></o>', 'An object is written as elements, and must not contain text of its own.', '/o'],
    ['<s>x<y/></s>', 'An object is written as elements, and must not contain text of its own.', '/s'],
    ['<s type="string">x<y/></s>', 'An element of the type string must not contain elements.', '/s'],
    ['<n type="number">abc</n>', 'The attribute "type" is "number", but the text is not of that type.', '/n'],
    ['<n type="number"></n>', 'The attribute "type" is "number", but the text is not of that type.', '/n'],
    ['<n type="integer">1.5</n>', 'The attribute "type" is "integer", but the text is not of that type.', '/n'],
    ['<b type="boolean">yes</b>', 'The attribute "type" is "boolean", but the text is not of that type.', '/b'],
    ['<n>9007199254740993</n>', 'The integer has more digits than a double-precision number can represent.', '/n'],
    ['<a><x>1</x><x>1e400</x></a>', 'The number is too large for a double-precision number.', '/a/1'],
    ['<s xsi:nil="true">x</s>', 'An element that is null must be empty.', '/s'],
    ['<s xsi:nil="true"><x/></s>', 'An element that is null must be empty.', '/s'],
    ['<s xsi:nil="yes"/>', 'The attribute "xsi:nil" must be true or false.', '/s'],
    ['<s nil="true"/>', 'The attribute "nil" has no meaning here: write members as elements.', '/s'],
    [
      '<s xmlns:xsi="urn:x" xsi:nil="true"/>',
      'The attribute "nil" has no meaning here: write members as elements.',
      '/s',
    ],
    ['<o s="x"/>', 'The attribute "s" has no meaning here: write members as elements.', '/o'],
    [
      '<s type="int">1</s>',
      'The attribute "type" must be one of string, number, integer, boolean, object, array, null.',
      '/s',
    ],
    ['<s encoding="base64">YQ==</s>', 'The attribute "encoding" must be "json".', '/s'],
    [
      '<s encoding="json">7</s>',
      'The text must be a JSON string literal, because the attribute "encoding" is "json".',
      '/s',
    ],
    [
      '<s encoding="json">"x</s>',
      'The text must be a JSON string literal, because the attribute "encoding" is "json".',
      '/s',
    ],
    ['<n type="number" encoding="json">7</n>', 'Only a string may have the attribute "encoding".', '/n'],
    ['<s xsi:nil="true" encoding="json"/>', 'Only a string may have the attribute "encoding".', '/s'],
    [
      '<s name="x">1</s>',
      'Only an element named "member" that is a member of an object may have the attribute "name".',
      '/s',
    ],
    [
      '<a><member name="x">1</member></a>',
      'Only an element named "member" that is a member of an object may have the attribute "name".',
      '/a/0',
    ],
    [
      '<member name="x" name-encoding="json"/>',
      'The attribute "name" must be a JSON string literal, because "name-encoding" is "json".',
      '/member',
    ],
    [
      '<member name-encoding="json"/>',
      'The attribute "name" must be a JSON string literal, because "name-encoding" is "json".',
      '/member',
    ],
  ])('ERR-3: %s is refused: %s', (content, malformed, pointer) => {
    expect(inside(content)).toEqual({ malformed, pointer })
  })

  it('HDR-5: the depth limit counts nested arrays and objects, as it does for JSON', () => {
    const open = (document: string, depth: number) => readXml(document, undefined, openForm, { depth })
    expect(open('<r>x</r>', 0)).toEqual({ value: 'x' })
    expect(open('<r><a><b>x</b></a></r>', 2)).toEqual({ value: { a: { b: 'x' } } })
    expect(open('<r><a><b/></a></r>', 1)).toHaveProperty('malformed')
    expect(open('<r><a type="array"/></r>', 1)).toEqual({
      malformed: 'Arrays and objects may be nested at most 1 levels deep.',
      pointer: '/a',
    })
    expect(open('<r type="object"/>', 0)).toHaveProperty('pointer', '')
    expect(open(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`, Number.POSITIVE_INFINITY)).toHaveProperty('value')
  })

  it('HDR-5: reports an unknown charset and malformed bytes as different errors', () => {
    expect(readXml(Buffer.from('<r/>'), 'utf-7', form, { depth: 1 })).toEqual({ unsupportedCharset: 'utf-7' })
    expect(readXml(Uint8Array.of(0x3c, 0xff), undefined, form, { depth: 1 })).toEqual({
      malformed: 'The text is not valid UTF-8.',
    })
    expect(readXml(Buffer.from('<r>ñ</r>', 'latin1'), 'ISO-8859-1', openForm, { depth: 1 })).toEqual({ value: 'ñ' })
    expect(readXml('\ufeff<r>ñ</r>', 'utf-7', openForm, { depth: 1 })).toEqual({ value: 'ñ' })
  })

  it('HDR-5: a short string from a long document does not keep the document in memory', () => {
    const before = heapInUse()
    const kept = Array.from({ length: 100 }, (_, at) =>
      read(`<r><s>a text of some length ${at}</s><!--${'x'.repeat(1_000_000)}--></r>`),
    )
    expect(kept).toHaveLength(100)
    expect(heapInUse() - before).toBeLessThan(20_000_000)
  })

  const hostile: Record<string, string | Uint8Array> = {
    nothing: '',
    'white space': ' \n',
    'only a byte order mark': '\ufeff',
    text: 'x',
    JSON: '{"s":1}',
    'only a comment': '<!-- x -->',
    'only a declaration': '<?xml version="1.0"?>',
    'an external entity': '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r><s>&x;</s></r>',
    'an external entity with an http URL': '<!DOCTYPE r [<!ENTITY x SYSTEM "http://127.0.0.1:1/">]><r><s>&x;</s></r>',
    'a public entity': '<!DOCTYPE r [<!ENTITY x PUBLIC "-//X" "http://127.0.0.1/">]><r>&x;</r>',
    'an external DTD': '<!DOCTYPE r SYSTEM "http://127.0.0.1/r.dtd"><r/>',
    'a DTD without content': '<!DOCTYPE r><r/>',
    'an HTML doctype': '<!DOCTYPE html><html/>',
    'a parameter entity': '<!DOCTYPE r [<!ENTITY % x SYSTEM "file:///x"> %x;]><r/>',
    'a billion laughs': `<!DOCTYPE r [<!ENTITY a "ha">${'bcdefghij'
      .split('')
      .map((name, at) => `<!ENTITY ${name} "${`&${'abcdefghi'[at]};`.repeat(10)}">`)
      .join('')}]><r><s>&j;</s></r>`,
    'quadratic blow-up': `<!DOCTYPE r [<!ENTITY a "${'a'.repeat(50_000)}">]><r><s>${'&a;'.repeat(50_000)}</s></r>`,
    'an entity that contains itself': '<!DOCTYPE r [<!ENTITY a "&a;">]><r>&a;</r>',
    'default attributes': '<!DOCTYPE r [<!ATTLIST s type CDATA "number">]><r><s>1</s></r>',
    'a doctype in lower case': '<!doctype r><r/>',
    'a doctype in mixed case': '<!DocType r [<!ENTITY x "y">]><r>&x;</r>',
    'a doctype in the root': '<r><!DOCTYPE r></r>',
    'a doctype after the root': '<r/><!DOCTYPE r>',
    'an ENTITY in the root': '<r><!ENTITY x "y"></r>',
    'a doctype after a comment': '<!-- --><!DOCTYPE r><r/>',
    'a doctype that never ends': '<!DOCTYPE r [<r/>',
    'an unknown entity': '<r><s>&nbsp;</s></r>',
    'an unknown entity in an attribute': '<r type="&x;"/>',
    'a lone ampersand': '<r><s>R&D</s></r>',
    'an empty reference': '<r><s>&;</s></r>',
    'an entity in capitals': '<r><s>&AMP;</s></r>',
    'entities named like members of Object.prototype': '<r><s>&constructor;&__proto__;</s></r>',
    'NUL by reference': '<r><s>&#0;</s></r>',
    'a control character by reference': '<r><s>&#x1;</s></r>',
    'a surrogate by reference': '<r><s>&#xD800;</s></r>',
    'U+FFFE by reference': '<r><s>&#xFFFE;</s></r>',
    'a reference beyond U+10FFFF': '<r><s>&#x110000;</s></r>',
    'a huge reference': '<r><s>&#99999999999999999999;</s></r>',
    'a reference with a capital X': '<r><s>&#X41;</s></r>',
    'a negative reference': '<r><s>&#-65;</s></r>',
    NUL: '<r><s>\0</s></r>',
    'a control character': '<r><s>\u0007</s></r>',
    'U+FFFF': '<r><s>\uffff</s></r>',
    'half a surrogate pair': '<r><s>\ud800</s></r>',
    'NUL in a comment': '<r><!--\0--></r>',
    'NUL in CDATA': '<r><s><![CDATA[\0]]></s></r>',
    'NUL in an instruction': '<r><?x \0?></r>',
    'tags that do not match': '<r><s></r></s>',
    'tags that differ in case': '<r></R>',
    'tags that differ in prefix': '<p:r xmlns:p="u" xmlns:q="u"></q:r>',
    'a tag that is never closed': '<r><s>',
    'only an end tag': '</r>',
    'one end tag too many': '<r/></r>',
    'an empty end tag': '<r></>',
    'an end tag with attributes': '<r></r x="">',
    'two roots': '<r/><r/>',
    'text after the root': '<r/>x',
    'a reference after the root': '<r/>&#32;',
    'CDATA after the root': '<r/><![CDATA[]]>',
    'text before the root': 'x<r/>',
    'CDATA before the root': '<![CDATA[ ]]><r/>',
    'NUL after the root': '<r/>\0',
    'an attribute twice': '<r type="object" type="object"/>',
    'an attribute twice, with two prefixes of one namespace': '<r xmlns:p="u" xmlns:q="u" p:x="" q:x=""/>',
    'nil twice': `<r xmlns:q="http://www.w3.org/2001/XMLSchema-instance" ${xsi} xsi:nil="true" q:nil="false"/>`,
    'an attribute without quotes': '<r type=object/>',
    'an attribute without a value': '<r type/>',
    'attributes without white space': '<r type="object"encoding="json"/>',
    'a tag in an attribute': '<r type="<"/>',
    'an unbound prefix': '<r xsi:nil="true"/>',
    'an unbound prefix of an element': '<p:r/>',
    'a prefix bound to no namespace': '<r xmlns:p="u"><s xmlns:p=""/></r>',
    'a name with two colons': '<a:b:c xmlns:a="u"/>',
    'a name that starts with a colon': '<:r/>',
    'a name that ends with a colon': '<r:/>',
    'a name with a digit after its prefix': '<p:1 xmlns:p="u"/>',
    'the prefix xml bound to another namespace': '<r xmlns:xml="u"/>',
    'another prefix for the namespace of xml': '<r xmlns:p="http://www.w3.org/XML/1998/namespace"/>',
    'a declaration of the prefix xmlns': '<r xmlns:xmlns="u"/>',
    'xmlns as the prefix of an element': '<xmlns:r/>',
    'white space around a namespace': '<r xmlns:q=" http://www.w3.org/2001/XMLSchema-instance " q:nil="true"/>',
    'a flood of attributes': `<r ${Array.from({ length: 1_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
    'deep nesting': '<r>'.repeat(1_000),
    'a name that starts with a digit': '<1/>',
    'a space before a name': '< r/>',
    'a slash in a tag': '<r / >',
    'a name with a slash': '<r/s>',
    'only <': '<',
    'a tag in a tag': '<r <s/>/>',
    'CDATA in CDATA': '<r><s><![CDATA[<![CDATA[x]]>]]></s></r>',
    'the end of CDATA in text': '<r><s>]]></s></r>',
    'CDATA in lower case': '<r><s><![cdata[x]]></s></r>',
    'CDATA that is never closed': '<r><s><![CDATA[x]]</s></r>',
    'two hyphens in a comment': '<r><!-- a -- b --></r>',
    'three hyphens at the end of a comment': '<r><!-- a ---></r>',
    'a comment that is never closed': '<r><!-- a ->',
    'a comment in a tag': '<r <!-- x -->/>',
    'a declaration not at the start': ' <?xml version="1.0"?><r/>',
    'a declaration after a comment': '<!-- --><?xml version="1.0"?><r/>',
    'two declarations': '<?xml version="1.0"?><?xml version="1.0"?><r/>',
    'a declaration in the root': '<r><?xml version="1.0"?></r>',
    'a declaration in capitals': '<?XML version="1.0"?><r/>',
    'an instruction named xMl': '<r><?xMl x?></r>',
    'XML 1.1': '<?xml version="1.1"?><r/>',
    'XML 2.0': '<?xml version="2.0"?><r/>',
    'a declaration without a version': '<?xml encoding="utf-8"?><r/>',
    'a declaration with its parts in the wrong order': '<?xml version="1.0" standalone="yes" encoding="utf-8"?><r/>',
    'an invalid value of standalone': '<?xml version="1.0" standalone="maybe"?><r/>',
    'an instruction without a name': '<r><? x?></r>',
    'an instruction that is never closed': '<r><?x >',
    'two byte order marks': '\ufeff\ufeff<r/>',
    'a byte order mark in the middle': '<r>\ufeff<s/></r>',
    'UTF-16 without a byte order mark': Buffer.from('<r/>', 'utf16le'),
    'UTF-8 that is declared as UTF-16': Buffer.from('<?xml version="1.0" encoding="UTF-16"?><r/>'),
    'UTF-32': Uint8Array.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x3c),
    'little-endian UTF-32': Uint8Array.of(0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0),
    'overlong UTF-8': Uint8Array.of(0xc0, 0xbc, 0x72, 0x2f, 0x3e),
    'Latin-1 without a declaration': Buffer.from('<r>ñ</r>', 'latin1'),
    'UTF-8 that is declared as us-ascii': Buffer.from('<?xml version="1.0" encoding="us-ascii"?><r>ñ</r>'),
    EBCDIC: Uint8Array.of(0x4c, 0x6f, 0xa7, 0x94, 0x93),
    'a member as an attribute': '<r s="x"/>',
    'an attribute of another namespace': '<r xmlns:p="u" p:type="array"/>',
    'a member named __proto__': '<r><__proto__><s/></__proto__></r>',
    'a member named __proto__ with a prefix': '<r xmlns:p="u"><p:__proto__/></r>',
    '__proto__ in the attribute "name"': '<r><member name="&#95;_proto__"/></r>',
    '__proto__ in a JSON literal': '<r><member name="&quot;\\u005f_proto__&quot;" name-encoding="json"/></r>',
  }

  it.each(Object.entries(hostile))('HDR-5: a hostile or malformed document is refused: %s', (_, document) => {
    for (const bytes of typeof document === 'string' ? [Buffer.from(document), document] : [document]) {
      // Bytes cannot contain a lone surrogate, because Buffer.from() replaces it.
      if (typeof bytes !== 'string' && document === hostile['half a surrogate pair']) continue
      const result = readXml(bytes, undefined, form, { depth: 32 })
      expect(result).toHaveProperty('malformed', expect.stringMatching(/^[A-Z"].*\.$/))
      expect(JSON.stringify(result).length).toBeLessThan(400)
    }
  })

  it('HDR-5: refuses a document that declares the charset UTF-7', () => {
    expect(
      readXml(Buffer.from('<?xml version="1.0" encoding="UTF-7"?>+ADw-r/+AD4-'), undefined, form, { depth: 32 }),
    ).toEqual({
      unsupportedCharset: 'UTF-7',
    })
  })

  const valid = Buffer.from(
    '<?xml version="1.0" encoding="UTF-8"?><r ' +
      `${xsi}><s>ñ&amp;😀<![CDATA[<]]></s><n>1.5</n><a><i>1</i><i>2</i></a><o><s xsi:nil="true"/></o><member name="a ` +
      'b" type="number">7</member></r>',
  )

  it('HDR-5: a document that is cut off after any byte is malformed', () => {
    expect(readXml(valid, undefined, form, { depth: 32 })).toEqual({
      value: { s: 'ñ&😀<', n: 1.5, a: [1, 2], o: { s: null }, 'a b': 7 },
    })
    for (let end = 0; end < valid.length; end++) {
      expect(readXml(valid.subarray(0, end), undefined, form, { depth: 32 }), `the first ${end} bytes`).toHaveProperty(
        'malformed',
      )
    }
  })

  it('HDR-5: never throws for a document with random changes, and returns only values that exist in JSON', () => {
    const change = fc.tuple(
      fc.nat(valid.length - 1),
      fc.nat(4),
      fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc
          .constantFrom('<', '&', '"', '</s>', '<s>', ' x="1"', ' type="array"', ' xsi:nil="1"')
          .map((piece) => Buffer.from(piece)),
      ),
    )
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(form, openForm),
        fc.constantFrom(undefined, 'utf-16', 'iso-8859-1', 'us-ascii'),
        (changes, by, charset) => {
          let bytes = valid
          for (const [at, cut, piece] of changes)
            bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + cut)])
          const result = readXml(bytes, charset, by, { depth: 32 })
          if ('value' in result) expect(JSON.parse(JSON.stringify(result.value))).toEqual(result.value)
          else expect(Object.values(result)[0]).toBeTypeOf('string')
        },
      ),
      { numRuns: 5_000 },
    )
  })
})

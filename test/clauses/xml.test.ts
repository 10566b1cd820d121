import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { frameworks, shared } from './fixture.js'

const asXml = { Accept: 'application/xml' }
const inXml = { 'Content-Type': 'application/xml' }

/** An XML parser that is independent of the library. */
const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: false })
// biome-ignore lint/suspicious/noExplicitAny: each test checks the parts that it reads
const read = (document: string): any => {
  expect(XMLValidator.validate(document)).toBe(true)
  return parser.parse(document)
}

/**
 * An XML writer that is independent of the library and follows the documented mapping. Each value
 * except null has a `type` attribute.
 */
function document(value: unknown, name = 'bolsa', top = true): string {
  const open = /^[A-Za-z_][\w.-]*$/.test(name) && !/^xml/i.test(name) ? name : 'member'
  const named =
    open === name
      ? ''
      : writable(name)
        ? ` name="${escaped(name)}"`
        : ` name="${escaped(literal(name))}" name-encoding="json"`
  const attributes = (top ? ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance"' : '') + named
  const element = (more: string, content: string): string => `<${open}${attributes}${more}>${content}</${open}>`
  if (value === null) return element(' i:nil="true"', '')
  if (Array.isArray(value)) return element(' type="array"', value.map((one) => document(one, 'item', false)).join(''))
  if (typeof value === 'object') {
    const members = Object.entries(value).map(([member, one]) => document(one, member, false))
    return element(' type="object"', members.join('\n'))
  }
  if (typeof value !== 'string') return element(` type="${typeof value}"`, String(value))
  return writable(value)
    ? element(' type="string"', escaped(value))
    : element(' type="string" encoding="json"', escaped(literal(value)))
}

const writable = (text: string): boolean => !/[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text)
const literal = (text: string): string =>
  JSON.stringify(text).replace(/[\ufffe\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`)
const escaped = (text: string): string => text.replace(/[&<>"\t\n\r]/g, (one) => `&#${one.charCodeAt(0)};`)

/**
 * Strings that are difficult in XML: control characters, lone surrogates, ends of CDATA sections,
 * and surrounding white space.
 */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    '',
    ' ',
    '\r\n',
    '\t',
    ']]>',
    '<a>&amp;',
    '\u0000',
    '\ud800',
    '\udc00x',
    '\ufffe',
    '\uffff',
    ' x ',
    '\u2028',
    '1',
    'true',
    'null',
  ),
)
const name = fc
  .oneof(
    text,
    fc.constantFrom('', 'member', 'item', 'name', 'type', 'xmlX', 'a:b', '1', 'año', '数', 'constructor', 'x y', '😀'),
  )
  .filter((one) => one !== '__proto__')
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}))
const canonical = (given: unknown): string =>
  JSON.stringify(given, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

describe.each(frameworks)('HDR-1, HDR-5: XML on %s', (_name, express) => {
  const { send } = shared(express)

  it('HDR-1: an item in XML is an element with the singular name, and a null member has xsi:nil', async () => {
    for (const type of ['application/xml', 'text/xml']) {
      const answer = await send('GET', '/v8/piezas/1', { Accept: type })
      expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([
        200,
        `${type}; charset=utf-8`,
        'Accept',
      ])
      expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
      const { pieza } = read(answer.text)
      expect(pieza).toMatchObject({
        numero: '1',
        lote: 'A',
        peso: '0',
        fecha: '2024-01-01T08:00:00.0000001',
        marcas: { item: 'fragil' },
        destino: { calle: 'Calle Mayor 0', cp: { '@_xsi:nil': 'true' } },
        contrato: {
          href: expect.stringMatching(/^http:.*\/v8\/contratos\/C1$/),
          esUrgente: 'true',
          estaActivo: 'true',
        },
        componentes: { href: expect.stringMatching(/\/v8\/piezas\/1\/componentes$/) },
      })
      expect(answer.text).not.toMatch(/ type=/)
    }
  })

  it('HDR-1: a list in XML is an element with the collection name, even if it has one item or none', async () => {
    const { text, headers } = await send('GET', '/v8/piezas?limit=2', asXml)
    expect([read(text).piezas.pieza.length, headers['x-total-count'], headers.link !== undefined]).toEqual([
      2,
      '12',
      true,
    ])
    expect(read((await send('GET', '/v8/clientes?limit=1', asXml)).text).clientes.cliente).toMatchObject({
      nombre: 'Ana',
    })
    expect((await send('GET', '/v8/piezas?lote=Z', asXml)).text).toMatch(/<piezas[^>]*(?:\/>|><\/piezas>)$/)
    const head = await send('HEAD', '/v8/piezas?limit=2', asXml)
    expect([head.headers['content-length'], head.text]).toEqual([String(Buffer.byteLength(text)), ''])
  })

  it('REP-2: an expanded record in XML has no type attributes, because its schema has the types', async () => {
    const { text } = await send('GET', '/v8/piezas/1?expand=contrato', asXml)
    expect(read(text).pieza.contrato).toMatchObject({
      codigo: 'C1',
      descripcion: 'uno',
      cliente: { href: expect.any(String) },
    })
    expect(text).not.toMatch(/ type=/)
  })

  it('ERR-3: with any XML media type in Accept, problems have the XML form of RFC 9457', async () => {
    for (const accept of [
      'application/xml',
      'text/xml',
      'application/problem+xml',
      'text/html, application/xml;q=0.1',
    ]) {
      const answer = await send('GET', '/v8/piezas?offset=1&sort=-', { Accept: accept })
      expect([answer.status, answer.headers['content-type']]).toEqual([
        accept === 'application/problem+xml' ? 415 : 400,
        'application/problem+xml',
      ])
      const { problem } = read(answer.text)
      expect(problem['@_xmlns']).toBe('urn:ietf:rfc:7807')
      expect([problem.status, [problem.errors.i].flat().length > 0]).toEqual([String(answer.status), true])
    }
    const unknown = read((await send('GET', '/v8/piezas?offset=1', asXml)).text).problem
    expect(unknown).toMatchObject({
      code: 'invalid-query',
      instance: '/v8/piezas',
      errors: { i: { parameter: 'offset', suggestion: 'offest' } },
    })
    expect((await send('GET', '/v9/piezas', asXml)).headers['content-type']).toBe('application/problem+xml')
  })

  it('PATH-8: the result of an endpoint in XML has type attributes', async () => {
    const { text } = await send('GET', '/v8/search?q=a&n=3', asXml)
    expect(read(text).search).toMatchObject({
      found: { '#text': 'a', '@_type': 'string' },
      n: { '#text': '3', '@_type': 'number' },
    })
  })

  it('HDR-2: the XML and JSON of an item have different Etags, and If-Match accepts the XML Etag', async () => {
    const json = (await send('GET', '/v8/piezas/2')).headers.etag as string
    const xml = (await send('GET', '/v8/piezas/2', asXml)).headers.etag as string
    expect(xml).not.toBe(json)
    expect((await send('GET', '/v8/piezas/2', { ...asXml, 'If-None-Match': xml })).status).toBe(304)
    expect((await send('GET', '/v8/piezas/2', { ...asXml, 'If-None-Match': json })).status).toBe(200)
    expect((await send('PATCH', '/v8/piezas/2', { 'If-Match': xml }, { lote: 'A' })).status).toBe(200)
  })

  it('REP-7: PUT accepts the unchanged XML of a GET, plain or expanded', async () => {
    for (const path of [
      '/v8/piezas/3',
      '/v8/piezas/3?expand=contrato',
      '/v8/contratos/C1',
      '/v8/notas/a%2Fb%3Fc%23d',
      '/v8/piezas/1/componentes/numeroDeCabecera=1,secuencia=1',
    ]) {
      const before = (await send('GET', path)).json
      const { text } = await send('GET', path, asXml)
      const put = await send('PUT', path, { ...inXml, ...asXml }, text)
      expect([path, put.status, put.text]).toEqual([path, 200, text])
      expect((await send('GET', path)).json).toEqual(before)
    }
  })

  it('VERB-2: POST accepts XML, and a 422 or 400 names the invalid member by its pointer', async () => {
    const made = await send(
      'POST',
      '/v8/piezas',
      { ...inXml, Prefer: 'return=representation' },
      '<pieza><lote>X</lote><peso> 1.5 </peso></pieza>',
    )
    expect([made.status, made.json.lote, made.json.peso]).toEqual([201, 'X', 1.5])
    const named = async (body: string, type = 'application/xml'): Promise<unknown> => {
      const { status, json } = await send('POST', '/v8/piezas', { 'Content-Type': type }, body)
      return [status, (json.errors as { pointer?: string }[]).map(({ pointer }) => pointer)]
    }
    expect(await named('<pieza><lote>X</lote><peso>heavy</peso></pieza>')).toEqual([422, ['/peso']])
    expect(await named('<pieza><lote>X</lote><loti>X</loti></pieza>', 'text/xml; charset="utf-8"')).toEqual([
      422,
      ['/loti'],
    ])
    expect(await named('<pieza><lote>X</lote><lote>X</lote></pieza>')).toEqual([400, ['/lote']])
    expect(await named('<pieza><numero>9007199254740993</numero><lote>X</lote></pieza>')).toEqual([400, ['/numero']])
  })

  it('VERB-5: PATCH in XML changes only the members in its body, and xsi:nil sets a member to null', async () => {
    const patch =
      '<p xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><peso ' +
      'xsi:nil="true"/><destino><calle>Otra</calle></destino></p>'
    const { status, json } = await send('PATCH', '/v8/piezas/5', inXml, patch)
    expect([status, json.peso, json.destino, json.lote]).toEqual([200, null, { calle: 'Otra', cp: 28004 }, 'A'])
    expect(
      (await send('PATCH', '/v8/piezas/5', { 'Content-Type': 'text/plain' }, 'x')).headers['accept-patch'],
    ).toContain('application/xml')
  })

  it('HDR-5: XML bodies can have the charsets of RFC 7303, and an unknown charset gets 415', async () => {
    const body = '<cliente><id>1</id><nombre>Añó</nombre></cliente>'
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body, 'utf16le')])
    for (const [type, bytes] of [
      ['application/xml', Buffer.from(body)],
      ['application/xml; charset=iso-8859-1', Buffer.from(body, 'latin1')],
      ['application/xml', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${body}`, 'latin1')],
      ['text/xml', utf16],
      ['application/xml; charset=utf-16', utf16],
    ] as const) {
      const answer = await send('PUT', '/v8/clientes/1', { 'Content-Type': type }, bytes)
      expect([type, answer.status, answer.json.nombre]).toEqual([type, 200, 'Añó'])
    }
    expect((await send('PUT', '/v8/clientes/1', inXml, Buffer.from(body, 'latin1'))).status).toBe(400)
    expect(
      (await send('PUT', '/v8/clientes/1', { 'Content-Type': 'application/xml; charset=ebcdic' }, body)).status,
    ).toBe(415)
    await send('PUT', '/v8/clientes/1', {}, { id: 1, nombre: 'Ana' })
  })

  it('HDR-5: random JSON values survive a PUT in XML, a GET in XML and another PUT', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 6 }), async (members) => {
        const bag = { ...members, id: 1 }
        const put = await send('PUT', '/v8/bolsas/1', inXml, document(bag))
        expect([put.status, put.text]).toEqual([200, expect.any(String)])
        const got = await send('GET', '/v8/bolsas/1')
        expect(canonical(got.json)).toBe(canonical(bag))
        const again = await send('PUT', '/v8/bolsas/1', { ...inXml }, (await send('GET', '/v8/bolsas/1', asXml)).text)
        expect(canonical(again.json)).toBe(canonical(bag))
      }),
      { numRuns: 80 },
    )
  }, 60_000)
})

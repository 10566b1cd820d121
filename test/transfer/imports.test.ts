import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api, mount } from '../../src/index.js'
import { csv, imports, ndjson } from '../../src/transfer/index.js'
import { frameworks, listen, problem, type Served } from '../clauses/fixture.js'
import { clientes, clientesOf, pedidos, pedidosOf } from './fixture.js'

const into = (adapter = pedidosOf(0), more = {}, options = {}) =>
  api({
    timeout: 1000,
    onError: () => {},
    versions: {
      v1: [
        mount(pedidos, adapter, { exports: { formats: [csv(), ndjson()] } }),
        mount(clientes, clientesOf()),
        imports('cargas', pedidos, {
          description: 'Takes orders from a file.',
          formats: [csv({ escapeFormulas: true }), ndjson()],
          transaction: 'none',
          maxRows: 300,
          bodyLimit: 100_000,
          ...more,
        }),
      ],
    },
    ...options,
  })

describe.each(frameworks)('imports on %s', (_, express) => {
  let served: Omit<Served, 'data'>
  beforeAll(async () => {
    served = await listen(express().use(into()))
  })
  afterAll(() => served.close())
  const post = (body: string | Uint8Array, type = 'text/csv', query = '', headers = {}) =>
    served.send('POST', `/v1/cargas${query}`, { 'content-type': type, ...headers }, body)
  let next = 1000
  const fresh = () => {
    next += 1
    return next
  }

  it('VERB-2: each row is created as a POST would create it, with defaults, links and typed values', async () => {
    const id = fresh()
    const answer = await post(
      `id,nota,importe,marcas,destino.calle,cliente.id,secreto\r\n${id},"a ""b"", ` +
        `c",12.5,"[""x""]",Mayor,1,shh\r\n${id + 5000},'=1,,,,,`,
    )
    expect([answer.status, answer.json]).toEqual([200, { rows: 2, created: 2, dryRun: false }])
    expect((await served.send('GET', `/v1/pedidos/${id}`)).json).toEqual({
      id,
      nota: 'a "b", c',
      importe: 12.5,
      urgente: false,
      marcas: ['x'],
      destino: { calle: 'Mayor', cp: null },
      cliente: { href: `${served.origin}/v1/clientes/1`, nombre: 'Ana' },
    })
    expect((await served.send('GET', `/v1/pedidos/${id + 5000}`)).json).toMatchObject({
      nota: '=1',
      importe: null,
      destino: null,
      cliente: null,
    })
  })

  it('REP-7: an import accepts an export in CSV and in NDJSON, with and without "expand"', async () => {
    const source = await listen(express().use(into(pedidosOf(25))))
    try {
      for (const accept of ['text/csv', 'application/x-ndjson']) {
        for (const query of ['', '?expand=cliente']) {
          const all = await source.send('GET', `/v1/pedidos${query}`, { accept })
          const target = await listen(express().use(into()))
          try {
            const body = all.text.replaceAll(source.origin, target.origin)
            const taken = await target.send('POST', '/v1/cargas', { 'content-type': accept }, body)
            expect(taken.json).toEqual({ rows: 25, created: 25, dryRun: false })
            const again = await target.send('GET', `/v1/pedidos${query}`, { accept })
            expect(again.text).toBe(body)
          } finally {
            await target.close()
          }
        }
      }
    } finally {
      await source.close()
    }
  })

  it('ERR-2, ERR-3: one response reports the violations of all rows, and nothing is written', async () => {
    const id = fresh()
    const answer = await post(
      `id,nota,importe,urgente,cliente.id\n${id},ok,1,true,\n${id + 1},"x\ny",much,yes,\n${id + 2},x,1,true,99\n${id},twice,1,,\n${id + 3},x\n`,
    )
    expect(problem(answer)).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/1/importe', '/1/urgente', '/4', '/2/cliente', '/3/id'],
    })
    expect(answer.json.detail).toContain('5 violations in 4 of 5 rows. Nothing was written.')
    expect(answer.json.errors[0]).toMatchObject({
      detail: 'Line 3: "importe" must be a number such as 12.5.',
      code: 'type',
      params: { types: ['number'] },
    })
    expect(answer.json.errors[3].detail).toContain('Line 5: ')
    expect((await served.send('GET', `/v1/pedidos/${id}`)).status).toBe(404)
  })

  it('a dry run validates everything and writes nothing', async () => {
    const id = fresh()
    const answer = await post(`id,nota\n${id},x\n`, 'text/csv', '?dryRun=true')
    expect(answer.json).toEqual({ rows: 1, created: 0, dryRun: true })
    expect((await served.send('GET', `/v1/pedidos/${id}`)).status).toBe(404)
    expect((await post(`id,nota\n${id},\n`, 'text/csv', '?dryRun=true')).status).toBe(422)
    expect((await post('id,nota\n', 'text/csv', '?dry=true')).status).toBe(400)
  })

  it('REP-8: unknown, repeated and missing columns are reported once, and a similar name is suggested', async () => {
    const answer = await post('id,nota,importee,nota\n1,x,1,y\n')
    expect(answer.json.errors).toMatchObject([
      {
        detail: '"importee" in the header row is not a known column. Did you mean "importe"?',
        code: 'unknown',
        suggestion: 'importe',
      },
      { detail: 'Two columns are named "nota".', code: 'repeated' },
    ])
    expect((await post('id;nota\n1;x\n')).json.detail).toContain('Cells are separated by ",", not by ";".')
    expect((await post('')).status).toBe(400)
    expect((await post('nota\nx\ny\n')).json.errors).toMatchObject([{ code: 'required', params: { member: 'id' } }])
  })

  it.each([
    ['a quote that is never closed', 'id,nota\n1,"x\n2,y\n', 'line 2, a quote is opened and never closed'],
    ['text after a closing quote', 'id,nota\n1,"x"y\n', 'line 2, something follows a closing quote'],
    ['a quote within an unquoted cell', 'id,nota\n1,x"y\n', 'line 2, there is a quote within an unquoted cell'],
    ['UTF-16', Buffer.from('\uFEFFid,nota\n', 'utf16le'), 'The file is UTF-16'],
    ['UTF-16 without a byte order mark', Buffer.from('id,nota\n', 'utf16le'), 'it may be UTF-16'],
    ['Latin-1', Buffer.from('id,nota\n1,año\n', 'latin1'), 'not UTF-8'],
  ])('HDR-5: the response to a file with the fault "%s" is 400', async (__, body, message) => {
    const answer = await post(body)
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed-body'])
    expect(answer.json.detail).toContain(message)
  })

  it('an import accepts a byte order mark, CRLF and a missing last line end', async () => {
    const id = fresh()
    expect((await post(`\uFEFFid,nota\r\n${id},x`)).json.created).toBe(1)
    expect((await served.send('GET', `/v1/pedidos/${id}`)).json.nota).toBe('x')
  })

  it('HDR-5: an import accepts gzip, but refuses XML, charsets except UTF-8, long files and zip bombs', async () => {
    const other = await post('<a/>', 'application/xml')
    expect([other.status, other.headers.accept]).toEqual([415, 'text/csv, application/x-ndjson, multipart/form-data'])
    expect((await post('id,nota\n', 'text/csv; charset=iso-8859-1')).status).toBe(400)
    expect((await post('x'.repeat(100_001))).status).toBe(413)
    const rows = await post(`id,nota\n${'1,x\n'.repeat(301)}`)
    expect([rows.status, rows.json.detail]).toEqual([
      413,
      'A file must not have more than 300 rows. Nothing was changed.',
    ])
    expect((await post(gzipSync('x'.repeat(10_000_000)), 'text/csv', '', { 'content-encoding': 'gzip' })).status).toBe(
      413,
    )
    const id = fresh()
    expect(
      (await post(gzipSync(`id,nota\n${id},x\n`), 'text/csv', '', { 'content-encoding': 'gzip' })).json.created,
    ).toBe(1)
  })

  it('the response lists only the first 100 violations, and states how many there are in total', async () => {
    const answer = await post(`id,nota,importe\n${'1,x,y\n'.repeat(250)}`)
    expect(answer.json.errors).toHaveLength(100)
    expect(answer.json.detail).toContain('250 violations in 250 of 250 rows. The first 100 violations are listed.')
  })

  it('NDJSON: lines that are not JSON objects are reported together with the violations of other lines', async () => {
    const id = fresh()
    const answer = await post(
      `{"id":${id},"nota":"x"}\n\n[1]\n{"id":1,"id":2}\n{"id":${id + 1},"nota":1}\n`,
      'application/x-ndjson',
    )
    expect(problem(answer)).toMatchObject({ status: 422, named: ['/1', '/2/id', '/3/nota'] })
    expect(answer.json.errors[0].detail).toMatch(/^Line 3: /)
  })

  const form = (parts: readonly string[], boundary = 'XX') =>
    `${parts.map((part) => `--${boundary}\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--${boundary}--\r\n`
  const multipart = 'multipart/form-data; boundary=XX'

  it('RFC 7578: a form with the single part "file" is accepted, whatever the file is called', async () => {
    const id = fresh()
    const file = `name="file"; filename="../../etc/passwd"\r\nContent-Type: text/csv\r\n\r\nid,nota\r\n${id},x`
    expect((await post(form([file]), multipart)).json).toEqual({ rows: 1, created: 1, dryRun: false })
  })

  it.each([
    [
      'a part that is not named "file"',
      form(['name="datei"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nid\r\n']),
      'A part is named \\"datei\\"',
    ],
    ['a field that is not a file', form(['name="color"\r\n\r\nred']), 'A part is named \\"color\\"'],
    ['no part', '--XX--\r\n', 'The form'],
    [
      'two files',
      form([1, 2].map(() => 'name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nid\r\n')),
      'The form has several parts',
    ],
    ['a thousand parts', form(Array.from({ length: 1000 }, () => 'name="a"\r\n\r\n1')), 'A part is named'],
    [
      'a truncated part',
      '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nid',
      'The form is incomplete or malformed',
    ],
  ])('RFC 7578: the response to a form with %s is 400', async (__, body, message) => {
    const answer = await post(body, multipart)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(message)
  })

  it('RFC 7578: a form without a boundary gets 400, and a part with an unsupported media type gets 415', async () => {
    expect((await post('x', 'multipart/form-data')).status).toBe(400)
    const file = 'name="file"; filename="a.xlsx"\r\nContent-Type: application/vnd.ms-excel\r\n\r\nid\r\n'
    expect((await post(form([file]), multipart)).status).toBe(415)
  })

  it.each(['base64', 'quoted-printable', 'BASE64'])(
    'RFC 7578 4.7: a part with the transfer encoding %s is refused',
    async (encoding) => {
      const head =
        'Content-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: ' +
        `text/csv\r\nContent-Transfer-Encoding: ${encoding}`
      const answer = await post(
        `--b\r\n${head}\r\n\r\nid,nota\n1,x=3D\n\r\n--b--\r\n`,
        'multipart/form-data; boundary=b',
      )
      expect(problem(answer)).toMatchObject({ status: 400, code: 'malformed-body' })
      expect(answer.json.detail).toMatch(/Send it without an encoding\.$/)
    },
  )

  it('AUTH-4: a caller without permission to create orders gets 403 for an import of orders', async () => {
    const guarded = await listen(
      express().use(
        into(
          pedidosOf(0),
          {},
          {
            principal: () => ({ sub: 'x' }),
            permission: (_p: unknown, action: string, resource: string) =>
              action === 'create' && resource === 'pedidos' ? 'forbidden' : 'allow',
          },
        ),
      ),
    )
    try {
      const answer = await guarded.send('POST', '/v1/cargas', { 'content-type': 'text/csv' }, 'id,nota\n1,x\n')
      expect(problem(answer)).toMatchObject({ status: 403, code: 'forbidden' })
      // The permission is checked before the file is read (ERR-2).
      for (const [type, body] of [
        ['image/png', 'x'],
        ['text/csv', 'x'.repeat(200_000)],
        ['text/csv', ''],
      ] as const)
        expect((await guarded.send('POST', '/v1/cargas?dry=1', { 'content-type': type }, body)).status).toBe(403)
      expect((await guarded.send('GET', '/v1/pedidos/1')).status).toBe(404)
    } finally {
      await guarded.close()
    }
  })
})

describe('options of imports', () => {
  const of = (options: object) => () =>
    imports('cargas', pedidos, { description: 'x', formats: [csv()], transaction: 'none', ...options } as never)
  it.each([
    [
      { transaction: undefined },
      '"transaction" of imports("cargas") is missing. Give a function that runs work in a transaction',
    ],
    [{ transaction: 7 }, '"transaction" of imports("cargas") is 7. Give a function that runs work in a transaction'],
    [{ formats: [] }, '"formats" of imports("cargas") is an empty list. Give a list of results of csv() and ndjson()'],
    [{ formats: [csv(), csv()] }, 'two formats with the media type "text/csv"'],
    [{ maxRows: 0 }, '"maxRows" of imports("cargas") is 0. Give a whole number from 1.'],
    [{ maxrows: 5 }, 'Did you mean "maxRows"?'],
    [{ description: '' }, 'has no description'],
  ])('%o is refused at startup', (options, message) => {
    expect(of(options)).toThrow(message)
  })
})

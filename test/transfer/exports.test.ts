import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mount, resourceRouter } from '../../src/index.js'
import { ndjson } from '../../src/transfer/index.js'
import { frameworks, listen, problem, type Served, wire } from '../clauses/fixture.js'
import { clientes, clientesOf, pedidos, pedidosOf, service } from './fixture.js'

const rows = (text: string): readonly { readonly id: number }[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

describe.each(frameworks)('exports on %s', (_, express) => {
  let served: Omit<Served, 'data'>
  beforeAll(async () => {
    served = await listen(express().use(service()))
  })
  afterAll(() => served.close())
  const get = (path: string, accept = 'application/x-ndjson', headers = {}) =>
    served.send('GET', path, { accept, ...headers })

  it('PATH-4: a GET with "Accept: text/csv" returns the whole list as CSV, with a header row', async () => {
    const answer = await get('/v1/pedidos', 'text/csv')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(answer.headers).not.toHaveProperty('content-length')
    expect(answer.headers).not.toHaveProperty('etag')
    expect(answer.headers).not.toHaveProperty('link')
    expect(answer.headers['x-total-count']).toBe('25')
    expect(answer.headers.vary).toContain('Accept')
    expect(answer.headers['cache-control']).toBe('no-cache')
    const lines = answer.text.split('\r\n')
    expect(lines).toHaveLength(27)
    expect(lines[0]).toBe('id,nota,importe,urgente,marcas,destino.calle,destino.cp,cliente.href,cliente.nombre')
    expect(lines[1]).toBe(`1,nota 1,,true,"[""a"",""b""]","Mayor 1; 2º",,${served.origin}/v1/clientes/1,Ana`)
    expect(lines[2]).toBe('2,nota 2,0.25,false,[],,,,')
    expect(lines[26]).toBe('')
  })

  it('PATH-4: an NDJSON export has the same records as the pages, one JSON object per line', async () => {
    const whole = await get('/v1/pedidos')
    expect(whole.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const pages = await Promise.all(
      [1, 2, 3].map((page) => get(`/v1/pedidos?limit=10&offest=${page}`, 'application/json')),
    )
    expect(rows(whole.text)).toEqual(pages.flatMap(({ json }) => json))
    expect(whole.text).not.toContain('secreto')
  })

  it('QUERY-1, QUERY-2, QUERY-3, QUERY-6: filters, "sort", "q" and "expand" apply to an export', async () => {
    const found = rows((await get('/v1/pedidos?urgente=true&sort=-importe')).text)
    expect(found.map(({ id }) => id)).toEqual([21, 11, 1, 25, 23, 19, 17, 15, 13, 9, 7, 5, 3])
    expect(rows((await get('/v1/pedidos?q=nota%2021')).text).map(({ id }) => id)).toContain(21)
    const [first] = rows((await get('/v1/pedidos?expand=cliente&q=nota')).text)
    expect(first).toMatchObject({ id: 1, cliente: { id: 1, nombre: 'Ana' } })
    const table = await get('/v1/pedidos?expand=cliente', 'text/csv')
    expect(table.text.split('\r\n')[0]).toContain('cliente.href,cliente.nombre,cliente.pedidos.href,cliente.id')
  })

  it('QUERY-4, QUERY-5, QUERY-7, QUERY-8: an export refuses paging parameters and unknown parameters', async () => {
    const answer = await get('/v1/pedidos?limit=5&offest=2&after=x&color=1')
    expect(problem(answer)).toEqual({
      status: 400,
      code: 'invalid-query',
      named: ['offest', 'limit', 'after', 'color'],
    })
    expect(answer.json.detail).toContain('An export contains the whole list and has no pages: leave "offest" out.')
  })

  it('PATH-7: an export under a parent has only the records of that parent; a missing parent gets 404', async () => {
    const found = rows((await get('/v1/clientes/1/pedidos')).text)
    expect(found.map(({ id }) => id)).toEqual([1, 4, 7, 10, 13, 16, 19, 22, 25])
    expect((await get('/v1/clientes/9/pedidos')).status).toBe(404)
  })

  it('VERB-8: the response to HEAD has the headers of the export, but no body', async () => {
    const head = await served.send('HEAD', '/v1/pedidos', { accept: 'text/csv' })
    expect(head.status).toBe(200)
    expect(head.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(head.headers['x-total-count']).toBe('25')
    expect(head.headers).not.toHaveProperty('content-length')
    expect(head.text).toBe('')
  })

  it('HDR-1: "Accept: */*" gets a page; an item cannot be exported; a 415 response names the formats', async () => {
    expect((await get('/v1/pedidos', '*/*')).headers['content-type']).toContain('application/json')
    expect((await get('/v1/pedidos/1', 'text/csv')).status).toBe(415)
    expect((await get('/v1/clientes', 'text/csv')).status).toBe(415)
    expect((await get('/v1/pedidos', 'image/png')).text).toContain('text/csv')
    expect((await get('/v1/pedidos', 'text/csv;header=absent')).status).toBe(415)
  })

  it('HDR-3, HDR-4: exports have no ETag: If-None-Match never gets 304, and a tag in If-Match gets 412', async () => {
    expect((await get('/v1/pedidos', 'text/csv', { 'if-none-match': '"x"' })).status).toBe(200)
    expect((await get('/v1/pedidos', 'text/csv', { 'if-none-match': '*' })).status).toBe(200)
    expect((await get('/v1/pedidos', 'text/csv', { 'if-match': '"x"' })).status).toBe(412)
  })

  it('ERR-1: an export over HTTP/1.0 is refused, because a truncated response would look complete', async () => {
    const answer = await wire(served.port, 'GET /v1/pedidos HTTP/1.0\r\nHost: localhost\r\nAccept: text/csv\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('HTTP/1.1')
    const chunked = await wire(
      served.port,
      'GET /v1/pedidos HTTP/1.1\r\nHost: localhost\r\nAccept: text/csv\r\nConnection: close\r\n\r\n',
    )
    expect(chunked).toMatch(/transfer-encoding: chunked/i)
    expect(chunked).toMatch(/\r\n0\r\n\r\n$/)
  })

  it('an export of an empty list is only a header row in CSV, and is empty in NDJSON', async () => {
    const empty = await listen(express().use(service(pedidosOf(0))))
    try {
      expect((await empty.send('GET', '/v1/pedidos', { accept: 'text/csv' })).text).toMatch(/^id,nota,[^\r]*\r\n$/)
      const lines = await empty.send('GET', '/v1/pedidos', { accept: 'application/x-ndjson' })
      expect([lines.status, lines.text]).toEqual([200, ''])
    } finally {
      await empty.close()
    }
  })
})

it('PATH-4: a resourceRouter() exports in the same way as api()', async () => {
  const [[, express]] = frameworks as unknown as [[string, () => import('express').Express]]
  const exports = { formats: [ndjson()] }
  const served = await listen(
    express().use('/v1', resourceRouter(pedidos, pedidosOf(25), { related: [mount(clientes, clientesOf())], exports })),
  )
  try {
    const answer = await served.send('GET', '/v1/pedidos', { accept: 'application/x-ndjson' })
    expect(rows(answer.text).map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
    expect((await served.send('GET', '/v1/pedidos', { accept: 'text/csv' })).status).toBe(415)
  } finally {
    await served.close()
  }
})

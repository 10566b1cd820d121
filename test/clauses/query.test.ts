import { describe, expect, it } from 'vitest'
import { frameworks, problem, serve, shared } from './fixture.js'

/** The paths of the links in a `Link` field, by relation. */
const linksOf = (link: unknown): Record<string, string> =>
  Object.fromEntries(
    [...String(link).matchAll(/<https?:\/\/[^/]*([^>]*)>; rel="(\w+)"/g)].map(([, path, rel]) => [rel, path]),
  )

const decoded = (cursor: string): unknown[] => JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
const encoded = (parts: unknown): string =>
  Buffer.from(typeof parts === 'string' ? parts : JSON.stringify(parts)).toString('base64url')

/** The `Link` field without the cursors (`after=...`) in its URLs. */
const withoutCursors = (link: unknown): string => String(link).replace(/&after=[\w-]+/g, '')

describe.each(frameworks)('the QUERY clauses on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service
  const numbers = async (query: string) => {
    const { status, json } = await send('GET', `/v8/piezas?${query}`)
    return status === 200
      ? json.map((item: { numero: number }) => item.numero)
      : [status, ...json.errors.map((error: { parameter: string }) => error.parameter)]
  }

  it('QUERY-1: filters are typed by the schema and combined by AND', async () => {
    expect(await numbers('lote=A')).toEqual([1, 2, 3, 4, 5, 6])
    expect(await numbers('lote=A&estado=nueva')).toEqual([1, 4])
    expect(await numbers('lote=B&pesoDesde=4&pesoHasta=5.0')).toEqual([9, 10])
    expect(await numbers('peso=1e0')).toEqual([3])
    expect(await numbers('destino.cp=28003')).toEqual([4])
    expect(await numbers('marca=fragil&lote=B')).toEqual([7, 9, 11])
    expect(await numbers('fechaDesde=2024-01-11T08:00:00.00000010')).toEqual([400, 'fechaDesde'])
    expect(await numbers('fechaDesde=2024-01-11T08:00:00')).toEqual([11, 12])
    expect(await numbers('fechaDesde=2024-01-11T08:00:00.0000002')).toEqual([12])
  })

  it('QUERY-1: a repeated filter with the option "many" matches any of its values. Other repeats get 400', async () => {
    expect((await numbers('lote=A&lote=B&lote=C')).length).toBe(12)
    expect(await numbers('lote=B&lote=B&pesoHasta=4')).toEqual([7])
    expect(await numbers('estado=nueva&estado=nueva')).toEqual([400, 'estado'])
    expect(await numbers('limit=1&limit=1')).toEqual([400, 'limit'])
    expect(await numbers('sort=lote&sort=peso')).toEqual([400, 'sort'])
  })

  it('QUERY-1: wildcards, "null" and the empty string are literal values of a string filter', async () => {
    for (const text of ['%', '*', '_', 'A%25', 'a', ' A', 'null'])
      expect(await numbers(`lote=${encodeURIComponent(text)}`), text).toEqual([])
    expect(await numbers('lote=')).toEqual([])
    expect(await numbers('lote')).toEqual([])
    expect(await numbers('peso=&pesoDesde=&sinPeso=&destino.cp=')).toEqual([
      400,
      'peso',
      'pesoDesde',
      'sinPeso',
      'destino.cp',
    ])
    expect(await numbers('sinPeso=true')).toEqual([4, 8, 12])
    expect((await numbers('sinPeso=false')).length).toBe(9)
  })

  it('QUERY-1: a filter value of the wrong type gets 400. For an enum, the 400 lists the allowed values', async () => {
    for (const [query, name] of [
      ['peso=x', 'peso'],
      ['peso=0x1', 'peso'],
      ['peso=NaN', 'peso'],
      ['peso=1e999', 'peso'],
      ['destino.cp=1.0', 'destino.cp'],
      ['destino.cp=01', 'destino.cp'],
      ['destino.cp=9007199254740992', 'destino.cp'],
      ['sinPeso=TRUE', 'sinPeso'],
      ['estado=vieja', 'estado'],
      ['fechaDesde=2024-01-01', 'fechaDesde'],
    ] as const) {
      expect(await numbers(query), query).toEqual([400, name])
    }
    const { json } = await send('GET', '/v8/piezas?estado=vieja')
    expect(json.errors[0].allowed).toEqual(['nueva', 'enviada', 'entregada'])
  })

  it('QUERY-2: sort=+numero, sort=%2Bnumero and sort=numero mean the same', async () => {
    const ascending = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    for (const sort of ['+numero', '%2Bnumero', 'numero', '%20numero'])
      expect(await numbers(`sort=${sort}`), sort).toEqual(ascending)
    expect(await numbers('sort=-numero')).toEqual([...ascending].reverse())
    expect(await numbers('sort=%2Dnumero')).toEqual([...ascending].reverse())
    expect(await numbers('sort=-lote,+peso')).toEqual([7, 9, 10, 11, 8, 12, 1, 2, 3, 5, 6, 4])
  })

  it('QUERY-2: ties are broken by the later sort fields, and then by the key. Null is the largest value', async () => {
    expect(await numbers('sort=lote,-peso')).toEqual([4, 6, 5, 3, 2, 1, 12, 8, 11, 10, 9, 7])
    expect(await numbers('sort=peso&limit=3&offest=4')).toEqual([4, 8, 12])
    expect(await numbers('sort=-peso&limit=3')).toEqual([12, 8, 4])
    expect((await numbers('sort=destino.cp')).at(-1)).toBe(1)
  })

  it('QUERY-2: an invalid "sort" gets 400, and the problem suggests the closest field', async () => {
    for (const [sort, suggestion] of [
      ['estado'],
      ['lot', 'lote'],
      [''],
      ['lote,'],
      ['--lote'],
      ['lote,lote'],
      ['lote,-lote'],
      ['+-lote'],
      ['__proto__'],
      ['secreto'],
    ]) {
      const answer = await send('GET', `/v8/piezas?sort=${sort}`)
      expect([sort, problem(answer)]).toEqual([
        sort,
        { status: 400, code: 'invalid-query', named: expect.arrayContaining(['sort']) },
      ])
      if (suggestion !== undefined) expect(answer.json.errors[0].suggestion).toBe(suggestion)
    }
  })

  it('QUERY-3: "q" is a full-text search, and "sort" can order its results', async () => {
    const found = await send('GET', '/v8/piezas?q=mayor')
    expect([found.json.length, found.headers['x-total-count']]).toEqual([12, '12'])
    expect(await numbers('q=mayor&sort=-numero&limit=2')).toEqual([12, 11])
    expect(await numbers(`q=${encodeURIComponent('"calle mayor 3"')}`)).toEqual([4])
    expect(await numbers('q=nothing')).toEqual([])
    expect((await send('GET', '/v8/notas?q=x')).status).toBe(400)
  })

  it('QUERY-4: "offest" is the page number and starts at 1, and offest=0 gets 400', async () => {
    expect(await numbers('limit=5&offest=1')).toEqual([1, 2, 3, 4, 5])
    expect(await numbers('limit=5&offest=3')).toEqual([11, 12])
    const zero = await send('GET', '/v8/piezas?offest=0')
    expect(zero.json.errors).toEqual([
      expect.objectContaining({ parameter: 'offest', detail: expect.stringContaining('first page is 1') }),
    ])
    for (const offest of ['-1', '1.0', '1e3', '+1', '01', '', '9007199254740992', 'x', '１']) {
      expect(await numbers(`offest=${encodeURIComponent(offest)}`), offest).toEqual([400, 'offest'])
    }
  })

  it('QUERY-4: an option allows 0 as the number of the first page', async () => {
    const ids = async (query: string) =>
      (await send('GET', `/v8/tax/facturas${query}`)).json.map((item: { id: number }) => item.id)
    expect([await ids(''), await ids('?offest=0'), await ids('?offest=1')]).toEqual([[1, 2], [1, 2], [3]])
    const { link } = (await send('GET', '/v8/tax/facturas?offest=1')).headers
    expect(withoutCursors(link)).toBe(
      ['offest=0>; rel="first"', 'offest=0>; rel="prev"', 'offest=1>; rel="last"']
        .map((rest) => `<${service.origin}/v8/tax/facturas?${rest}`)
        .join(', '),
    )
  })

  it('QUERY-5: "limit" is 25 by default and 100 at most, and a larger limit gets 400', async () => {
    const { send, close } = await serve(express)
    for (let i = 0; i < 20; i += 1) await send('POST', '/v8/piezas', {}, { lote: 'x' })
    expect((await send('GET', '/v8/piezas')).json).toHaveLength(25)
    expect((await send('GET', '/v8/piezas?limit=100')).json).toHaveLength(32)
    for (const limit of ['0', '101', '1e3', '-5', '5.0', ' 5', '5 ', '', '0x5', '1e1', 'all']) {
      expect(problem(await send('GET', `/v8/piezas?limit=${encodeURIComponent(limit)}`)), limit).toEqual({
        status: 400,
        code: 'invalid-query',
        named: ['limit'],
      })
    }
    expect(problem(await send('GET', '/v8/tax/facturas?limit=11')).status).toBe(400)
    await close()
  })

  it('QUERY-6: an unknown expansion gets 400 with the allowed expansions', async () => {
    for (const expand of [
      'nada',
      'componentes',
      'sitio',
      'contrato,',
      'contrato,nad',
      'contratoId',
      'contrato.cliente',
      '*',
      '',
    ]) {
      const answer = await send('GET', `/v8/piezas?expand=${expand}`)
      expect([expand, problem(answer)]).toEqual([expand, { status: 400, code: 'invalid-query', named: ['expand'] }])
      expect(answer.json.errors[0].allowed).toEqual(['contrato', 'nota'])
      expect((await send('GET', `/v8/piezas/1?expand=${expand}`)).status).toBe(400)
    }
    expect((await send('GET', '/v8/piezas/1?expand=nota,nota')).status).toBe(200)
  })

  it('QUERY-7: x-total-count counts all matches, and Link leads to the other pages with the same query', async () => {
    const at = (offest: number, rel: string) =>
      `<${service.origin}/v8/piezas?lote=A&limit=2&sort=-peso,%2Bnumero&offest=${offest}>; rel="${rel}"`
    const headers = async (offest: number) =>
      (await send('GET', `/v8/piezas?lote=A&limit=2&offest=${offest}&sort=-peso,%2Bnumero`)).headers
    expect(withoutCursors((await headers(1)).link)).toBe([at(1, 'first'), at(2, 'next'), at(3, 'last')].join(', '))
    expect(withoutCursors((await headers(2)).link)).toBe(
      [at(1, 'first'), at(1, 'prev'), at(3, 'next'), at(3, 'last')].join(', '),
    )
    expect(withoutCursors((await headers(3)).link)).toBe([at(1, 'first'), at(2, 'prev'), at(3, 'last')].join(', '))
    expect((await headers(3))['x-total-count']).toBe('6')
  })

  it('QUERY-7: following the next links returns every item once', async () => {
    const seen: number[] = []
    let path: string | undefined = '/v8/piezas?sort=-lote,peso&limit=5&q=mayor'
    while (path !== undefined) {
      const { json, headers } = await send('GET', path)
      seen.push(...json.map((item: { numero: number }) => item.numero))
      path = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1]?.slice(service.origin.length)
    }
    expect(seen.length).toBe(12)
    expect(new Set(seen).size).toBe(12)
  })

  it('QUERY-7: a page past the end is empty, and a malformed cursor gets 400', async () => {
    for (const query of [
      'offest=99',
      'offest=9007199254740991',
      'offest=9007199254740991&limit=100',
      'offest=90071992547410&limit=100',
    ]) {
      const { status, json, headers } = await send('GET', `/v8/piezas?${query}`)
      expect([query, status, json, headers['x-total-count']]).toEqual([query, 200, [], '12'])
      expect(headers.link).toContain('rel="prev"')
      expect(headers.link).not.toContain('rel="next"')
    }
    expect(await numbers('after=abc')).toEqual([400, 'after'])
  })

  it('QUERY-7: for an empty list the first and the last page are the same', async () => {
    const { json, headers } = await send('GET', '/v8/piezas?lote=none')
    expect([json, headers['x-total-count']]).toEqual([[], '0'])
    expect(headers.link).toBe(
      `<${service.origin}/v8/piezas?lote=none&offest=1>; rel="first", ` +
        `<${service.origin}/v8/piezas?lote=none&offest=1>; rel="last"`,
    )
  })

  it('QUERY-7: next and prev links have a cursor, and lead to the same page if the cursor is removed', async () => {
    const query = '/v8/piezas?sort=-lote,peso&limit=5&offest=2'
    const { json, headers } = await send('GET', query)
    const links = linksOf(headers.link)
    expect([links.first, links.last]).toEqual(
      ['first', 'last'].map((_, i) => `/v8/piezas?sort=-lote,peso&limit=5&offest=${2 * i + 1}`),
    )
    expect(links.next).toMatch(/&offest=3&after=[\w-]+$/)
    expect(links.prev).toMatch(/&offest=1&after=[\w-]+$/)
    for (const way of ['next', 'prev']) {
      const withCursor = await send('GET', links[way] ?? '')
      const plain = await send('GET', (links[way] ?? '').replace(/&after=.*/, ''))
      expect([withCursor.status, withCursor.json]).toEqual([200, plain.json])
      const back = linksOf(withCursor.headers.link)[way === 'next' ? 'prev' : 'next'] ?? ''
      expect((await send('GET', back)).json).toEqual(json)
      expect((await send('HEAD', links[way] ?? '')).headers.link).toBe(withCursor.headers.link)
    }
  })

  it('QUERY-7: following links neither repeats nor skips a row while other rows are inserted and deleted', async () => {
    const { send, close } = await serve(express)
    const met: number[] = []
    const pages: unknown[] = []
    const walk = async (start: string, way: string, between: (page: number) => Promise<unknown>) => {
      for (let path: string | undefined = start; path !== undefined; ) {
        const { json, headers } = await send('GET', path)
        met.push(...json.map(({ numero }: { numero: number }) => numero))
        pages.push(Number(/offest=(\d+)/.exec(path)?.[1] ?? 1))
        await between(pages.length)
        path = linksOf(headers.link)[way]
      }
    }
    // After each page, two of its three rows are deleted. Page numbers alone would then skip rows.
    await walk('/v8/piezas?limit=3', 'next', (page) =>
      Promise.all([3 * page - 2, 3 * page - 1].map((numero) => send('DELETE', `/v8/piezas/${numero}`))),
    )
    expect([met.splice(0), pages.splice(0)]).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      [1, 2, 3, 4],
    ])
    // The rows 3, 6, 9 and 12 remain. After page 2 (the rows 9 and 12) is read, the rows 1 and 2
    // are inserted. The "prev" link of page 2 leads to a page with the rows 3 and 6, and the "prev"
    // link of that page leads to a page with the rows 1 and 2. Both pages have the number 1.
    await walk('/v8/piezas?limit=2&offest=2', 'prev', async (page) => {
      if (page === 1) for (const numero of [1, 2]) await send('POST', '/v8/piezas', {}, { numero, lote: 'x' })
    })
    expect([met.splice(0), pages.splice(0)]).toEqual([
      [9, 12, 3, 6, 1, 2],
      [2, 1, 1],
    ])
    await close()
  })

  it('QUERY-7: a page that has become empty has a prev link without a cursor, and no next link', async () => {
    const { send, close } = await serve(express)
    const { next = '' } = linksOf((await send('GET', '/v8/piezas?limit=5&offest=2')).headers.link)
    for (const numero of [11, 12]) await send('DELETE', `/v8/piezas/${numero}`)
    const { json, headers } = await send('GET', next)
    const { first, ...links } = linksOf(headers.link)
    expect([json, links]).toEqual([[], { prev: '/v8/piezas?limit=5&offest=2', last: '/v8/piezas?limit=5&offest=2' }])
    await close()
  })

  it('QUERY-7: a cursor gets 400 if its query has changed, except in spelling or in "expand"', async () => {
    const { next = '' } = linksOf(
      (await send('GET', '/v8/piezas?lote=B&lote=A&pesoDesde=1&sort=-peso&limit=3')).headers.link,
    )
    const after = next.replace(/^.*&after=/, '')
    for (const same of [
      'lote=B&lote=A&pesoDesde=1&sort=-peso&limit=3&offest=2',
      'offest=2&limit=3&sort=%2Dpeso,-numero&pesoDesde=1.0&lote=A&lote=B',
      'lote=B&lote=A&pesoDesde=1e0&sort=-peso&limit=3&offest=2&expand=contrato',
    ]) {
      expect([same, (await send('GET', `/v8/piezas?after=${after}&${same}`)).status]).toEqual([same, 200])
    }
    for (const other of [
      'lote=B&lote=A&pesoDesde=1&sort=-peso&limit=3',
      'lote=B&lote=A&pesoDesde=1&sort=-peso&limit=3&offest=3',
      'lote=B&lote=A&pesoDesde=1&sort=-peso&limit=4&offest=2',
      'lote=B&lote=A&pesoDesde=1&sort=peso&limit=3&offest=2',
      'lote=B&lote=A&pesoDesde=1&sort=-peso,numero&limit=3&offest=2',
      'lote=B&pesoDesde=1&sort=-peso&limit=3&offest=2',
      'lote=B&lote=A&sort=-peso&limit=3&offest=2',
      'lote=B&lote=A&pesoDesde=1&sort=-peso&limit=3&offest=2&q=mayor',
      'lote=B&lote=A&pesoDesde=1&q=mayor&limit=3&offest=2',
    ]) {
      expect([other, await numbers(`${other}&after=${after}`)]).toEqual([other, [400, 'after']])
    }
    const twice = await send('GET', `${next}&after=${after}`)
    expect([problem(twice).named, twice.json.errors[0].code]).toEqual([['after'], 'repeated'])
  })

  it('QUERY-7: a cursor from another collection, parent or version gets 400', async () => {
    const cursorOf = async (path: string) =>
      (linksOf((await send('GET', path)).headers.link).next ?? '').replace(/^.*&after=/, '')
    const refused = async (path: string) => problem(await send('GET', path)).named
    const child = await cursorOf('/v8/piezas/1/componentes?limit=1')
    expect((await send('GET', `/v8/piezas/1/componentes?limit=1&offest=2&after=${child}`)).json).toHaveLength(1)
    expect(await refused(`/v8/piezas/2/componentes?limit=1&offest=2&after=${child}`)).toEqual(['after'])
    for (const path of ['/v8/carteras/k1/piezas/1', '/v8/carteras/k1/piezas/2', '/v8/carteras/k2/piezas/2'])
      await send('PUT', path)
    const member = await cursorOf('/v8/carteras/k1/piezas?limit=1')
    expect((await send('GET', `/v8/carteras/k1/piezas?limit=1&offest=2&after=${member}`)).json[0].numero).toBe(2)
    expect(await refused(`/v8/carteras/k2/piezas?limit=1&offest=2&after=${member}`)).toEqual(['after'])
    expect(await refused(`/v8/piezas?limit=1&offest=2&after=${member}`)).toEqual(['after'])
    const contract = await cursorOf('/v8/contratos?limit=1')
    expect((await send('GET', `/v8/contratos?limit=1&offest=2&after=${contract}`)).status).toBe(200)
    expect(await refused(`/v1/contratos?limit=1&offest=2&after=${contract}`)).toEqual(['after'])
  })

  it('QUERY-7: a forged cursor gets 400 if it is invalid, and otherwise selects a page of the same list', async () => {
    const query = 'sort=lote,fecha,destino.cp,peso&limit=3&offest=2'
    const { next = '' } = linksOf(
      (await send('GET', `/v8/piezas?${query.replace('offest=2', 'offest=1')}`)).headers.link,
    )
    const cursor = next.replace(/^.*&after=/, '')
    const [print, page, backwards, ...values] = decoded(cursor)
    const date = '2024-01-01T08:00:00.0000000'
    const forged = (...place: unknown[]) => encoded([print, page, backwards, ...place])
    expect(values).toHaveLength(5)
    for (const bad of [
      '',
      'x',
      '%00',
      `${cursor}=`,
      `${cursor}A`,
      ` ${cursor}`,
      cursor.slice(1),
      encoded('{"__proto__":1}'),
      encoded('null'),
      encoded('[]'),
      encoded('['.repeat(1_000)),
      encoded(`${'['.repeat(400)}${']'.repeat(400)}`),
      encoded({ length: 8, 0: print }),
      encoded([print, page, backwards]),
      encoded([print, page, 1, ...values]),
      encoded([print, '2', backwards, ...values]),
      encoded([print, 3, backwards, ...values]),
      encoded([`${print}x`, page, backwards, ...values]),
      encoded([['constructor'], page, backwards, ...values]),
      encoded(
        `[${JSON.stringify(print)}, ${page},${backwards},${values.map((value) => JSON.stringify(value)).join()}]`,
      ),
      forged(...values, 1),
      forged(...values.slice(1)),
      forged('A', date, 1, 1, '1'),
      forged('A', date, 1, 1, 1.5),
      forged('A', date, 1, 1, 2 ** 53),
      forged('A', date, 1, 1, 1e308),
      forged('A', date, 1, '1', 1),
      forged('A', date, 1, true, 1),
      forged('A', date, [1], 1, 1),
      forged('A', date, [[[[1]]]], 1, 1),
      forged('A', date, { cp: 1 }, 1, 1),
      forged('A', '2024-01-01T08:00:00', 1, 1, 1),
      forged('A', '2024-13-01T08:00:00.0000000', 1, 1, 1),
      forged('A', '', 1, 1, 1),
      forged('A', 5, 1, 1, 1),
      forged(1, date, 1, 1, 1),
      forged('\ud800', date, 1, 1, 1),
      forged('x'.repeat(1_600), date, 1, 1, 1),
      encoded(`[${JSON.stringify(print)},${page},${backwards},"A","${date}",1,1e999,1]`),
      encoded(`[${JSON.stringify(print)},${page},${backwards},"A","${date}",1,-0,1]`),
      encoded(`[${JSON.stringify(print)},${page},${backwards},"A","${date}",1,1.0,1]`),
    ]) {
      const answer = await send('GET', `/v8/piezas?${query}&after=${encodeURIComponent(bad).replace(/^%2500/, '%00')}`)
      expect([bad, problem(answer), answer.json.errors?.[0]?.code]).toEqual([
        bad,
        { status: 400, code: 'invalid-query', named: ['after'] },
        'hint',
      ])
    }
    for (const place of [
      [null, null, null, null, null],
      ['', date, -1, 1e308, -(2 ** 53) + 1],
      ['\0', date, 1, -1e308, 0],
      ['__proto__', null, 0, 5e-324, 1],
      ['constructor', null, 0, 0, 1],
    ]) {
      for (const way of [true, false]) {
        const answer = await send('GET', `/v8/piezas?${query}&after=${encoded([print, page, way, ...place])}`)
        expect([place, way, answer.status, answer.headers['x-total-count']]).toEqual([place, way, 200, '12'])
      }
    }
  })

  it('QUERY-7: links have no cursors if results are ordered by rank, or if a sort value is very long', async () => {
    const { send, close } = await serve(express)
    const linked = async (path: string) => linksOf((await send('GET', path)).headers.link)
    expect((await linked('/v8/piezas?q=mayor&limit=5')).next).toBe('/v8/piezas?q=mayor&limit=5&offest=2')
    expect((await linked('/v8/piezas?q=mayor&limit=5&sort=numero')).next).toContain('&after=')
    for (const length of [1_400, 1_500]) await send('POST', '/v8/piezas', {}, { lote: 'Ab'.padEnd(length, 'b') })
    // The `lote` on page 7 has 1,400 characters, and the `lote` on page 8 has 1,500.
    const linkedPage = async (page: number) => {
      const { prev = '', next = '' } = await linked(`/v8/piezas?sort=lote&limit=1&offest=${page}`)
      return [prev, next].map((path) => path.includes('&after='))
    }
    expect(await Promise.all([6, 7, 8, 9].map(linkedPage))).toEqual([
      [true, true],
      [true, true],
      [false, false],
      [true, true],
    ])
    await close()
  })

  it('QUERY-8: the parameter "after" is never suggested, and only lists accept it', async () => {
    const stray = await send('GET', '/v8/piezas?afte=x')
    expect(stray.json.errors[0].allowed).not.toContain('after')
    expect(stray.json.errors[0].suggestion).not.toBe('after')
    for (const [method, path] of [
      ['GET', '/v8/piezas/1'],
      ['GET', '/v8/search?q=x'],
      ['POST', '/v8/piezas'],
      ['DELETE', '/v8/piezas/1'],
    ] as const) {
      const { next = '' } = linksOf((await send('GET', '/v8/piezas?limit=2')).headers.link)
      const answer = await send(
        method,
        `${path}${path.includes('?') ? '&' : '?'}after=${next.replace(/^.*after=/, '')}`,
      )
      expect([path, answer.status, problem(answer).named]).toEqual([path, 400, ['after']])
    }
  })

  it('QUERY-8: parameter names of other APIs, such as "page", get a suggestion', async () => {
    for (const [name, suggestion] of [
      ['page', 'offest'],
      ['page_number', 'offest'],
      ['per_page', 'limit'],
      ['pageSize', 'limit'],
      ['search', 'q'],
      ['order_by', 'sort'],
      ['include', 'expand'],
    ])
      expect((await send('GET', `/v8/piezas?${name}=1`)).json.errors[0], name).toMatchObject({
        parameter: name,
        suggestion,
      })
    // Parameters that this request does not accept are not suggested.
    expect((await send('GET', '/v8/piezas/1?page=2')).json.errors[0].suggestion).toBeUndefined()
  })

  it('QUERY-8: all errors are reported at once, with the allowed names and the closest name', async () => {
    const answer = await send(
      'GET',
      '/v8/piezas?offset=2&limit=1e3&peso=x&sort=lot&expand=contrat&constructor=1&__proto__=2&lot%E9=%',
    )
    expect(problem(answer)).toEqual({
      status: 400,
      code: 'invalid-query',
      named: ['lot%E9=%', 'offset', 'constructor', '__proto__', 'peso', 'limit', 'sort', 'expand'],
    })
    const offset = answer.json.errors.find((error: { parameter: string }) => error.parameter === 'offset')
    expect(offset).toMatchObject({
      suggestion: 'offest',
      clause: 'QUERY-8',
      allowed: expect.arrayContaining(['lote', 'sort', 'q', 'offest', 'limit', 'expand']),
    })
  })

  it('QUERY-8: list parameters and unknown parameters get 400 if the request is not the GET of a list', async () => {
    for (const [method, path] of [
      ['DELETE', '/v8/piezas/1?force=true'],
      ['GET', '/v8/piezas/1?limit=3'],
      ['GET', '/v8/piezas/1?lote=A'],
      ['POST', '/v8/piezas?dry=1'],
      ['PUT', '/v8/contratos/C1/activo?x=1'],
      ['PUT', '/v8/carteras/k1/piezas/1?x'],
      ['GET', '/v8/contratos/C1?expand'],
    ] as const) {
      expect([path, (await send(method, path)).status]).toEqual([path, 400])
    }
    expect((await send('GET', '/v8/piezas/1?')).status).toBe(200)
    expect((await send('GET', '/v8/piezas/1?&&')).status).toBe(200)
  })

  it('QUERY-8: an undecodable query gets 400, and the response to a huge query is short', async () => {
    for (const query of ['lote=%', 'lote=%zz', 'lote=%C3%28', 'lote=%ED%A0%80', '%=1'])
      expect((await numbers(query))[0], query).toBe(400)
    const many = await send('GET', `/v8/piezas?${Array.from({ length: 1_500 }, (_, i) => `x${i}=1`).join('&')}`)
    expect([many.status, many.json.errors.length <= 50]).toEqual([400, true])
    expect((await send('GET', `/v8/piezas?sort=${'lote,'.repeat(2_000)}`)).status).toBe(400)
    const long = await send('GET', `/v8/piezas?${'lote=x&'.repeat(1_500)}`)
    expect([long.status, long.headers['x-total-count'], long.headers.link]).toEqual([200, '0', undefined])
  })
})

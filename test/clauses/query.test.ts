import { describe, expect, it } from 'vitest'
import { frameworks, problem, serve, shared } from './fixture.js'

describe.each(frameworks)('QUERY over %s', (_name, express) => {
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

  it('QUERY-1: many-valued filters mean any of; any other given twice is 400', async () => {
    expect((await numbers('lote=A&lote=B&lote=C')).length).toBe(12)
    expect(await numbers('lote=B&lote=B&pesoHasta=4')).toEqual([7])
    expect(await numbers('estado=nueva&estado=nueva')).toEqual([400, 'estado'])
    expect(await numbers('limit=1&limit=1')).toEqual([400, 'limit'])
    expect(await numbers('sort=lote&sort=peso')).toEqual([400, 'sort'])
  })

  it('QUERY-1: wildcards are literal, the empty value is the empty string or 400, null matches no value but asks by its own filter', async () => {
    for (const text of ['%', '*', '_', 'A%25', 'a', ' A', 'null'])
      expect(await numbers(`lote=${encodeURIComponent(text)}`), text).toEqual([])
    expect(await numbers('lote=')).toEqual([])
    expect(await numbers('lote')).toEqual([])
    expect(await numbers('peso=&pesoDesde=&sinPeso=&destino.cp=')).toEqual([400, 'peso', 'pesoDesde', 'sinPeso', 'destino.cp'])
    expect(await numbers('sinPeso=true')).toEqual([4, 8, 12])
    expect((await numbers('sinPeso=false')).length).toBe(9)
  })

  it('QUERY-1: a value of the wrong type is 400 and says what is wanted', async () => {
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
    for (const sort of ['+numero', '%2Bnumero', 'numero', '%20numero']) expect(await numbers(`sort=${sort}`), sort).toEqual(ascending)
    expect(await numbers('sort=-numero')).toEqual([...ascending].reverse())
    expect(await numbers('sort=%2Dnumero')).toEqual([...ascending].reverse())
    expect(await numbers('sort=-lote,+peso')).toEqual([7, 9, 10, 11, 8, 12, 1, 2, 3, 5, 6, 4])
  })

  it('QUERY-2: later fields break ties, the key is last in the direction of the last field, null is the largest', async () => {
    expect(await numbers('sort=lote,-peso')).toEqual([4, 6, 5, 3, 2, 1, 12, 8, 11, 10, 9, 7])
    expect(await numbers('sort=peso&limit=3&offest=4')).toEqual([4, 8, 12])
    expect(await numbers('sort=-peso&limit=3')).toEqual([12, 8, 4])
    expect((await numbers('sort=destino.cp')).at(-1)).toBe(1)
  })

  it('QUERY-2: what can not be sorted by is 400 with the near miss', async () => {
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
      expect([sort, problem(answer)]).toEqual([sort, { status: 400, code: 'invalid-query', named: expect.arrayContaining(['sort']) }])
      if (suggestion !== undefined) expect(answer.json.errors[0].suggestion).toBe(suggestion)
    }
  })

  it('QUERY-3: q is full text with the output of a list; without sort by rank, with sort as it says', async () => {
    const found = await send('GET', '/v8/piezas?q=mayor')
    expect([found.json.length, found.headers['x-total-count']]).toEqual([12, '12'])
    expect(await numbers('q=mayor&sort=-numero&limit=2')).toEqual([12, 11])
    expect(await numbers(`q=${encodeURIComponent('"calle mayor 3"')}`)).toEqual([4])
    expect(await numbers('q=nothing')).toEqual([])
    expect((await send('GET', '/v8/notas?q=x')).status).toBe(400)
  })

  it('QUERY-4: offest is the page, from 1; 0 is refused and not the first page', async () => {
    expect(await numbers('limit=5&offest=1')).toEqual([1, 2, 3, 4, 5])
    expect(await numbers('limit=5&offest=3')).toEqual([11, 12])
    const zero = await send('GET', '/v8/piezas?offest=0')
    expect(zero.json.errors).toEqual([expect.objectContaining({ parameter: 'offest', detail: expect.stringContaining('first is 1') })])
    for (const offest of ['-1', '1.0', '1e3', '+1', '01', '', '9007199254740992', 'x', '１']) {
      expect(await numbers(`offest=${encodeURIComponent(offest)}`), offest).toEqual([400, 'offest'])
    }
  })

  it('QUERY-4: an option lets the first page be 0', async () => {
    const ids = async (query: string) => (await send('GET', `/v8/tax/facturas${query}`)).json.map((item: { id: number }) => item.id)
    expect([await ids(''), await ids('?offest=0'), await ids('?offest=1')]).toEqual([[1, 2], [1, 2], [3]])
    const { link } = (await send('GET', '/v8/tax/facturas?offest=1')).headers
    expect(link).toBe(
      ['offest=0>; rel="first"', 'offest=0>; rel="prev"', 'offest=1>; rel="last"']
        .map((rest) => `<${service.origin}/v8/tax/facturas?${rest}`)
        .join(', '),
    )
  })

  it('QUERY-5: limit is 25 by default and 100 at most; above it is 400, never cut', async () => {
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

  it('QUERY-6: an unknown expansion is 400 with what is allowed', async () => {
    for (const expand of ['nada', 'componentes', 'sitio', 'contrato,', 'contrato,nad', 'contratoId', 'contrato.cliente', '*', '']) {
      const answer = await send('GET', `/v8/piezas?expand=${expand}`)
      expect([expand, problem(answer)]).toEqual([expand, { status: 400, code: 'invalid-query', named: ['expand'] }])
      expect(answer.json.errors[0].allowed).toEqual(['contrato', 'nota'])
      expect((await send('GET', `/v8/piezas/1?expand=${expand}`)).status).toBe(400)
    }
    expect((await send('GET', '/v8/piezas/1?expand=nota,nota')).status).toBe(200)
  })

  it('QUERY-7: x-total-count counts what matches; Link leads to the other pages with the same query', async () => {
    const at = (offest: number, rel: string) =>
      `<${service.origin}/v8/piezas?lote=A&limit=2&sort=-peso,numero&offest=${offest}>; rel="${rel}"`
    const headers = async (offest: number) =>
      (await send('GET', `/v8/piezas?lote=A&limit=2&offest=${offest}&sort=-peso,%2Bnumero`.replace('%2B', ''))).headers
    expect((await headers(1)).link).toBe([at(1, 'first'), at(2, 'next'), at(3, 'last')].join(', '))
    expect((await headers(2)).link).toBe([at(1, 'first'), at(1, 'prev'), at(3, 'next'), at(3, 'last')].join(', '))
    expect((await headers(3)).link).toBe([at(1, 'first'), at(2, 'prev'), at(3, 'last')].join(', '))
    expect((await headers(3))['x-total-count']).toBe('6')
  })

  it('QUERY-7: walking the next links gives every item once', async () => {
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

  it('QUERY-7: a page past the end is empty, however far; after that does not fit is 400', async () => {
    for (const query of ['offest=99', 'offest=9007199254740991', 'offest=9007199254740991&limit=100', 'offest=90071992547410&limit=100']) {
      const { status, json, headers } = await send('GET', `/v8/piezas?${query}`)
      expect([query, status, json, headers['x-total-count']]).toEqual([query, 200, [], '12'])
      expect(headers.link).toContain('rel="prev"')
      expect(headers.link).not.toContain('rel="next"')
    }
    expect(await numbers('after=abc')).toEqual([400, 'after'])
  })

  it('QUERY-7: an empty list has a first and a last page, the same', async () => {
    const { json, headers } = await send('GET', '/v8/piezas?lote=none')
    expect([json, headers['x-total-count']]).toEqual([[], '0'])
    expect(headers.link).toBe(
      `<${service.origin}/v8/piezas?lote=none&offest=1>; rel="first", <${service.origin}/v8/piezas?lote=none&offest=1>; rel="last"`,
    )
  })

  it('QUERY-8: everything wrong is named at once, with what is allowed and the near miss', async () => {
    const answer = await send('GET', '/v8/piezas?offset=2&limit=1e3&peso=x&sort=lot&expand=contrat&constructor=1&__proto__=2&lot%E9=%')
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

  it('QUERY-8: requests that take no parameters, or only expand, refuse the others', async () => {
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

  it('QUERY-8: queries that can not be decoded, and huge ones, are 400 with a short answer', async () => {
    for (const query of ['lote=%', 'lote=%zz', 'lote=%C3%28', 'lote=%ED%A0%80', '%=1']) expect((await numbers(query))[0], query).toBe(400)
    const many = await send('GET', `/v8/piezas?${Array.from({ length: 1_500 }, (_, i) => `x${i}=1`).join('&')}`)
    expect([many.status, many.json.errors.length <= 50]).toEqual([400, true])
    expect((await send('GET', `/v8/piezas?sort=${'lote,'.repeat(2_000)}`)).status).toBe(400)
    const long = await send('GET', `/v8/piezas?${'lote=x&'.repeat(1_500)}`)
    expect([long.status, long.headers['x-total-count'], long.headers.link]).toEqual([200, '0', undefined])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFixed } from '../../src/definition/fixed.js'
import { defineResource, type PageOptions } from '../../src/definition/resource.js'
import { cursorMaker } from '../../src/plan/cursor.js'
import {
  compileListGrammar,
  knownListQuery,
  type ListQuery,
  parseItemQuery,
  parseListQuery,
} from '../../src/plan/list-grammar.js'
import { refuseQuery } from '../../src/plan/query-pairs.js'
import { HttpProblem, type Violation } from '../../src/problem.js'
import { api as makeApi } from '../../src/router/api.js'
import { cpuTime } from '../cpu-time.js'
import { itWithCaches } from '../with-caches.js'

const piezas = defineResource({
  collection: 'piezas',
  key: ['numero', 'lote'],
  schema: {
    type: 'object',
    required: ['numero', 'lote'],
    properties: {
      numero: { type: 'integer' },
      lote: { type: 'string' },
      valor: { type: ['number', 'null'] },
      urgente: { type: 'boolean' },
      estado: { enum: ['abierta', 'cerrada', null] },
      prioridad: { enum: [1, 2, 3] },
      fecha: { type: 'string', format: 'local-date-time' },
      uuid: { type: 'string', format: 'uuid' },
      mixto: { type: ['integer', 'string'] },
      libre: {},
      contratoId: { type: 'string' },
      cp: { type: 'object', properties: { codigo: { type: 'integer' } } },
      etiquetas: { type: 'array', items: { type: 'string' } },
      notas: { type: 'array', items: { enum: [1, 2] } },
    },
  },
  filters: {
    numero: true,
    lote: { many: true },
    valor: true,
    urgente: true,
    estado: true,
    prioridad: { many: true },
    fecha: true,
    uuid: true,
    mixto: true,
    libre: true,
    contrato: { field: 'contratoId' },
    'cp.codigo': true,
    fechaDesde: { field: 'fecha', op: 'gte' },
    fechaHasta: { field: 'fecha', op: 'lt' },
    prioridadDesde: { field: 'prioridad', op: 'gt' },
    etiqueta: { field: 'etiquetas', op: 'contains' },
    nota: { field: 'notas', op: 'contains' },
    sinValor: { field: 'valor', op: 'null' },
  },
  sort: ['fecha', 'numero', 'lote', 'cp.codigo'],
  search: true,
  links: {
    contratos: { to: 'contratos', by: 'contratoId' },
    partes: { sub: 'partes' },
    oculto: { to: 'contratos', by: 'lote', expand: false },
  },
})
const grammar = compileListGrammar(piezas)
const plain = compileListGrammar(
  defineResource({
    collection: 'cosas',
    key: 'id',
    schema: { type: 'object', properties: { id: { type: 'integer' } } },
  }),
)
const parse = (raw: string): ListQuery => parseListQuery(raw, grammar)
const paged = (page: PageOptions, raw: string) => parseListQuery(raw, compileListGrammar(piezas, page))

/** The violations for which a query is refused. */
function refused(raw: string, read: (raw: string) => unknown = parse): readonly Violation[] {
  try {
    read(raw)
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400 && error.code === 'invalid-query') return error.errors
    throw error
  }
  throw new Error(`"${raw}" was accepted.`)
}
const codes = (raw: string) => refused(raw).map(({ parameter, code }) => `${parameter} ${code}`)
const where = (raw: string) => parse(raw).where.map(({ field, op, value }) => [field, op, value])
const terms = (raw: string) => parse(raw).sort.map(({ field, descending }) => (descending ? '-' : '+') + field)

describe('filters', () => {
  it.each([
    ['numero=5', ['numero', 'eq', 5]],
    ['numero=-5', ['numero', 'eq', -5]],
    ['valor=1.5', ['valor', 'eq', 1.5]],
    ['valor=1e3', ['valor', 'eq', 1000]],
    ['valor=-0', ['valor', 'eq', 0]],
    ['urgente=false', ['urgente', 'eq', false]],
    ['estado=abierta', ['estado', 'eq', 'abierta']],
    ['prioridad=2', ['prioridad', 'in', [2]]],
    ['fecha=2024-01-31T08:30:00', ['fecha', 'eq', '2024-01-31T08:30:00.0000000']],
    ['uuid=123e4567-e89b-12d3-a456-426614174000', ['uuid', 'eq', '123e4567-e89b-12d3-a456-426614174000']],
    ['mixto=5', ['mixto', 'eq', 5]],
    ['mixto=05', ['mixto', 'eq', '05']],
    ['libre=5', ['libre', 'eq', '5']],
    ['cp.codigo=1425', ['cp.codigo', 'eq', 1425]],
    ['lote=a', ['lote', 'eq', 'a']],
    ['lote=', ['lote', 'eq', '']],
    ['lote', ['lote', 'eq', '']],
    ['lote=a%25_*b', ['lote', 'eq', 'a%_*b']],
    ['lote=a=b', ['lote', 'eq', 'a=b']],
    ['lote=a+b%2Bc', ['lote', 'eq', 'a b+c']],
    ['contrato=C-1', ['contratoId', 'eq', 'C-1']],
    ['fechaDesde=2024-01-31T08:30:00.5', ['fecha', 'gte', '2024-01-31T08:30:00.5000000']],
    ['prioridadDesde=7', ['prioridad', 'gt', 7]],
    ['etiqueta=x', ['etiquetas', 'contains', 'x']],
    ['nota=2', ['notas', 'contains', 2]],
    ['sinValor=true', ['valor', 'null', true]],
    ['sinValor=false', ['valor', 'null', false]],
  ])('QUERY-1: the schema determines the type of the value in %s', (raw, expected) => {
    const [field, op, value] = expected
    expect(where(raw)).toEqual([op === 'in' ? [field, 'eq', (value as number[])[0]] : [field, op, value]])
  })

  it('QUERY-1: all filters of a query are kept, and a filter of a nested member has the path of the member', () => {
    expect(where('lote=a&cp.codigo=5&fechaDesde=2024-01-31T08:30:00&fechaHasta=2024-02-01T00:00:00')).toHaveLength(4)
    expect(parse('cp.codigo=5').where[0]?.path).toEqual(['cp', 'codigo'])
  })

  it('QUERY-1: a filter with several values matches any of them', () => {
    expect(where('lote=a&prioridad=1&lote=b&prioridad=3&lote=')).toEqual([
      ['lote', 'in', ['a', 'b', '']],
      ['prioridad', 'in', [1, 3]],
    ])
  })

  it.each([
    [
      'numero',
      [
        '',
        '1.5',
        '03',
        '+3',
        ' 3',
        '3 ',
        '1e3',
        '0x10',
        '５',
        '-0',
        'null',
        'NaN',
        '9007199254740992',
        '99999999999999999999',
      ],
    ],
    ['valor', ['', '1,5', '.5', '5.', '+5', '1e400', 'Infinity', '0x10', '9007199254740993', '1_0']],
    ['urgente', ['', 'TRUE', '1', 'si']],
    ['estado', ['', 'null', 'ABIERTA']],
    ['prioridad', ['4', '1.0', '']],
    ['fecha', ['', '2024-01-31', '2024-01-31T08:30:00Z', '2023-02-29T00:00:00', '2024-01-31T08:30:00.12345678']],
    ['uuid', ['', 'x', '123e4567-e89b-12d3-a456-42661417400']],
    ['cp.codigo', ['', 'x']],
    ['nota', ['3', '']],
    ['sinValor', ['', '1', 'null']],
  ])('QUERY-1: an invalid value of %s gets 400', (name, values) => {
    for (const value of values)
      expect([value, codes(`${name}=${encodeURIComponent(value)}`)]).toEqual([value, [`${name} type`]])
  })

  it('QUERY-8: the violation for an invalid value describes the valid values, and lists them if possible', () => {
    expect(refused('estado=x')).toEqual([
      {
        parameter: 'estado',
        detail: '"estado" must be one of abierta, cerrada.',
        code: 'type',
        params: { types: ['string'] },
        clause: 'QUERY-1',
        allowed: ['abierta', 'cerrada'],
      },
    ])
    expect(refused('urgente=x')[0]?.allowed).toEqual([true, false])
    expect(refused('mixto=%F0')[0]?.code).toBe('encoding')
    expect(refused('uuid=x')[0]?.detail).toBe('"uuid" must be a UUID such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff.')
  })

  it('QUERY-1: a parameter that is given twice gets 400, unless it is a filter with the option "many"', () => {
    expect(codes('numero=1&numero=1')).toEqual(['numero repeated'])
    expect(codes('limit=1&limit=2')).toEqual(['limit repeated'])
  })

  it('QUERY-1: the value of an accepted filter is the value that was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const raw = (name: string) => `${name}=${encodeURIComponent(text)}`
        expect(where(raw('lote'))).toEqual([['lote', 'eq', text]])
        try {
          const [[, , value] = []] = where(raw('numero'))
          expect(String(value)).toBe(text)
        } catch (error) {
          expect(error).toBeInstanceOf(HttpProblem)
        }
      }),
    )
  })
})

describe('sort', () => {
  it.each([
    ['sort=fecha', '+fecha'],
    ['sort=-fecha', '-fecha'],
    ['sort=%2Bfecha', '+fecha'],
    ['sort=+fecha', '+fecha'],
    ['sort=%20fecha', '+fecha'],
    ['sort=-cp.codigo', '-cp.codigo'],
  ])('QUERY-2: %s sorts by %s', (raw, expected) => {
    expect(terms(raw)[0]).toBe(expected)
  })

  it('QUERY-2: later fields break ties, and the key comes last, in the direction of the last field', () => {
    expect(terms('')).toEqual(['+numero', '+lote'])
    expect(terms('sort=fecha')).toEqual(['+fecha', '+numero', '+lote'])
    expect(terms('sort=fecha,-cp.codigo')).toEqual(['+fecha', '-cp.codigo', '-numero', '-lote'])
    expect(terms('sort=-lote')).toEqual(['-lote', '-numero'])
    expect(terms('sort=-numero,+lote')).toEqual(['-numero', '+lote'])
    expect(parse('sort=-cp.codigo').sort[0]?.path).toEqual(['cp', 'codigo'])
  })

  it.each([
    ['sort=', 'sort unknown'],
    ['sort=-', 'sort unknown'],
    ['sort=,fecha', 'sort unknown'],
    ['sort=fecha,', 'sort unknown'],
    ['sort=valor', 'sort unknown'],
    ['sort=--fecha', 'sort unknown'],
    ['sort=fecha-', 'sort unknown'],
    ['sort=__proto__', 'sort unknown'],
    ['sort=constructor', 'sort unknown'],
    ['sort=fecha,-fecha', 'sort repeated'],
    ['sort=fecha&sort=lote', 'sort repeated'],
    ['Sort=fecha', 'Sort unknown'],
  ])('QUERY-2: %s gets 400', (raw, expected) => {
    expect(codes(raw)).toEqual([expected])
  })

  it('QUERY-8: the violation for an invalid sort field lists the valid fields, and suggests the closest field', () => {
    expect(refused('sort=feha')[0]).toMatchObject({
      detail: '"feha" is not a field to sort by. Did you mean "fecha"?',
      allowed: ['fecha', 'numero', 'lote', 'cp.codigo'],
      suggestion: 'fecha',
      clause: 'QUERY-2',
    })
    expect(refused('sort=')[0]?.detail).toBe('"sort" contains an empty name. Allowed: fecha, numero, lote, cp.codigo.')
  })
})

describe('sort directions, and search', () => {
  it.each([
    ['fecha:desc', '-fecha'],
    ['fecha desc', '-fecha'],
    ['fecha+DESC', '-fecha'],
    ['fecha.descending', '-fecha'],
    ['desc(fecha)', '-fecha'],
    ['fecha-', '-fecha'],
    ['cp.codigo_desc', '-cp.codigo'],
    ['fecha:asc', 'fecha'],
    ['ascending(fecha)', 'fecha'],
  ])('QUERY-8: for sort=%s, the detail says how to write the direction', (term, suggestion) => {
    const [found, ...others] = refused(`sort=${term}`)
    expect(found).toMatchObject({ code: 'unknown', suggestion, allowed: ['fecha', 'numero', 'lote', 'cp.codigo'] })
    const rule = suggestion.startsWith('-')
      ? 'For descending order, put "-" in front of the name of a field'
      : 'Ascending order needs no sign'
    expect(found?.detail).toBe(`"${term.replace('+', ' ')}" is not a field to sort by. ${rule}: sort=${suggestion}.`)
    expect(others).toEqual([])
  })

  it('QUERY-8: if the direction is a separate parameter or term, the detail says how to write it in "sort"', () => {
    expect(refused('sort=fecha&order=desc')[0]).toMatchObject({
      detail:
        '"order" is not a parameter here. For descending order, put "-" in front of the name of a field in "sort".',
      suggestion: 'sort',
    })
    expect(refused('sort=fecha,desc')[0]?.detail).toBe(
      '"desc" is not a field to sort by. For descending order, put "-" in front of the name of a field.',
    )
    expect(refused('sort=valor:desc')[0]?.detail).toContain('Allowed: fecha')
  })

  it('QUERY-3: q is decoded, and a query with q but without sort has no sort order', () => {
    expect(parse('q=a+b%25')).toMatchObject({ search: 'a b%', sort: [] })
    expect(terms('q=a&sort=-fecha')).toEqual(['-fecha', '-numero', '-lote'])
    expect(parse('q=')).toMatchObject({ search: '', sort: [] })
    expect('search' in parse('')).toBe(false)
  })
})

describe('pages', () => {
  it('QUERY-4, QUERY-5: without parameters, the query asks for the first page of 25 items', () => {
    expect(parse('')).toMatchObject({ page: 1, size: 25, offset: 0, first: 1 })
    expect(parse('offest=3&limit=10')).toMatchObject({ page: 3, size: 10, offset: 20 })
    expect(parse('limit=100').size).toBe(100)
    expect(parse('limit=1').size).toBe(1)
  })

  it('QUERY-4: if the first page is 0, the page number 0 is accepted', () => {
    expect(paged({ first: 0 }, 'offest=0&limit=10')).toMatchObject({ page: 1, offset: 0, first: 0 })
    expect(paged({ first: 0 }, 'offest=2&limit=10')).toMatchObject({ page: 3, offset: 20 })
    expect(paged({ first: 0 }, '')).toMatchObject({ page: 1, offset: 0 })
  })

  it('QUERY-4: the violation for an invalid page number names the number of the first page', () => {
    expect(refused('offest=0')[0]).toEqual({
      parameter: 'offest',
      detail: '"offest" must be a whole number from 1: it is a page number, and the first page is 1.',
      code: 'range',
      params: { minimum: 1 },
      clause: 'QUERY-4',
    })
    expect(refused('offest=-1', (raw) => paged({ first: 0 }, raw))[0]?.detail).toContain(
      'a whole number from 0: it is a page number, and the first page is 0',
    )
  })

  it('QUERY-4: even the largest page number has an offset that is a safe integer', () => {
    const { page, offset } = parse('offest=9007199254740991&limit=100')
    expect(page).toBe(9007199254740991)
    expect(Number.isSafeInteger(offset) && Number.isSafeInteger(offset + 100)).toBe(true)
  })

  it.each([
    '',
    '1.0',
    '01',
    '+5',
    ' 5',
    '5 ',
    '0x10',
    '５',
    '1e3',
    '-0',
    'NaN',
    'x',
    '9007199254740992',
    '1,000',
    'null',
  ])('QUERY-4, QUERY-5: %j is not a valid page number or page size', (text) => {
    const value = encodeURIComponent(text)
    expect(codes(`offest=${value}&limit=${value}`).toSorted()).toEqual(['limit range', 'offest range'])
  })

  it('QUERY-5: a limit above the maximum gets 400 and is never silently reduced', () => {
    expect(refused('limit=101')[0]).toMatchObject({
      parameter: 'limit',
      detail: '"limit" must be a whole number from 1 to 100.',
      clause: 'QUERY-5',
    })
    expect(codes('limit=0')).toEqual(['limit range'])
    expect(codes('limit=-1')).toEqual(['limit range'])
  })

  it('QUERY-5: options of the resource override those of the service, and a default never exceeds the maximum', () => {
    const of = (own: PageOptions, service: PageOptions) =>
      compileListGrammar(
        defineResource({
          collection: 'cosas',
          key: 'id',
          page: own,
          schema: { type: 'object', properties: { id: { type: 'integer' } } },
        }),
        service,
      ).page
    expect(of({}, {})).toEqual({ size: 25, max: 100, first: 1 })
    expect(of({ size: 5 }, { size: 50, max: 200, first: 0 })).toEqual({ size: 5, max: 200, first: 0 })
    expect(of({ size: 120 }, {})).toEqual({ size: 120, max: 120, first: 1 })
    expect(of({}, { size: 120 })).toEqual({ size: 120, max: 120, first: 1 })
    expect(of({ max: 10 }, {})).toEqual({ size: 10, max: 10, first: 1 })
    expect(of({}, { max: 10 })).toEqual({ size: 10, max: 10, first: 1 })
    expect(() => of({ size: 50 }, { max: 10 })).toThrow('"cosas" has a page size of 50 but a maximum of 10')
    // The options of the service are validated by api().
    const api = (page: PageOptions) => () => makeApi({ versions: { v0: 'retired' }, page })
    expect(api({ max: 0 })).toThrow(
      'The option "page.max" of api() is 0. Give a whole number from 1. [ERR-1 invalid-option]',
    )
    expect(api({ first: 5 as never })).toThrow('The option "page.first" of api() is 5. Give 1 or 0.')
  })
})

describe('expand', () => {
  it('QUERY-6: "expand" is a comma-separated list of links, and duplicates are removed', () => {
    expect(parse('expand=contratos,contratos').expand).toEqual(['contratos'])
    expect(parse('').expand).toEqual([])
    expect(parseItemQuery('expand=contratos', grammar)).toEqual({ expand: ['contratos'] })
    expect(parseItemQuery('', grammar)).toEqual({ expand: [] })
  })

  it.each([
    'expand=',
    'expand=partes',
    'expand=oculto',
    'expand=contratos,',
    'expand=contratos.x',
    'expand=__proto__',
    'expand=%20contratos',
  ])('QUERY-6: %s gets 400', (raw) => {
    expect(codes(raw)).toEqual(['expand unknown'])
    expect(refused(raw, (query) => parseItemQuery(query, grammar))[0]?.allowed).toEqual(['contratos'])
  })
})

describe('repeated queries', () => {
  const address = { listPath: '/v1/piezas' }
  const texts = fc.array(
    fc.constantFrom(
      'numero=1',
      'lote=a',
      'lote=b',
      'sort=fecha',
      'sort=-fecha,numero',
      'offest=2',
      'limit=7',
      'q=uno',
      'expand=contratos',
      'x=1',
    ),
    { maxLength: 5 },
  )
  /** Returns the parsed query, or its errors. */
  const outcome = (parsed: () => ListQuery): unknown => {
    try {
      return parsed()
    } catch (error) {
      return (error as HttpProblem).errors
    }
  }

  it('QUERY-1..8: have the same result as when they are parsed for the first time', () => {
    const kept = compileListGrammar(piezas)
    fc.assert(
      fc.property(fc.array(texts), (queries) => {
        for (const raw of queries.map((pieces) => pieces.join('&'))) {
          const again = outcome(() => knownListQuery(raw, kept, address))
          expect([raw, again]).toEqual([raw, outcome(() => parseListQuery(raw, compileListGrammar(piezas), address))])
        }
      }),
    )
  })

  itWithCaches('return the same frozen object from the second query on', () => {
    const kept = compileListGrammar(piezas)
    const raw = 'lote=a&lote=b&sort=-fecha&expand=contratos'
    const first = knownListQuery(raw, kept, address)
    const second = knownListQuery(raw, kept, address)
    expect([Object.isFrozen(first), isFixed(second)]).toEqual([false, true])
    ;(first.where as unknown[]).length = 0
    expect(second).toEqual(parse(raw))
    expect(knownListQuery(raw, kept, address)).toBe(second)
  })

  it('are not cached if they are long, or if they have a cursor, because a cursor is valid for only one URL', () => {
    const kept = compileListGrammar(piezas)
    const query = knownListQuery('sort=numero&limit=1', kept, address)
    const row = { numero: 1, lote: 'a' }
    const cursor = cursorMaker(kept.cursorValues, { ...query, page: 2 }, address, { first: row, last: row })(2, false)
    const withCursor = `sort=numero&limit=1&offest=2&after=${cursor}`
    const long = `lote=${'a'.repeat(500)}`
    for (let again = 0; again < 3; again += 1) {
      expect(knownListQuery(withCursor, kept, address).seek).toEqual({ values: [1, 'a'], backwards: false })
      expect(() => knownListQuery(withCursor, kept, { listPath: '/v1/otras' })).toThrow(HttpProblem)
      for (const raw of [withCursor, long]) expect(Object.isFrozen(knownListQuery(raw, kept, address))).toBe(false)
    }
  })

  itWithCaches('QUERY-2: share one object for equal sort orders, so that adapters can use it as a cache key', () => {
    const sorted = ['sort=-fecha&limit=3', 'sort=-fecha&numero=2', 'sort=-fecha&q=uno'].map((raw) => parse(raw).sort)
    const usual = ['', 'limit=3', 'numero=2'].map((raw) => parse(raw).sort)
    for (const orders of [sorted, usual]) expect([new Set(orders).size, isFixed(orders[0])]).toEqual([1, true])
  })

  it.each(['-fecha', 'bogus'])(
    'QUERY-2: nothing is cached for sort=%s if the query has more errors than are reported',
    (sorted) => {
      const kept = compileListGrammar(piezas)
      const strays = Array.from({ length: 60 }, (_, i) => `x${i}=1`).join('&')
      expect(() => knownListQuery(`sort=${sorted}&${strays}`, kept, address)).toThrow(HttpProblem)
      const alone = outcome(() => parseListQuery(`sort=${sorted}`, compileListGrammar(piezas), address))
      expect(outcome(() => knownListQuery(`sort=${sorted}`, kept, address))).toEqual(alone)
    },
  )
})

describe('the parameters of list queries', () => {
  it.each([
    ['offset=2', 'offest'],
    ['lmit=2', 'limit'],
    ['Lote=2', 'lote'],
    ['lotes=2', 'lote'],
    ['fechadesde=2', 'fechaDesde'],
    ['expnd=x', 'expand'],
  ])('QUERY-8: %s is unknown, and the suggestion is %s', (raw, suggestion) => {
    const [violation] = refused(raw)
    expect(violation).toMatchObject({ code: 'unknown', clause: 'QUERY-8', suggestion, allowed: grammar.parameters })
    expect(violation?.detail).toContain(`Did you mean "${suggestion}"?`)
  })

  it.each(['__proto__=1', 'constructor=1', 'toString', 'hasOwnProperty=1', 'xyzzy=1', '=1', 'page=1'])(
    'QUERY-8: %s is unknown',
    (raw) => {
      expect(refused(raw)[0]).toMatchObject({ code: 'unknown', allowed: grammar.parameters })
    },
  )

  it('QUERY-8: a parameter for a feature that a resource lacks is unknown', () => {
    expect(plain.parameters).toEqual(['offest', 'limit'])
    for (const raw of ['sort=id', 'q=x', 'expand=x'])
      expect(refused(raw, (query) => parseListQuery(query, plain))[0]?.code).toBe('unknown')
    expect(refused('a=1', (query) => parseItemQuery(query, plain))[0]?.detail).toBe(
      '"a" is not a parameter here. This request takes no parameters.',
    )
    expect(refused('limit=1', refuseQuery)[0]?.code).toBe('unknown')
    expect(refuseQuery('')).toBeUndefined()
  })

  it('QUERY-7: an invalid cursor is reported with the code "hint"', () => {
    expect(refused('after=x')[0]).toMatchObject({ parameter: 'after', code: 'hint', clause: 'QUERY-7' })
  })

  it('QUERY-8: all violations are reported at once', () => {
    expect(
      codes(
        'numero=x&offset=1&sort=nada,fecha,fecha&limit=0&offest=0&expand=nada&lote=%FF&urgente=a&urgente=b',
      ).toSorted(),
    ).toEqual(
      [
        'lote=%FF encoding',
        'offset unknown',
        'urgente repeated',
        'numero type',
        'urgente type',
        'limit range',
        'offest range',
        'sort unknown',
        'sort repeated',
        'expand unknown',
      ].toSorted(),
    )
  })

  it('QUERY-8: a query with thousands of errors gets a small response quickly', () => {
    const started = cpuTime()
    const many = (piece: (i: number) => string, by: string) => Array.from({ length: 5000 }, (_, i) => piece(i)).join(by)
    for (const raw of [
      many((i) => `lot${i}=1`, '&'),
      many(() => 'numero=1', '&'),
      many(() => '%FF', '&'),
      `sort=${many((i) => `fech${i}`, ',')}`,
      `expand=${many((i) => `contrat${i}`, ',')}`,
      many((i) => `prioridad=${i + 9}`, '&'),
      `${'x'.repeat(100_000)}=1`,
    ]) {
      const found = refused(raw)
      expect(found.length).toBeLessThanOrEqual(50)
      expect(JSON.stringify(found).length).toBeLessThan(25_000)
    }
    expect(cpuTime() - started).toBeLessThan(2000)
  })

  it('QUERY-8: the detail contains the first few errors and the number of the remaining errors', () => {
    try {
      parse('a=1&b=1&c=1&d=1&e=1')
      expect.unreachable()
    } catch (error) {
      expect((error as HttpProblem).detail).toMatch(/^"a" is not a parameter here\. .* And 2 more\.$/)
    }
  })

  it('QUERY-7: the parameters of a query are kept in their order, for its pagination links', () => {
    expect(parse('lote=a&lote=b+c&offest=2').pairs).toEqual([
      ['lote', 'a'],
      ['lote', 'b c'],
      ['offest', '2'],
    ])
  })

  it('QUERY-8: any query is either parsed or refused', () => {
    const piece = fc.constantFrom(
      'lote',
      'numero',
      'sort',
      'offest',
      'limit',
      'q',
      'expand',
      '=',
      '&',
      ',',
      '-',
      '+',
      '%2B',
      '%',
      '1',
      'fecha',
      '__proto__',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const raw = pieces.join('')
        try {
          const { page, size, offset } = parse(raw)
          expect(page >= 1 && size >= 1 && size <= 100 && offset === (page - 1) * size).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(HttpProblem)
          expect((error as HttpProblem).errors.length).toBeGreaterThan(0)
        }
      }),
    )
  })
})

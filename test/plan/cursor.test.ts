import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Scalar } from '../../src/adapters/contract.js'
import { defineResource } from '../../src/definition/resource.js'
import { compileCursorValues, cursorMaker } from '../../src/plan/cursor.js'
import { compileListGrammar, parseListQuery } from '../../src/plan/list-grammar.js'
import { HttpProblem } from '../../src/problem.js'

const piezas = defineResource({
  collection: 'piezas',
  key: ['numero', 'lote'],
  schema: {
    type: 'object',
    required: ['numero', 'lote'],
    properties: {
      numero: { type: 'integer' },
      lote: { type: 'string' },
      peso: { type: 'number' },
      urgente: { type: ['boolean', 'null'] },
      fecha: { type: 'string', format: 'local-date-time' },
      uuid: { type: 'string', format: 'uuid' },
      mixto: { type: ['integer', 'string'] },
      libre: {},
      estado: { enum: ['abierta', 3, null] },
      cp: { type: ['object', 'null'], properties: { codigo: { type: 'integer' } } },
    },
  },
  filters: { lote: { many: true }, peso: true },
  sort: ['numero', 'peso', 'urgente', 'fecha', 'uuid', 'mixto', 'libre', 'estado', 'cp.codigo'],
  search: true,
})
const grammar = compileListGrammar(piezas)
const address = { listPath: '/v1/piezas' }
const parse = (raw: string, at = address) => parseListQuery(raw, grammar, at)

/**
 * The cursor in a link to the page that the query `raw` requests. That page starts after `record`,
 * or ends before it if `backwards` is true.
 */
const cursorOf = (raw: string, record: unknown, backwards = false): string | undefined => {
  const query = parse(raw)
  return cursorMaker(grammar.cursorValues, query, address, { first: record, last: record })(query.page, backwards)
}
const follow = (raw: string, cursor: string) => parse(`${raw}&after=${encodeURIComponent(cursor)}`).seek

/** Whether the only error of a query is its cursor. */
const hasOnlyCursorError = (raw: string, at = address): boolean => {
  try {
    parse(raw, at)
  } catch (error) {
    if (error instanceof HttpProblem)
      return error.errors.length === 1 && error.errors[0]?.code === 'hint' && error.status === 400
    throw error
  }
  return false
}

const text = fc.string({ unit: 'binary', maxLength: 40 })
const integer = fc.maxSafeInteger()
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const date = fc
  .tuple(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), fc.nat(9_999))
  .map(([day, ticks]) => `${day.toISOString().slice(0, -1)}${String(ticks).padStart(4, '0')}`)
const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  numero: integer,
  lote: text,
  peso: number,
  urgente: fc.boolean(),
  fecha: date,
  uuid: fc.uuid(),
  mixto: fc.oneof(integer, text),
  libre: fc.oneof(number, text, fc.boolean()),
  estado: fc.constantFrom('abierta', 'another', 3, 5),
  cp: fc.option(fc.record({ codigo: integer }, { requiredKeys: [] })),
}
const record = fc.record(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.option(value)])), {
  requiredKeys: [],
})
const sort = fc
  .shuffledSubarray(['peso', 'urgente', 'fecha', 'uuid', 'mixto', 'libre', 'estado', 'cp.codigo'], { minLength: 1 })
  .map((fields) => `sort=${fields.map((field, i) => (i % 2 === 0 ? field : `-${field}`)).join(',')}`)

describe('cursors', () => {
  it('QUERY-7: contain the sort values of the row, with null for null and absent values', () => {
    fc.assert(
      fc.property(
        record,
        sort,
        fc.boolean(),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        (row, sorted, backwards, page) => {
          const raw = `${sorted}&offest=${page}`
          const cursor = cursorOf(raw, row, backwards) as string
          const expected = parse(raw).sort.map(({ path: [name = '', inner] }) => {
            const value = (row as Record<string, unknown>)[name] ?? null
            return inner === undefined ? value : ((value as Record<string, unknown> | null)?.[inner] ?? null)
          })
          expect(cursor).toMatch(/^[\w-]+$/)
          expect(follow(raw, cursor)).toEqual({ values: expected, backwards })
        },
      ),
    )
  })

  it('QUERY-7: a string that is not a valid cursor gets 400, and never causes another exception', () => {
    const raw = 'sort=peso,fecha&limit=5&offest=2'
    const valid = cursorOf(raw, { peso: 1.5, fecha: '2024-01-01T08:00:00.0000000', numero: 3, lote: 'a' }) as string
    const garbled = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.base64String(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc.tuple(fc.nat(valid.length), text).map(([at, other]) => valid.slice(0, at) + other),
      fc
        .tuple(fc.nat(valid.length - 1), fc.constantFrom(...'Aa0_-9'))
        .map(([at, one]) => valid.slice(0, at) + one + valid.slice(at + 1)),
      fc.array(fc.jsonValue()).map((parts) => {
        const head = JSON.parse(Buffer.from(valid, 'base64url').toString()).slice(0, 3)
        return Buffer.from(JSON.stringify([...head, ...parts])).toString('base64url')
      }),
    )
    fc.assert(
      fc.property(garbled, (cursor) => {
        const asked = `${raw}&after=${encodeURIComponent(cursor)}`
        if (hasOnlyCursorError(asked)) return
        // Occasionally a changed cursor is still valid. In this case, its values must have the
        // right types.
        const { values = [] } = parse(asked).seek ?? {}
        expect(values.map((value) => (value === null ? 'null' : typeof value)).join()).toMatch(
          /^(?:number|null),(?:string|null),(?:number|null),(?:string|null)$/,
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('QUERY-7: are valid for one page of one query only, but for any spelling of that query', () => {
    const raw = 'lote=a&lote=b&peso=1&sort=-fecha&limit=5&offest=2'
    const cursor = cursorOf(raw, { numero: 1, lote: 'a' }) as string
    for (const same of [
      raw,
      'offest=2&limit=5&sort=-fecha,-numero&peso=1.0&lote=b&lote=a',
      `${raw.replace('limit=5', 'limit=%35')}`,
    ]) {
      expect(follow(same, cursor), same).toEqual({ values: [null, 1, 'a'], backwards: false })
    }
    const changes = ['lote=c', 'q=x', 'q=', 'limit=6', 'offest=3', 'sort=fecha', 'sort=-fecha,numero', 'peso=2']
    for (const change of changes) {
      const [name = ''] = change.split('=')
      const other = [...raw.split('&').filter((pair) => name === 'lote' || !pair.startsWith(`${name}=`)), change].join(
        '&',
      )
      expect([other, hasOnlyCursorError(`${other}&after=${cursor}`)]).toEqual([other, true])
    }
    expect(hasOnlyCursorError(`${raw}&after=${cursor}`, { listPath: '/v1/otras' })).toBe(true)
    expect(hasOnlyCursorError(`sort=lote&after=${cursor}`.replace('lote', 'peso'))).toBe(true)
    expect(hasOnlyCursorError(`q=x&after=${cursor}`)).toBe(true)
  })

  it('QUERY-7: are not created for rows with a sort value that a cursor cannot contain', () => {
    for (const row of [
      { peso: Number.NaN },
      { peso: Number.POSITIVE_INFINITY },
      { peso: '1' },
      { urgente: 1 },
      { numero: 2 ** 53 },
      { numero: 1n },
      { lote: '\ud800' },
      { lote: 'x'.repeat(1_500) },
      { lote: 'x'.repeat(1_000_000) },
      { fecha: 'yesterday' },
      { fecha: new Date(0) },
      { uuid: 'x' },
      { libre: [1] },
      { mixto: true },
    ] as Record<string, unknown>[]) {
      const [name = ''] = Object.keys(row)
      const sorted = name === 'numero' || name === 'lote' ? '' : `sort=${name}`
      expect([name, cursorOf(sorted, row)]).toEqual([name, undefined])
    }
    expect(cursorOf('sort=peso', 'no record')).toBeDefined()
    expect(cursorOf('q=x', { numero: 1, lote: 'a' })).toBeUndefined()
  })

  it('REP-4: contain date-times with seven digits, even if the store returned fewer digits', () => {
    const cursor = cursorOf('sort=fecha', { fecha: '2024-01-01T08:00:00' }) as string
    expect(follow('sort=fecha', cursor)?.values[0]).toBe('2024-01-01T08:00:00.0000000')
  })

  it('REP-8: exclude writeOnly members, at any level', () => {
    // defineResource() already refuses to sort by such members. This test checks that cursors
    // exclude them too.
    const schema = {
      ...piezas.schema,
      properties: {
        ...(piezas.schema.properties as object),
        cp: { type: 'object', writeOnly: true, properties: { codigo: { type: 'integer' } } },
      },
    }
    const hidden = defineResource({ collection: 'piezas', key: 'numero', schema } as never)
    const cursorValues = compileCursorValues({ ...piezas, shape: hidden.shape })
    expect([cursorValues.has('numero'), cursorValues.has('peso'), cursorValues.has('cp.codigo')]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('QUERY-7: a list without a URL, such as the list of a hand-written route, accepts no cursors', () => {
    const cursor = cursorOf('sort=peso', { numero: 1, lote: 'a' }) as string
    expect(() => parseListQuery(`sort=peso&after=${cursor}`, grammar)).toThrow('does not match')
    expect(parse('sort=peso')).not.toHaveProperty('seek')
  })

  it('QUERY-7: a query is hashed only once for all of its links', () => {
    const query = parse('sort=peso&offest=2')
    let asked = 0
    const counted = {
      get listPath() {
        asked += 1
        return address.listPath
      },
    }
    const to = cursorMaker(grammar.cursorValues, query, counted, { first: { peso: 1 }, last: { peso: 2 } })
    const [before, after] = [to(1, true), to(3, false)]
    expect(asked).toBe(1)
    const seeks = [follow('sort=peso&offest=1', before as string), follow('sort=peso&offest=3', after as string)]
    expect(seeks.map((seek) => [seek?.values[0] as Scalar, seek?.backwards])).toEqual([
      [1, true],
      [2, false],
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { parseSearch, wordsOf } from '../../../src/adapters/memory/search-query.js'
import { defineResource } from '../../../src/definition/resource.js'
import { cpuTime } from '../../cpu-time.js'
import { type Pieza, piezas } from './pieces.js'
import { call, callOf, listRequest, type RequestParts } from './requests.js'

const records: readonly Pieza[] = [
  {
    numero: 1,
    lote: 'Camión de Jaén',
    destino: { calle: 'Calle Mayor 5' },
    etiquetas: ['frágil', 'entrega en mostrador'],
  },
  { numero: 2, lote: 'CAMION, camión', destino: { calle: 'Gran Vía' }, etiquetas: [] },
  { numero: 3, lote: null, destino: null, etiquetas: ['mostrador', 'en entrega'] },
  { numero: 4, lote: 'barco', inquilino: 'camion', destino: { calle: '大阪 Ünter' } },
]

function found(search: string, parts: RequestParts = {}): number[] {
  const { items, total } = memoryAdapter(piezas, { records }).list(listRequest({ search, ...parts }), call)
  expect(total).toBe(items.length)
  return items.map(({ value }) => value.numero)
}

it('QUERY-3: a phrase with repeated words, such as "a a b", is found wherever it occurs', () => {
  const texts = ['a a a b', 'a b a b a c', 'a a b a a a b', 'b a', 'a a a a']
  const adapter = memoryAdapter(piezas, {
    records: texts.map((lote, i) => ({ numero: i + 1, lote, destino: null, etiquetas: [] })),
  })
  const holding = (phrase: string) =>
    adapter.list(listRequest({ search: `"${phrase}"`, sort: 'numero' }), call).items.map(({ value }) => value.numero)
  for (const phrase of ['a a b', 'a b a c', 'a a a b', 'a a', 'b a b', 'a a a a', 'a a a a a']) {
    const expected = texts.flatMap((text, i) => (` ${text} `.includes(` ${phrase} `) ? [i + 1] : []))
    expect(holding(phrase), phrase).toEqual(expected)
  }
})

describe('the parameter q', () => {
  it.each([
    ['ignores case and accents', 'CAMIÓN', [2, 1]],
    ['searches nested members', 'mayor', [1]],
    ['searches arrays of text', 'fragil', [1]],
    ['searches only the members that the definition names', 'camion', [1, 2]],
    ['recognizes letters of all scripts', '大阪', [4]],
    ['splits words at characters other than letters and digits', '  mayor,5!', [1]],
    ['matches only whole words', 'may', []],
    ['requires all words', 'camion jaen', [1]],
    ['finds nothing if one word is missing', 'camion zaragoza', []],
    ['treats quoted words as a phrase', '"entrega en mostrador"', [1]],
    ['does not find a phrase that extends over two texts', '"mostrador en entrega"', []],
    ['accepts an unclosed quote', '"gran via', [2]],
    ['accepts the operator OR between words', 'barco or jaen', [1, 4]],
    ['gives the operator OR a lower precedence than adjacent words', 'gran camion OR barco', [2, 4]],
    ['excludes words after -', 'camion -jaen', [2]],
    ['excludes phrases after -', 'mostrador -"en mostrador"', [3]],
    ['accepts a query of excluded words only', '-camion', [3, 4]],
    ['treats "or" in quotes as a word', '"or"', []],
    ['ignores an OR that lacks an operand', 'or barco or', [4]],
  ])('QUERY-3: %s', (_, search, expected) => {
    const items = found(search)
    expect(search === 'CAMIÓN' ? items : items.toSorted()).toEqual(expected)
  })

  it.each(['', '   ', '"', '-', '"" - !?', 'or', 'or or', '\uD800'])(
    'QUERY-3: %j has no word and matches all records in key order',
    (search) => {
      expect(found(search)).toEqual([1, 2, 3, 4])
    },
  )

  it('QUERY-3: orders by rank, then by key; an explicit sort takes precedence', () => {
    expect(found('camion')).toEqual([2, 1])
    expect(found('mostrador')).toEqual([1, 3])
    expect(found('camion', { sort: 'numero' })).toEqual([1, 2])
    expect(found('mostrador', { sort: '-numero' })).toEqual([3, 1])
    const { items } = memoryAdapter(piezas, { records }).list(listRequest({ search: 'camion', page: 2, size: 1 }), call)
    expect(items.map(({ value }) => value.numero)).toEqual([1])
  })

  it('QUERY-3: a rarer word has more weight', () => {
    const adapter = memoryAdapter(piezas, { records: ['a', 'a', 'a', 'b a', 'c'].map((lote) => ({ lote }) as Pieza) })
    expect(adapter.list(listRequest({ search: 'a or c' }), call).items.map(({ value }) => value.lote)).toEqual([
      'c',
      'a',
      'a',
      'a',
      'b a',
    ])
  })

  it('QUERY-3: orders by rank even if a range on the key selects the records', () => {
    const adapter = memoryAdapter(piezas, {
      records: Array.from({ length: 400 }, (_, i) => ({ numero: i + 1, lote: i === 90 ? 'a a a' : 'a' })),
    })
    const { total, items } = adapter.list(
      listRequest({ search: 'a', where: [{ field: 'numero', op: 'lte', value: 100 }], size: 3 }),
      call,
    )
    expect({ total, numbers: items.map(({ value }) => value.numero) }).toEqual({ total: 100, numbers: [91, 1, 2] })
  })

  it('QUERY-3: works with filters, and respects the scope', () => {
    const adapter = memoryAdapter(piezas, { records })
    const filtered = adapter.list(
      listRequest({ search: 'camion', where: [{ field: 'lote', op: 'eq', value: 'Camión de Jaén' }] }),
      call,
    )
    expect(filtered.items.map(({ value }) => value.numero)).toEqual([1])
    expect(adapter.list(listRequest({ search: 'barco' }), callOf({ scope: { inquilino: 'otro' } }))).toMatchObject({
      total: 0,
      items: [],
    })
    expect(adapter.list(listRequest({ search: 'barco' }), callOf({ scope: { inquilino: 'camion' } })).total).toBe(1)
  })

  it('QUERY-3: finds the current texts after every create, replace and remove', () => {
    const adapter = memoryAdapter(piezas, { records })
    const search = (text: string) =>
      adapter.list(listRequest({ search: text }), call).items.map(({ value }) => value.numero)
    expect(search('barco')).toEqual([4])
    adapter.replace(4, { numero: 4, lote: 'avión' }, undefined, call)
    expect(search('barco')).toEqual([])
    expect(search('avion')).toEqual([4])
    adapter.create({ numero: 9, lote: 'Avión' }, call)
    expect(search('avion')).toEqual([4, 9])
    adapter.replace(9, { numero: 9, lote: 'Avión', peso: 3 }, undefined, call)
    expect(search('avion')).toEqual([4, 9])
    adapter.remove(4, undefined, call)
    expect(search('avion')).toEqual([9])
  })

  it('QUERY-3: if "search" is true, all string members are searched, except writeOnly ones (REP-8)', () => {
    const notas = defineResource({
      collection: 'notas',
      key: 'id',
      search: true,
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          clave: { type: 'string', writeOnly: true },
          hojas: {
            type: 'array',
            items: {
              type: 'object',
              properties: { texto: { type: 'string' }, pin: { type: 'string', writeOnly: true } },
            },
          },
        },
      },
    })
    const adapter = memoryAdapter(notas, {
      records: [{ id: 'x', clave: 'secreta', hojas: [{ texto: 'hola mundo', pin: 'oculto' }] }],
    })
    const total = (search: string) => adapter.list(listRequest({ search }), call).total
    expect([total('x'), total('mundo'), total('secreta'), total('oculto')]).toEqual([1, 1, 0, 0])
  })

  it('REP-8: if "search" is true, texts that clients may not see are not searched, at any depth of a schema', () => {
    const pin = { type: 'string', writeOnly: true }
    const notas = defineResource({
      collection: 'notas',
      key: 'id',
      search: true,
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          porPatron: { type: 'object', patternProperties: { '^pin': pin }, additionalProperties: { type: 'string' } },
          mapa: { type: 'object', additionalProperties: { type: 'object', properties: { pin } } },
          par: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'object', properties: { pin } }] },
          libre: {},
          fijo: { type: 'object', properties: { texto: { type: 'string' } } },
        },
      },
    })
    const record = {
      id: 'x',
      porPatron: { pinUno: 'aaa', otro: 'visible1' },
      mapa: { uno: { pin: 'bbb' } },
      par: ['visible2', { pin: 'ccc' }],
      libre: [{ algo: 'visible3' }],
      fijo: { texto: 'visible4', columna: 'ddd' },
      columna: 'eee',
    }
    const adapter = memoryAdapter(notas, { records: [record] })
    const found = (text: string) => adapter.list(listRequest({ search: text }), call).total === 1
    expect(['visible1', 'visible2', 'visible3', 'visible4'].filter(found)).toHaveLength(4)
    expect(['aaa', 'bbb', 'ccc', 'ddd', 'eee'].filter(found)).toEqual([])
  })

  it('QUERY-3: gives the same result as a scan of all records', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd')
    const texts = fc.array(fc.array(word, { maxLength: 5 }), { minLength: 1, maxLength: 12 })
    const term = fc.record({ words: fc.array(word, { minLength: 1, maxLength: 3 }), not: fc.boolean() })
    const clauses = fc.array(fc.array(term, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(texts, clauses, (all, asked) => {
        const adapter = memoryAdapter(piezas, {
          records: all.map((words, i) => ({ numero: i + 1, lote: words.join(' ') })),
        })
        const search = asked
          .map((terms) => terms.map(({ words, not }) => `${not ? '-' : ''}"${words.join(' ')}"`).join(' '))
          .join(' or ')
        const expected = all.flatMap((words, i) => {
          const stands = (phrase: readonly string[]) => ` ${words.join(' ')} `.includes(` ${phrase.join(' ')} `)
          return asked.some((terms) => terms.every(({ words: phrase, not }) => stands(phrase) !== not)) ? [i + 1] : []
        })
        const { items } = adapter.list(listRequest({ search, sort: 'numero' }), call)
        expect(items.map(({ value }) => value.numero)).toEqual(expected)
      }),
    )
  })
})

describe('hostile text', () => {
  it('QUERY-3: any string is a valid query', () => {
    const adapter = memoryAdapter(piezas, { records })
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (search) => {
        expect(adapter.list(listRequest({ search }), call).total).toBeLessThanOrEqual(4)
      }),
    )
  })

  it.each([
    ['quotes', '"'],
    ['minus signs', '-'],
    ['lone surrogates', '\uD800'],
    ['phrases', '"a b" '],
    ['excluded words', '-a '],
    ['OR operators', 'a or -b or '],
    ['one long word', 'a'],
    ['combining marks in the wrong order', '\u0301\u0323'],
    ['quotes and minus signs', '-"'],
  ])('QUERY-3: 100,000 characters of %s, in a query and in a record, take less than a second', (_, part) => {
    const text = part.repeat(Math.ceil(100_000 / part.length))
    const adapter = memoryAdapter(piezas, { records: [...records, { numero: 5, lote: `é${text}` }] })
    const start = cpuTime()
    adapter.list(listRequest({ search: text }), call)
    adapter.list(listRequest({ search: `a${text}` }), call)
    // An algorithm with quadratic time would take seconds: `String.prototype.normalize` alone takes
    // 2.5 s for the combining marks.
    expect(cpuTime() - start).toBeLessThan(1_000)
  })

  it('QUERY-3: a query of more than 128 words is refused, not shortened', () => {
    const words = Array.from({ length: 128 }, (_, i) => `w${i}`)
    expect(parseSearch(words.join(' '))?.[0]?.words).toEqual(words)
    expect(parseSearch(words.join(' or '))).toHaveLength(128)
    const adapter = memoryAdapter(piezas, { records })
    for (const search of [`${words.join(' ')} -x`, `${words.join(' or ')} or x`, `"${words.join(' ')} x"`])
      expect(adapter.list(listRequest({ search }), call)).toMatchObject({
        items: [],
        refused: { refused: 'rule', members: [], why: 'has more than 128 words. Send at most 128 words' },
      })
  })
})

describe('wordsOf', () => {
  it('QUERY-3: folds case and accents, whether the accents are composed or decomposed', () => {
    expect(wordsOf('Ñandú N\u0303ANDU\u0301 İstanbul 3ª-B_c')).toEqual(['nandu', 'nandu', 'istanbul', '3ª', 'b', 'c'])
  })
})

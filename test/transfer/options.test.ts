import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount, representation } from '../../src/index.js'
import { csv, ndjson } from '../../src/transfer/index.js'
import { pedidos, pedidosOf } from './fixture.js'

const exporting = (exports: unknown, more = {}) => mount(pedidos, pedidosOf(0), { exports: exports as never, ...more })

describe('options of exports', () => {
  it.each([
    [() => csv({ separator: 'x' as never }), `"separator" of csv() is 'x'. Give ',', ';', '\\t' or '|'.`],
    [() => csv({ seperator: ';' } as never), 'Did you mean "separator"?'],
    [() => csv({ escapeFormulas: 'yes' as never }), `"escapeFormulas" of csv() is 'yes'. Give a boolean.`],
    [() => csv({ fileName: '../a.csv' }), 'Give the name of a file'],
    [() => ndjson({ bom: true } as never), 'ndjson() has no option "bom"'],
    [
      () => exporting({ formats: [] }),
      '"exports.formats" of the mount of "pedidos" is an empty list. Give a list of results of csv() and ndjson()',
    ],
    [() => exporting([csv()]), '"exports" of the mount of "pedidos" is a list. Give { formats, '],
    [() => exporting({ formats: [csv(), csv({ separator: ';' })] }), 'has two formats with the media type "text/csv"'],
    [
      () => exporting({ formats: [csv()], timeout: 0 }),
      '"exports.timeout" of the mount of "pedidos" is 0. Give a whole number of milliseconds from 1.',
    ],
    [
      () => exporting({ formats: [csv()], maxConcurrent: 1.5 }),
      '"exports.maxConcurrent" of the mount of "pedidos" is 1.5. Give a whole number from 1.',
    ],
    [
      () =>
        exporting(
          { formats: [csv()] },
          { representations: [representation('text/csv; charset=utf-8', { list: () => '' })] },
        ),
      'both an export and a representation',
    ],
  ])('invalid options are refused at startup: case %#', (make, message) => {
    expect(make).toThrow(message)
  })

  it('if records can have undeclared members, NDJSON is allowed, but CSV is refused', () => {
    const bolsas = defineResource({
      collection: 'bolsas',
      key: 'id',
      schema: { type: 'object', required: ['id'], additionalProperties: true, properties: { id: { type: 'integer' } } },
    })
    const of = (format: ReturnType<typeof csv>) =>
      api({ versions: { v1: [mount(bolsas, memoryAdapter(bolsas), { exports: { formats: [format] } })] } })
    expect(() => of(csv())).toThrow('CSV needs a column for each')
    expect(() => of(ndjson())).not.toThrow()
  })

  it.each([
    ['orders.csv', 'attachment; filename="orders.csv"'],
    ['a "b".csv', 'attachment; filename="a \\"b\\".csv"'],
    ['año.csv', `attachment; filename="a_o.csv"; filename*=UTF-8''a%C3%B1o.csv`],
  ])('RFC 6266, RFC 8187: csv() encodes the file name %j in Content-Disposition', (fileName, field) => {
    expect(csv({ fileName }).disposition).toBe(field)
  })
})

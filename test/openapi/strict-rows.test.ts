/**
 * describeStrictly() on exports. Each line of an NDJSON or CSV body must match the record that the
 * document describes.
 */
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { api, type Middleware, mount } from '../../src/index.js'
import { describeStrictly, openapi } from '../../src/openapi/index.js'
import { csv, ndjson } from '../../src/transfer/index.js'
import { listen, type Served } from '../clauses/fixture.js'
import { clientes, clientesOf, pedidos, pedidosOf } from '../transfer/fixture.js'

const serviceOf = (table = csv({ separator: ';', escapeFormulas: true, bom: true })) =>
  api({
    versions: {
      v1: [mount(pedidos, pedidosOf(5), { exports: { formats: [table, ndjson()] } }), mount(clientes, clientesOf())],
    },
  })
const service = serviceOf()

let served: Omit<Served, 'data'> | undefined
afterEach(() => served?.close())

async function answered(behind: Middleware, Accept: string, path = '/v1/pedidos') {
  served = await listen(express().use(describeStrictly(service), behind as never))
  return served.send('GET', path, { Accept })
}

const sends =
  (type: string, body: string): Middleware =>
  (_req, res) =>
    void res
      .writeHead(200, {
        'Cache-Control': 'private, no-cache',
        Vary: 'Accept',
        'x-request-id': 'r1',
        'Content-Type': type,
      })
      .end(body)

const base = 'id;nota;importe;urgente;marcas;destino.calle;destino.cp;cliente.href;cliente.nombre'
const row = '1;uno;1.5;true;[];;;;'
const table = (...lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('')
const record = { id: 1, nota: 'uno', importe: 1.5, urgente: true, marcas: [], destino: null, cliente: null }

describe('describeStrictly(): the lines of exports', () => {
  it('are described with their records, columns and cell formats', () => {
    const { paths } = openapi(service, 'v1') as unknown as {
      paths: Record<string, { get: { responses: Record<string, unknown> } }>
    }
    expect(paths['/pedidos']?.get.responses[200]).toMatchObject({
      content: {
        'application/x-ndjson': { 'x-item-schema': { $ref: '#/components/schemas/Pedido' } },
        'text/csv': {
          'x-item-schema': { $ref: '#/components/schemas/Pedido' },
          'x-csv': {
            separator: ';',
            escapedFormulas: true,
            columns: expect.arrayContaining([
              { name: 'id', cell: 'number' },
              { name: 'marcas', cell: 'json' },
              { name: 'cliente.href', cell: 'text' },
              { name: 'cliente.id', cell: 'number', expand: 'cliente' },
            ]),
          },
        },
      },
    })
    expect(JSON.stringify(paths)).not.toContain('secreto')
  })

  it.each(['text/csv', 'application/x-ndjson'])('match the document if the service sends them as %s', async (type) => {
    for (const path of [
      '/v1/pedidos',
      '/v1/pedidos?expand=cliente',
      '/v1/clientes/1/pedidos',
      '/v1/pedidos?urgente=true&importeDesde=99999',
    ]) {
      const { status, text } = await answered(service as never, type, path)
      expect([status, text.includes('does not match the schema')], `${path} ${text}`).toEqual([200, false])
      await served?.close()
    }
  })

  it.each<[what: string, expected: RegExp | number, body: string]>([
    ['a table', 200, table(base, row)],
    ['a table without rows', 200, table(base)],
    ['an empty string', 200, table(base, '1;"";1.5;true;[];;;;')],
    ['an escaped formula', 200, table(base, "1;'=1+1;-1.5;true;[];;;;")],
    ['a link to a record', 200, table(base, '1;uno;;true;[];Mayor 1;;http://a.example/v1/clientes/1;Ana')],
    [
      'columns in another order',
      200,
      table(
        'nota;id;importe;urgente;marcas;destino.calle;destino.cp;cliente.href;cliente.nombre',
        'uno;1;1.5;true;[];;;;',
      ),
    ],
    ['no header row', /the body can't be read: it has no header row/, ''],
    ['an unknown column', /the column "otra" is not in the document/, table(`${base};otra`, `${row};1`)],
    ['a duplicate column', /the column "id" is repeated/, table(`${base};id`, `${row};1`)],
    [
      'a missing column',
      /the column "urgente" is missing/,
      table(base.replace('urgente;', ''), row.replace('true;', '')),
    ],
    ['another separator', /the column "id,nota" is not in the document/, table('id,nota')],
    ['a row that is too short', /line 2: it has 8 cells, but the header row has 9/, table(base, row.slice(0, -1))],
    [
      'a cell of another type',
      /line 2: "uno" in the column "id" is not a number/,
      table(base, row.replace('1;', 'uno;')),
    ],
    ['a cell that is not JSON', /line 2: "\[" in the column "marcas" is not JSON/, table(base, row.replace('[]', '['))],
    [
      'a number that is not an integer',
      /does not match the schema: line 3: \/id must be integer/,
      table(base, row, row.replace('1;', '1.5;')),
    ],
    [
      'an empty cell of a required member',
      /does not match the schema: line 2: .*'nota'/,
      table(base, row.replace('uno', '')),
    ],
    [
      'a list of values of another type',
      /does not match the schema: line 2: \/marcas\/0 must be string/,
      table(base, row.replace('[]', '[1]')),
    ],
    [
      'a link without an address',
      /does not match the schema: line 2: \/cliente must have required property 'href'/,
      table(base, `${row}Ana`),
    ],
    ['an unclosed quote', /the body can't be read: .*quote/, table(base, `"${row}`)],
  ])('in CSV, %s gets %s', async (_, expected, body) => {
    const { status, json } = await answered(
      sends('text/csv; charset=utf-8; header=present', `\uFEFF${body}`),
      'text/csv',
    )
    if (typeof expected === 'number') expect([status, json?.detail]).toEqual([expected, undefined])
    else expect(json.detail).toMatch(expected)
  })

  it.each<[what: string, expected: RegExp | number, body: string]>([
    ['records', 200, `${JSON.stringify(record)}\n${JSON.stringify({ ...record, id: 2 })}\n`],
    ['no records', 200, ''],
    [
      'a record that breaks the schema',
      /does not match the schema: line 2: \/id must be integer/,
      `${JSON.stringify(record)}\n${JSON.stringify({ ...record, id: '2' })}\n`,
    ],
    [
      'an unknown member',
      /does not match the schema: line 1: .*"secreto"/,
      `${JSON.stringify({ ...record, secreto: 's' })}\n`,
    ],
    ['a line that is not JSON', /line 2: it is not JSON/, `${JSON.stringify(record)}\n{\n`],
    ['an array', /does not match the schema: line 1: The value must be object/, `${JSON.stringify([record])}\n`],
    ['an empty line', /line 1: it is not JSON/, '\n'],
    ['a last line without LF', /line 1: it does not end with LF/, JSON.stringify(record)],
  ])('in NDJSON, %s gets %s', async (_, expected, body) => {
    const { status, json } = await answered(sends('application/x-ndjson; charset=utf-8', body), 'application/x-ndjson')
    if (typeof expected === 'number') expect([status, json?.detail]).toEqual([expected, undefined])
    else expect(json.detail).toMatch(expected)
  })

  it('the problem names the errors of the first lines, and the number of other lines with errors', async () => {
    const body = Array.from({ length: 100 }, () => `${JSON.stringify({ ...record, id: '1' })}\n`).join('')
    const { json } = await answered(sends('application/x-ndjson', body), 'application/x-ndjson')
    expect(json.detail).toMatch(/does not match the schema: line 5: .*\n.*95 more lines have faults\.$/)
    expect(json.detail).not.toContain('line 6')
  })
})

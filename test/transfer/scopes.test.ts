/**
 * Exports and imports respect the scope and the permissions of their caller. They also work with
 * views, and with numbers in strings.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { adapterView, api, defineResource, mount } from '../../src/index.js'
import { csv, imports, ndjson } from '../../src/transfer/index.js'
import { listen, problem, type Served } from '../clauses/fixture.js'

const text = { type: 'string' } as const
const agentes = defineResource({
  collection: 'agentes',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { ...text, format: 'uuid' }, nombre: text } },
})
const cobros = defineResource({
  collection: 'cobros',
  key: ['empresa', 'numero'],
  schema: {
    type: 'object',
    required: ['empresa', 'numero', 'importe'],
    properties: {
      empresa: { type: 'integer' },
      numero: { ...text, format: 'int64' },
      importe: { ...text, format: 'decimal' },
      momento: { type: ['string', 'null'], format: 'date-time' },
      nota: { type: ['string', 'null'] },
      agenteId: { type: ['string', 'null'], format: 'uuid' },
    },
  },
  filters: { importeDesde: { field: 'importe', op: 'gte' } },
  sort: ['importe'],
  links: { agente: { to: agentes, by: 'agenteId', show: ['nombre'] } },
  scope: (principal) => ({ empresa: Number(principal) }),
})
const ana = '0ef3c1d2-0000-4000-8000-00000000000a'
const big = '9007199254740993'

describe('exports and imports of a scope', () => {
  let served: Omit<Served, 'data'>
  const data = memoryAdapter(cobros, {
    records: [
      { empresa: 1, numero: big, importe: '-0.10', momento: '2026-01-01T00:00:00.000Z', nota: '=1+1', agenteId: ana },
      { empresa: 1, numero: '2', importe: '100000000000000000000.01', momento: null, nota: null, agenteId: null },
      { empresa: 2, numero: '3', importe: '7', momento: null, nota: 'ajena', agenteId: null },
    ],
  })
  const people = memoryAdapter(agentes, { records: [{ id: ana, nombre: 'Ana' }] })
  const copies = memoryAdapter(cobros)
  const safe = csv({ escapeFormulas: true })
  beforeAll(async () => {
    const exports = { formats: [safe, ndjson()] }
    const old = defineResource({
      collection: 'cobros',
      key: ['empresa', 'numero'],
      schema: {
        type: 'object',
        required: ['empresa', 'numero', 'total'],
        properties: {
          empresa: { type: 'integer' },
          numero: { ...text, format: 'int64' },
          total: { ...text, format: 'decimal' },
        },
      },
      scope: (principal) => ({ empresa: Number(principal) }),
    })
    const app = api({
      principal: (req) => req.headers['x-empresa'],
      permission: (principal, _, resource) => (principal === '1' || resource !== 'agentes' ? 'allow' : 'forbidden'),
      versions: {
        v2: [mount(cobros, data, { exports }), mount(agentes, people)],
        v1: [
          mount(
            old,
            adapterView(data, { rename: { total: 'importe' }, hides: ['momento', 'nota', 'agenteId'] }) as never,
            { exports },
          ),
        ],
        v3: [
          mount(cobros, copies, { exports }),
          mount(agentes, people),
          imports('cobro-imports', cobros, {
            description: 'Takes payments.',
            formats: [safe, ndjson()],
            transaction: 'none',
          }),
        ],
      },
    })
    served = await listen(express().use(app))
  })
  afterAll(() => served.close())
  const exported = (path: string, empresa: string, accept = 'text/csv') =>
    served.send('GET', path, { accept, 'x-empresa': empresa })

  it('an export contains only records in the scope of the caller', async () => {
    const own = await exported('/v2/cobros', '1')
    expect(own.status).toBe(200)
    expect(own.text).not.toContain('ajena')
    expect(own.text.trim().split('\r\n')).toHaveLength(3)
    const other = await exported('/v2/cobros', '2', 'application/x-ndjson')
    expect(
      other.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).numero),
    ).toEqual(['3'])
  })

  it('AUTH-4: an export omits the members of a linked record if the caller must not read that record', async () => {
    expect((await exported('/v2/cobros', '1')).text).toContain('Ana')
    data.create?.(
      { empresa: 2, numero: '4', importe: '1', agenteId: ana } as never,
      { scope: {}, principal: '2', requestId: 'r' } as never,
    )
    const hidden = await exported('/v2/cobros', '2')
    expect(hidden.status).toBe(200)
    expect(hidden.text).not.toContain('Ana')
  })

  it('int64 and decimal values keep all significant digits; decimals are filtered and sorted as numbers', async () => {
    const rows = (await exported('/v2/cobros?sort=importe', '1')).text.trim().split('\r\n').slice(1)
    expect(rows[0]).toContain(`1,${big},-0.1,`)
    expect(rows[0]).toContain("'=1+1")
    expect(rows[1]).toContain('100000000000000000000.01')
    const filtered = (await exported('/v2/cobros?importeDesde=000.5', '1')).text
    expect(filtered).not.toContain(big)
  })

  it('an export of a view uses the member names of the view', async () => {
    const old = await exported('/v1/cobros', '1')
    expect(old.status).toBe(200)
    expect(old.text.split('\r\n')[0]).toBe('empresa,numero,total')
    expect(old.text).toContain(`1,${big},-0.1`)
  })

  it('an import accepts an export of the same scope, and refuses an export of another scope', async () => {
    const file = (await exported('/v2/cobros?sort=importe', '1')).text
    const send = (empresa: string) =>
      served.send(
        'POST',
        '/v3/cobro-imports',
        { 'content-type': 'text/csv', 'x-empresa': empresa, accept: 'application/json' },
        file,
      )
    const foreign = await send('2')
    expect(problem(foreign).status).toBe(422)
    expect((await exported('/v3/cobros', '2')).text.trim().split('\r\n')).toHaveLength(1)
    const taken = await send('1')
    expect([taken.status, taken.text]).toEqual([200, expect.any(String)])
    expect((await exported('/v3/cobros?sort=importe', '1')).text).toBe(file.replaceAll('/v2/', '/v3/'))
  })
})

/**
 * Tests formats that allow several spellings of one value, such as `12.5` and `12.50`. The value is
 * returned in one canonical spelling, in JSON and XML. A filter finds the value by any of its
 * spellings (QUERY-1, REP-4).
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { listen, type Served } from './fixture.js'

const text = { type: 'string' } as const
const cuentas = defineResource({
  collection: 'cuentas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { ...text, format: 'uuid' }, nombre: text } },
})
const apuntes = defineResource({
  collection: 'apuntes',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero', 'importe', 'momento'],
    properties: {
      numero: { ...text, format: 'int64' },
      importe: { ...text, format: 'decimal' },
      momento: { ...text, format: 'date-time' },
      cuentaId: { type: ['string', 'null'], format: 'uuid' },
    },
  },
  filters: { importe: true, momento: true, cuentaId: true },
  links: { cuenta: { to: cuentas, by: 'cuentaId', show: ['nombre'] } },
})
const id = '0ef3c1d2-0000-4000-8000-00000000000a'

describe('values with a canonical form', () => {
  let served: Omit<Served, 'data'>
  beforeAll(async () => {
    const app = api({
      versions: {
        v1: [
          mount(cuentas, memoryAdapter(cuentas, { records: [{ id, nombre: 'Caja' }] })),
          mount(apuntes, memoryAdapter(apuntes)),
        ],
      },
    })
    served = await listen(express().use(app))
  })
  afterAll(() => served.close())

  it('REP-4, REP-7: values sent as XML in any spelling are returned in canonical form as XML and JSON', async () => {
    const xml =
      '<apunte><numero>9007199254740993</numero><importe>+0012.50</importe><momento>2026-01-02t00:00:00+02:00</momento>' +
      `<cuenta><id>${id.toUpperCase()}</id></cuenta></apunte>`
    const made = await served.send('POST', '/v1/apuntes', { 'content-type': 'application/xml' }, xml)
    expect([made.status, made.text]).toEqual([201, ''])
    const location = new URL(String(made.headers.location)).pathname
    const { json } = await served.send('GET', location)
    const cuenta = { href: `${served.origin}/v1/cuentas/${id}`, nombre: 'Caja' }
    expect(json).toEqual({ numero: '9007199254740993', importe: '12.5', momento: '2026-01-01T22:00:00.000Z', cuenta })
    const shown = await served.send('GET', location, { accept: 'application/xml' })
    for (const value of ['9007199254740993', '12.5', '2026-01-01T22:00:00.000Z', id])
      expect(shown.text).toContain(value)
    const again = await served.send('PUT', location, { 'content-type': 'application/xml' }, shown.text)
    expect([again.status, again.json]).toEqual([200, json])
  })

  it.each([
    ['importe', '12.500'],
    ['importe', '12.5'],
    ['momento', '2026-01-01T23:00:00.0%2B01:00'],
    ['momento', '2026-01-01T22:00:00z'],
    ['momento', '2026-01-01%2022:00:00Z'],
    ['momento', '2026-01-01%2023:00:00+01:00'],
    ['cuentaId', id.toUpperCase()],
  ])('QUERY-1: the filter %s=%s finds the record with an equal value, in any spelling', async (name, value) => {
    const found = await served.send('GET', `/v1/apuntes?${name}=${value}`)
    expect([found.status, found.headers['x-total-count']]).toEqual([200, '1'])
  })

  it('PATH-11, REP-7: a UUID in upper case works in a path and in the href of a link', async () => {
    expect((await served.send('GET', `/v1/cuentas/${id.toUpperCase()}`)).status).toBe(200)
    const body = { cuenta: { href: `${served.origin}/v1/cuentas/${id.toUpperCase()}` } }
    const patched = await served.send('PATCH', '/v1/apuntes/9007199254740993', {}, body)
    expect([patched.status, (patched.json as { cuenta: { href: string } }).cuenta.href]).toEqual([
      200,
      `${served.origin}/v1/cuentas/${id}`,
    ])
  })

  it('ERR-2: invalid values in a body get 422 with pointers. Invalid filters get 400 with their names', async () => {
    const body = { numero: '9223372036854775808', importe: '1,5', momento: '2026-02-30T00:00:00Z' }
    const refused = await served.send('POST', '/v1/apuntes', {}, body)
    const { errors } = refused.json as { errors: { pointer: string; code: string }[] }
    expect([refused.status, errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()]).toEqual([
      422,
      ['/importe format', '/momento format', '/numero format'],
    ])
    const query = await served.send('GET', '/v1/apuntes?importe=1,5&momento=ayer')
    expect([
      query.status,
      (query.json as { errors: { parameter: string }[] }).errors.map(({ parameter }) => parameter),
    ]).toEqual([400, ['importe', 'momento']])
  })
})

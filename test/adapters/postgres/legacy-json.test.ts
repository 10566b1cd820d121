/**
 * Tests JSON columns to which other programs write. GET does not show the following values exactly
 * as they are stored: date-times in another spelling, long numbers, and values of other types.
 * Lists with such values can be paged.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount } from '../../../src/index.js'
import { ndjson } from '../../../src/transfer/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

const text = (format: string) => ({ type: ['string', 'null'], format })
const members = {
  momento: text('date-time'),
  local: text('local-date-time'),
  uuid: text('uuid'),
  plazo: text('duration'),
  importe: text('decimal'),
  cuenta: text('int64'),
  precio: { type: ['number', 'null'] },
  mezcla: { type: ['string', 'integer', 'boolean', 'null'] },
  libre: {},
  cuando: { type: ['string', 'integer', 'null'], format: 'date-time' },
  saldo: { type: ['string', 'number', 'null'], format: 'decimal' },
}
const names = Object.keys(members)
const cosas = defineResource({
  collection: 'cosas',
  key: 'id',
  schema: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      doc: { type: ['object', 'null'], properties: members },
      ...members,
    },
  },
  sort: names.flatMap((name) => [name, `doc.${name}`]),
  filters: {
    mezcla: true,
    libre: true,
    desde: { field: 'mezcla', op: 'gte' },
    hasta: { field: 'doc.mezcla', op: 'lte' },
  },
} as never)

/**
 * The stored JSON texts, by member. Some texts of a member differ although GET shows them as the
 * same value, such as `5` and `5.0`.
 */
const stored: Readonly<Record<string, readonly string[]>> = {
  momento: ['"2024-03-01T08:00:00Z"', '"2024-03-01T09:00:00+01:00"', '"2024-03-01T08:00:00.000Z"'],
  local: ['"2024-03-01T08:00:00"', '"2024-03-01T08:00:00.0000000"', '"2024-03-01T08:00:00.0"'],
  uuid: ['"6F9619FF-8B86-4D01-B42D-00CF4FC964FF"', '"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"'],
  plazo: ['"P1W"', '"P7D"', '"PT60M"'],
  importe: ['"1.50"', '"1.5"', '"+1.5"'],
  cuenta: ['"007"', '"7"'],
  precio: ['0.1', '0.1000000000000000055511151231257827', '1234567890123456', '1e400', '1e-400', '0', 'null'],
  mezcla: ['"a"', '5', '"b"', '7', '"5"', '10', 'true', '"true"', 'false', '5.0', 'null'],
  cuando: ['"2024-03-01T08:00:00.000Z"', '5', '"2024-03-01T08:00:00Z"', '7'],
  saldo: ['"1.50"', '1.5', '2', '"2"', '1e21', '0.12345678901234567890'],
  libre: ['"a"', '5', '"b"', '[1]', '"5"', '10', 'true', '{}', 'false', '0.12345678901234567890'],
}

describe.each(stores)('JSON that other programs wrote, on $name', ({ open }) => {
  let store: Store
  let server: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    store = await open()
    await store.sql('CREATE TABLE cosas (id int PRIMARY KEY, doc jsonb, otros jsonb NOT NULL)')
    const adapter = postgresAdapter(store.client, { table: 'cosas', rest: 'otros', onWarning: () => {} })
    server = await listen(
      express().use(api({ versions: { v1: [mount(cosas, adapter as never, { exports: { formats: [ndjson()] } })] } })),
    )
  })
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const fill = async (name: string): Promise<number> => {
    const values = stored[name] as readonly string[]
    const rows = Array.from({ length: Math.max(2 * values.length, 12) }, (_, i) => {
      const json = `{"${name}": ${values[i % values.length]}, "codigo": "12345678901234567890"}`
      return `(${i + 1}, '${json}', '${json}')`
    })
    await store.sql(`TRUNCATE cosas; INSERT INTO cosas VALUES ${rows.join(', ')}`)
    return rows.length
  }
  const ids = async (path: string): Promise<readonly number[]> => {
    const { json } = await server.send('GET', path)
    return (json as readonly { readonly id: number }[]).map(({ id }) => id).toSorted((a, b) => a - b)
  }

  it.each(names)('QUERY-7: the next links of a list sorted by %s lead to each record once', async (name) => {
    const all = Array.from({ length: await fill(name) }, (_, i) => i + 1)
    for (const sort of [name, `-${name}`, `doc.${name}`, `-doc.${name}`]) {
      const seen: number[] = []
      let path: string | undefined = `/v1/cosas?sort=${sort}&limit=1`
      while (path !== undefined && seen.length <= all.length) {
        const { json, headers } = await server.send('GET', path)
        seen.push(...(json as readonly { readonly id: number }[]).map(({ id }) => id))
        const next = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
        path = next === undefined ? undefined : `${new URL(next).pathname}${new URL(next).search}`
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual(all)
    }
  })

  it.each(['momento', 'precio', 'mezcla'])('an export of several pages sorted by %s is complete', async (name) => {
    const value = (stored[name] as readonly string[])[0]
    await store.sql(
      `TRUNCATE cosas; INSERT INTO cosas SELECT i, NULL, '{"${name}": ${value}}' FROM generate_series(1, 250) i`,
    )
    const { text: lines } = await server.send('GET', `/v1/cosas?sort=-${name}`, { accept: 'application/x-ndjson' })
    expect(new Set(lines.trim().split('\n')).size).toBe(250)
  })

  it('QUERY-1: in a member of several types, a filter finds only values of the type of the filter value', async () => {
    await fill('mezcla')
    expect(await ids('/v1/cosas?mezcla=5')).toEqual([2, 10, 13, 21])
    expect(await ids('/v1/cosas?mezcla=a')).toEqual([1, 12])
    expect(await ids('/v1/cosas?mezcla=true')).toEqual([7, 18])
    expect(await ids('/v1/cosas?desde=7')).toEqual([4, 6, 15, 17])
    expect(await ids('/v1/cosas?desde=b')).toEqual([3, 8, 14, 19])
    expect(await ids('/v1/cosas?hasta=5')).toEqual([2, 10, 13, 21])
  })

  it('QUERY-1: in a member without a type, a filter finds only strings', async () => {
    await fill('libre')
    expect(await ids('/v1/cosas?libre=a')).toEqual([1, 11])
    expect(await ids('/v1/cosas?libre=5')).toEqual([5, 15])
  })
})

/**
 * Members that an expression computes (`columns: { member: { expression } }`). Lists are filtered,
 * sorted and paged by the values that the records show, whatever the SQL type of the expression is.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

const text = { type: ['string', 'null'], readOnly: true }
const number = { type: ['number', 'null'], readOnly: true }
const members = {
  codigo: text,
  correo: text,
  clave: text,
  estado: text,
  dia: { ...text, format: 'date' },
  peso: number,
  parte: number,
  doble: number,
  entero: { ...number, type: ['integer', 'null'] },
}
const names = Object.keys(members)
const expressions: Readonly<Record<string, string>> = {
  codigo: 'f.codigo',
  correo: 'f.correo COLLATE "C"',
  clave: 'f.clave',
  estado: 'f.estado',
  dia: 'f.dia',
  peso: 'f.peso',
  parte: 'f.total / f.partes',
  doble: 'f.doble * 3',
  entero: '(123456789 + f.id % 2)::real',
}
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...members } },
  sort: names,
  filters: Object.fromEntries(names.map((name) => [name, true])),
} as never)

describe.each(stores)('computed members, on $name', ({ open }) => {
  let store: Store
  let server: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    store = await open()
    await store.sql(`CREATE TYPE estado AS ENUM ('nuevo', 'hecho');
      CREATE TABLE fichas (id int PRIMARY KEY, codigo char(6), correo varchar(20), clave uuid, estado estado, dia date,
        peso real, total numeric, partes numeric, doble float8);
      CREATE TABLE pedidos (id int PRIMARY KEY, ficha int);
      INSERT INTO fichas SELECT i, (ARRAY['AB', 'AC'])[i % 2 + 1], (ARRAY['a@x', 'B@x', 'A@x'])[i % 3 + 1],
        (ARRAY['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '00000000-0000-0000-0000-000000000001'])[i % 2 + 1]::uuid,
        (ARRAY['nuevo', 'hecho'])[i % 2 + 1]::estado, DATE '2024-01-01' + i % 2, (ARRAY[0.1, 0.123456789, NULL])[i % 3 + 1],
        1 + (i % 3) * 1e-20, 3, (ARRAY['NaN', '0.1'])[i % 2 + 1]::float8 FROM generate_series(1, 8) i;
      INSERT INTO pedidos SELECT i, i FROM generate_series(1, 8) i`)
    const columns = Object.fromEntries(
      names.map((name) => [name, { expression: `(SELECT ${expressions[name]} FROM fichas f WHERE f.id = ficha)` }]),
    )
    const adapter = postgresAdapter(store.client, { table: 'pedidos', columns, onWarning: () => {} } as never)
    const service = api({ versions: { v1: [mount(pedidos, adapter as never)] } })
    await service.ready()
    server = await listen(express().use(service))
  })
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const read = async (path: string) => {
    const { json, headers } = await server.send('GET', path)
    const next = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
    return {
      items: json as unknown as readonly Record<string, unknown>[],
      next: next && `${new URL(next).pathname}${new URL(next).search}`,
    }
  }

  it.each(names)('QUERY-7: the "next" links of a list that is sorted by %s lead to each record once', async (name) => {
    for (const sort of [name, `-${name}`]) {
      const seen: unknown[] = []
      let path: string | undefined = `/v1/pedidos?sort=${sort}&limit=1`
      while (path !== undefined && seen.length <= 8) {
        const { items, next } = await read(path)
        seen.push(...items.map(({ id }) => id))
        path = next
      }
      expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    }
  })

  it.each(names)('QUERY-1: a filter by %s finds the records that show the value of the filter', async (name) => {
    const { items } = await read('/v1/pedidos')
    const values = [...new Set(items.map((item) => item[name]))].filter((value) => value !== null)
    expect(values.length).toBeGreaterThan(0)
    for (const value of values) {
      const found = await read(`/v1/pedidos?${name}=${encodeURIComponent(String(value))}`)
      expect(found.items).toEqual(items.filter((item) => item[name] === value))
    }
  })

  it('a computed value of type char(n) is shown without its padding, like the value of a stored column', async () => {
    expect((await read('/v1/pedidos?codigo=AB')).items.map(({ codigo }) => codigo)).toEqual(['AB', 'AB', 'AB', 'AB'])
  })
})

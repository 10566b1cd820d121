import express from 'express'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type Adapter, adapterView, api, defineResource, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'

type Row = Record<string, unknown>
const schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, saldo: { type: 'integer' }, padre: { type: ['integer', 'null'] } },
} as const
const cuentas = defineResource({ collection: 'cuentas', key: 'id', schema })
const cuentasConPadre = defineResource({
  collection: 'subcuentas',
  key: 'id',
  schema,
  links: { cuenta: { to: cuentas, by: 'padre', show: ['saldo'] } },
})

/**
 * Creates an adapter that computes the balance (`saldo`) on each read. `pass()` changes the
 * balance, but not the version.
 */
function computing() {
  let saldo = 1
  const data = memoryAdapter(cuentas, { records: [{ id: 1 }] }) as unknown as Adapter<Row, number>
  const seen = <S extends { value: Row }>(stored: S | undefined): S | undefined =>
    stored && { ...stored, value: { ...stored.value, saldo } }
  const adapter: Adapter<Row, number> = {
    computes: true,
    async list(request, call) {
      const page = await data.list(request, call)
      return { ...page, items: page.items.map((one) => seen(one) as typeof one) }
    },
    read: async (keys, call) => (await data.read(keys, call)).map(seen),
    replace: async (key, value, expected, call) => {
      const made = await data.replace?.(key, value, expected, call)
      return typeof made === 'object' && 'value' in made ? (seen(made) as typeof made) : (made as 'absent')
    },
  }
  return {
    adapter,
    pass: () => {
      saldo += 1
    },
  }
}

const paths = [
  '/v1/cuentas/1',
  '/v1/cuentas',
  '/v1/subcuentas/7',
  '/v1/subcuentas/7?expand=cuenta',
  '/v1/subcuentas?expand=cuenta',
  '/v1/subcuentas',
]

describe('values that change while their versions stay the same', () => {
  it('HDR-8: items, lists, expansions and links get new tags in JSON and XML, so no 304 hides a change', async () => {
    const { adapter, pass } = computing()
    const below = memoryAdapter(cuentasConPadre, { records: [{ id: 7, padre: 1 }] })
    const { send, close } = await listen(
      express().use(api({ versions: { v1: [mount(cuentas, adapter as never), mount(cuentasConPadre, below)] } })),
    )
    for (const path of paths) {
      for (const Accept of ['application/json', 'application/xml']) {
        const first = await send('GET', path, { Accept })
        const again = await send('GET', path, { Accept, 'If-None-Match': first.headers.etag as string })
        expect([first.status, again.status]).toEqual([200, 304])
        pass()
        const changed = await send('GET', path, { Accept, 'If-None-Match': first.headers.etag as string })
        expect([path, changed.status]).toEqual([path, 200])
        expect(changed.headers.etag).not.toBe(first.headers.etag)
      }
    }
    const { headers } = await send('GET', '/v1/cuentas/1')
    const head = await send('HEAD', '/v1/cuentas/1')
    expect(head.headers.etag).toBe(headers.etag)
    pass()
    // `If-Match` compares the version of the stored record, so a change of a computed member does
    // not block a write.
    const written = await send('PATCH', '/v1/cuentas/1', { 'If-Match': headers.etag as string }, { padre: null })
    expect(written.status).toBe(200)
    expect(written.headers.etag).toBe((await send('GET', '/v1/cuentas/1')).headers.etag)
    await close()
  })

  it('HDR-8: the tag changes even if the values come from functions of adapterView() that are not pure', async () => {
    let factor = 1
    const data = memoryAdapter(cuentas, { records: [{ id: 1, saldo: 5 }] })
    const adapter = adapterView(data as never, {
      toWire: { saldo: (saldo: number) => saldo * factor },
      fromWire: { saldo: (saldo: number) => saldo / factor },
    })
    const { send, close } = await listen(express().use(api({ versions: { v1: [mount(cuentas, adapter as never)] } })))
    const first = await send('GET', '/v1/cuentas/1')
    factor = 2
    const second = await send('GET', '/v1/cuentas/1', { 'If-None-Match': first.headers.etag as string })
    expect([second.status, second.json.saldo]).toEqual([200, 10])
    expect(adapterView(data as never, { hides: ['padre'] })).not.toHaveProperty('computes')
    await close()
  })
})

import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import type { Adapter, AdapterCall, KeysetPosition, ListRequest, Page } from '../../src/adapters/contract.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type AdapterViewOptions, adapterView, api, defineResource, mount } from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'

type Row = Record<string, unknown>
const integer = { type: 'integer' } as const

const nuevos = defineResource({
  collection: 'envios',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: integer, centavos: { type: ['integer', 'null'] } } },
})
const viejos = defineResource({
  collection: 'envios',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero'],
    properties: { numero: integer, importe: { type: ['number', 'null'] } },
  },
  sort: ['importe'],
})
const options: AdapterViewOptions = {
  rename: { numero: 'id', importe: 'centavos' },
  toWire: { importe: (cents: number | null) => cents && cents / 100 },
  fromWire: { importe: (amount: number) => (amount === 13 ? undefined : Math.round(amount * 100)) },
}
const call: AdapterCall = { principal: undefined, scope: {}, requestId: 'r', signal: new AbortController().signal }
const sort = ['importe', 'numero'].map((field) => ({ field, path: [field], descending: false }))
const request = (seek?: KeysetPosition): ListRequest => ({
  where: [],
  sort,
  page: 1,
  size: 2,
  offset: 0,
  ...(seek === undefined ? {} : { seek }),
})

/** A view over a store that returns the same page for each request, and records the requests. */
function over(page: Page<Row>, given = options) {
  const asked: ListRequest[] = []
  const under: Adapter<unknown, unknown> = {
    list(one) {
      asked.push(one)
      return page
    },
    read: () => [],
  }
  return { asked, list: async (seek?: KeysetPosition) => adapterView<Row>(under, given).list(request(seek), call) }
}
const row = (id: number, centavos: unknown) => ({ value: { id, centavos }, version: '1' })

let open: Omit<Served, 'data'> | undefined
afterEach(() => open?.close())

describe('pagination and calls through a view', () => {
  it('QUERY-7: the values in "seek" are converted to values of the store, but null stays null', async () => {
    const { asked, list } = over({ items: [row(1, 1250)], more: true, seekable: true })
    expect(await list({ values: [12.5, 7], backwards: true })).toMatchObject({
      more: true,
      seekable: true,
      items: [{ value: { importe: 12.5 } }],
    })
    await list({ values: [null, 7], backwards: false })
    expect(asked.map(({ seek }) => seek)).toEqual([
      { values: [1250, 7], backwards: true },
      { values: [null, 7], backwards: false },
    ])
    expect(asked[0]?.sort.map(({ field }) => field)).toEqual(['centavos', 'id'])
  })

  it('QUERY-7: if a value in "seek" cannot be converted, the view requests the page by its number', async () => {
    const { asked, list } = over({ items: [row(1, 500)], more: true, seekable: true })
    expect(await list({ values: [13, 7], backwards: true })).toMatchObject({ seekable: false, more: true })
    expect(asked[0]).not.toHaveProperty('seek')
  })

  it('QUERY-7: a page is not seekable if a conversion loses information about one of its items', async () => {
    const lossy: AdapterViewOptions = {
      ...options,
      toWire: { importe: (cents: number | null) => cents && Math.floor(cents / 100) },
    }
    for (const [items, seekable] of [
      [[row(1, 500), row(2, 700)], true],
      [[row(1, 500), row(2, 750)], false],
      [[row(1, 550), row(2, 700)], false],
      [[row(1, 500), row(2, null)], true],
      [[row(1, 500), { value: { id: 3 }, version: '1' }], true],
      [[], true],
    ] as const) {
      expect((await over({ items, seekable: true }, lossy).list()).seekable).toBe(seekable)
    }
    const toNull: AdapterViewOptions = { ...options, toWire: { importe: () => null } }
    expect((await over({ items: [row(1, 5)], seekable: true }, toNull).list()).seekable).toBe(false)
    expect(await over({ items: [row(1, 5)], seekable: false }).list()).toMatchObject({ seekable: false })
    expect(await over({ items: [row(1, 5)] }).list()).not.toHaveProperty('seekable')
  })

  it('QUERY-1: a view renames the members in the refusal of a list, including nested members', async () => {
    const refused = { refused: 'rule', members: ['centavos', 'centavos.neto', 'id.x', 'otro'], why: 'is odd' } as const
    expect(await over({ items: [], refused }).list()).toEqual({
      items: [],
      refused: { ...refused, members: ['importe', 'importe.neto', 'numero.x', 'otro'] },
    })
  })

  it('QUERY-7: pagination over HTTP works forwards and backwards, with the values of the view', async () => {
    const store = memoryAdapter(nuevos, {
      records: Array.from({ length: 9 }, (_, i) => ({ id: i + 1, centavos: i % 3 === 0 ? null : 29 * (i % 4) })),
    })
    const entries = [mount(viejos, adapterView(store as Adapter<unknown, number>, options))]
    open = await listen(express().use(api({ versions: { v1: entries } })))
    const { send } = open
    const all = (await send('GET', '/v1/envios?sort=-importe&limit=100')).json
    const walk = async (start: string, way: string) => {
      const met: unknown[] = []
      for (let path: string | undefined = start; path !== undefined; ) {
        const { json, headers } = await send('GET', path)
        if (way === 'next') met.push(...json)
        else met.unshift(...json)
        path = new RegExp(`<http://[^/]*([^>]*)>; rel="${way}"`).exec(String(headers.link))?.[1]
        if (path !== undefined) expect(path).toContain('&after=')
      }
      return met
    }
    expect(all.map(({ importe }: { importe: unknown }) => importe)).toContain(0.29)
    expect(await walk('/v1/envios?sort=-importe&limit=2', 'next')).toEqual(all)
    expect(await walk('/v1/envios?sort=-importe&limit=2&offest=5', 'prev')).toEqual(all)
  })

  it('HDR-3: a view that renames scope members passes on all other properties of the call unchanged', async () => {
    const every: Required<AdapterCall> = {
      ...call,
      scope: { empresa: 1 },
      fresh: true,
      current: true,
      caller: 'ana',
      left: () => 7,
      attachTo: { as: 'parent', key: 1 } as never,
      idempotency: { id: 'k' } as never,
      action: 'patch',
      before: undefined,
      links: undefined,
    }
    const calls: AdapterCall[] = []
    const under: Adapter<unknown, unknown> = {
      list: () => ({ items: [] }),
      read(_keys, given) {
        calls.push(given)
        return []
      },
    }
    await adapterView(under, { rename: { empresa: 'inquilino' } }).read([], every)
    const [translated] = calls
    const expected = { ...every, scope: { inquilino: 1 }, left: 7 }
    for (const name of Object.keys(expected) as (keyof AdapterCall)[]) {
      const value = name === 'left' ? translated?.left?.() : translated?.[name]
      expect(value, name).toEqual(expected[name])
    }
  })

  it('HDR-2: a copy { ...view } of a view with conversions still has the property "computes"', () => {
    const under: Adapter<unknown, unknown> = { list: () => ({ items: [] }), read: () => [] }
    const view = adapterView(under, { toWire: { importe: Number } })
    expect({ ...view, create: async () => 'absent' }).toMatchObject({ computes: true })
  })

  it('HDR-3: a view that renames scope members passes on "fresh" and "left", which can be absent', async () => {
    const calls: AdapterCall[] = []
    const under: Adapter<unknown, unknown> = {
      list: () => ({ items: [] }),
      read(_keys, given) {
        calls.push(given)
        return []
      },
    }
    const scoped = adapterView(under, { rename: { empresa: 'inquilino' } })
    await scoped.read([], { ...call, scope: { empresa: 1 }, fresh: true, left: () => 7 })
    await scoped.read([], { ...call, scope: { empresa: 1 } })
    expect(calls.map(({ fresh, left, scope }) => [fresh, left?.(), scope])).toEqual([
      [true, 7, { inquilino: 1 }],
      [false, undefined, { inquilino: 1 }],
    ])
  })
})

import { describe, expect, it } from 'vitest'
import type { Page } from '../../src/adapters/contract.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { Caches } from '../../src/cache.js'
import { defineResource, mount } from '../../src/index.js'
import type { Mounted, RouteTable } from '../../src/plan/routes.js'
import { json } from '../../src/representation/encoding.js'
import { gatherRelated, noRelated, standsAlone } from '../../src/representation/related.js'
import { Presenter } from '../../src/representation/represent.js'
import { itemTag, pageTag } from '../../src/representation/tags.js'
import { Views } from '../../src/representation/views.js'
import { routeTable } from '../../src/router/route-table.js'

const autores = defineResource({
  collection: 'autores',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, nombre: { type: ['string', 'null'] } },
  },
})
const libros = defineResource({
  collection: 'libros',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      autorId: { type: ['string', 'null'] },
      revisorId: { type: ['string', 'null'] },
    },
  },
  links: { autor: { to: autores, by: 'autorId' }, revisor: { to: autores, by: 'revisorId', show: ['nombre'] } },
})
const table: RouteTable = routeTable([mount(autores, memoryAdapter(autores)), mount(libros, memoryAdapter(libros))])
const views = new Views(new Caches())
const [authors, books] = table.resources as [Mounted, Mounted]

const reader = () => {
  const calls: unknown[][] = []
  return {
    calls,
    read: (_mounted: Mounted, keys: readonly unknown[]) => {
      calls.push([...keys])
      return keys.map((id) =>
        id === 'gone' ? undefined : { value: { id, nombre: `N${String(id)}` }, version: `v${String(id)}` },
      )
    },
  }
}
const variant = { base: 'http://h/v1', representation: json, expand: [] }

describe('Related records (REP-1..3)', () => {
  const records = [
    { id: 1, autorId: 'a', revisorId: 'b' },
    { id: 2, autorId: 'a', revisorId: null },
    { id: 3, autorId: 'gone', revisorId: 'b' },
  ]

  it('REP-3: a page reads the targets of a link in one batch, without repeated keys, and only if needed', async () => {
    const { calls, read } = reader()
    await gatherRelated(books, records, ['autor'], read)
    expect(calls).toEqual([['a', 'gone'], ['b']])
    calls.length = 0
    await gatherRelated(books, records, [], read)
    expect(calls).toEqual([['b']])
    calls.length = 0
    await gatherRelated(books, [{ id: 4, autorId: null }], ['autor'], read)
    expect(calls).toEqual([])
  })

  it('REP-1: related records are read only if a link is expanded or has the option "show"', async () => {
    expect([standsAlone(authors, []), standsAlone(books, [])]).toEqual([true, false])
    expect(await gatherRelated(authors, records, [], reader().read)).toBe(noRelated)
  })

  it('REP-2, REP-3: expanded links are records, or hrefs if the record is missing; null links stay null', async () => {
    const related = await gatherRelated(books, records, ['autor'], reader().read)
    const wire = records.map((record, at) =>
      new Presenter('http://h/v1').represent(books, record, [record.id], related, at),
    )
    const shown = { href: 'http://h/v1/autores/b', nombre: 'Nb' }
    expect(wire).toEqual([
      { id: 1, autor: { id: 'a', nombre: 'Na' }, revisor: shown },
      { id: 2, autor: { id: 'a', nombre: 'Na' }, revisor: null },
      { id: 3, autor: { href: 'http://h/v1/autores/gone' }, revisor: shown },
    ])
  })

  it('HDR-2: the ETag of a record changes if a related record changes or disappears', async () => {
    const tagOf = async (read: ReturnType<typeof reader>['read']) => {
      const related = await gatherRelated(books, records.slice(0, 1), ['autor'], read)
      return itemTag(views.of(books, variant), '1', related)
    }
    const { read } = reader()
    const usual = await tagOf(read)
    expect(await tagOf(read)).toBe(usual)
    expect(
      await tagOf((mounted, keys) => read(mounted, keys).map((found) => found && { ...found, version: 'w' })),
    ).not.toBe(usual)
    expect(await tagOf((_mounted, keys) => keys.map(() => undefined))).not.toBe(usual)
  })

  it('HDR-4: the ETag of a page depends on its rows, their order, its total and its query', () => {
    const [a, b] = [1, 2].map((id) => ({ value: { id }, version: 'v' })) as [
      { value: object; version: string },
      { value: object; version: string },
    ]
    const tag = (page: Page<unknown>, query = '') =>
      pageTag({ view: views.of(books, variant), query, resource: books, page, items: page.items, related: noRelated })
    const tags = [
      tag({ items: [a, b], total: 2 }),
      tag({ items: [b, a], total: 2 }),
      tag({ items: [a, b], total: 3 }),
      tag({ items: [a, b], total: 2, exact: false }),
      tag({ items: [a, b] }),
      tag({ items: [a], total: 2 }),
      tag({ items: [a, { ...b, version: 'w' }], total: 2 }),
      tag({ items: [a, b], total: 2 }, 'offest=2'),
    ]
    expect(new Set(tags).size).toBe(tags.length)
    expect(tag({ items: [a, b], total: 2 })).toBe(tags[0])
  })

  it('HDR-2: the ETag of a record for one host stays the same after requests with thousands of other hosts', () => {
    const tag = (host: number) => itemTag(views.of(books, { ...variant, base: `http://h${host}` }), '1', noRelated)
    const first = tag(0)
    for (let host = 1; host < 2_000; host += 1) tag(host)
    expect(tag(0)).toBe(first)
  })
})

/**
 * QUERY-7, REP-1: the statement of a page joins link targets (the linked records) only to the rows
 * of the page. The size of the table and the depth of the page do not matter.
 */
import express from 'express'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { nodesOf, type PlanNode, planIn } from '../../../src/adapters/postgres/sql/plan.js'
import { api, mount } from '../../../src/index.js'
import { listen, type Served } from '../../clauses/fixture.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { clientes, contratos } from './linked.js'

const rows = 100_000

let place: Place
let pools: readonly [pg.Pool, pg.Pool]
let services: readonly Omit<Served, 'data'>[]
let sent: { readonly text: string; readonly values: unknown[] }[] = []

class Traced extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: tracers override the method like this
  override query(given: any, ...more: any[]): any {
    if (typeof given?.text === 'string') sent.push(given)
    return super.query(given, ...more)
  }
}

beforeAll(async () => {
  place = await freshSchema()
  await place.sql(`
    CREATE TABLE clientes (id integer PRIMARY KEY, nombre text NOT NULL);
    CREATE TABLE contratos (codigo text COLLATE "C" PRIMARY KEY, n integer, cliente_id integer, relleno text);
    INSERT INTO clientes SELECT i, 'c' || i FROM generate_series(1, ${rows}) AS i;
    INSERT INTO contratos SELECT lpad(i::text, 7, '0'), i % 7, CASE WHEN i % 10 > 0 THEN i * 31 % ${rows} + 1 END, repeat('x', 200) FROM generate_series(1, ${rows}) AS i;
    ANALYZE clientes; ANALYZE contratos`)
  pools = [
    new pg.Pool({ connectionString: place.url, max: 2, Client: Traced } as pg.PoolConfig),
    new pg.Pool({ connectionString: place.url, max: 2 }),
  ]
  const options = { onWarning: () => {} }
  services = await Promise.all(
    pools.map((pool, alone) => {
      const target = postgresAdapter(pool, { ...options, resource: clientes, table: 'clientes' })
      const versions = {
        v1: [
          // The second service gets a copy of the adapter. The library never joins the table of a
          // copied adapter.
          mount(clientes, alone ? { ...target } : target),
          mount(contratos, postgresAdapter(pool, { ...options, table: 'contratos' })),
        ],
      }
      return listen(express().use(api({ baseUrl: 'http://contratos.test', versions })))
    }),
  )
  // During these requests, the adapters read the columns of both tables from the catalog.
  for (const path of ['/v1/clientes/1', '/v1/contratos']) await services[0]?.send('GET', path)
}, 120_000)
afterAll(async () => {
  for (const service of services) await service.close()
  for (const pool of pools) await pool.end()
  await place.drop()
})

async function responseOf(at: number, path: string) {
  const answer = await services[at]?.send('GET', path)
  return { status: answer?.status, etag: answer?.headers.etag, link: String(answer?.headers.link), text: answer?.text }
}

/**
 * The plan nodes that read link targets in the single statement of a page, and how often each of
 * them ran.
 */
async function readsOf(path: string) {
  sent = []
  expect(await responseOf(0, path)).toEqual(await responseOf(1, path))
  expect(sent).toHaveLength(1)
  const [{ text, values }] = sent as [(typeof sent)[number]]
  const { rows: plan } = await pools[1].query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
  const nodes = nodesOf(planIn(plan[0])) as readonly (PlanNode & { readonly 'Actual Loops': number })[]
  return nodes.flatMap((node) =>
    node['Relation Name'] === 'clientes' ? [{ by: node['Node Type'], times: node['Actual Loops'] }] : [],
  )
}

describe('a page whose links are joined', () => {
  it.each([
    ['the first page', '/v1/contratos'],
    ['a deep page', '/v1/contratos?offest=40'],
    ['a page past the middle', `/v1/contratos?offest=${Math.trunc(rows / 25) - 3}`],
    ['the last page', `/v1/contratos?offest=${Math.trunc(rows / 25) - 1}`],
    ['a page with ?expand', '/v1/contratos?expand=cliente'],
  ])('takes at most one index lookup per row: %s', async (_which, path) => {
    const reads = await readsOf(path)
    expect(reads).toEqual([{ by: 'Index Scan', times: expect.any(Number) }])
    // The statement reads one more row than the page shows, to find out whether there is a next
    // page.
    expect(reads[0]?.times).toBeLessThanOrEqual(26)
  })

  it('links to its next and previous pages, and each of them takes one statement', async () => {
    let path = '/v1/contratos?limit=40'
    for (const relation of ['next', 'next', 'prev']) {
      const { link } = await responseOf(0, path)
      path = new RegExp(`<http://contratos\\.test([^>]*)>; rel="?${relation}`).exec(link)?.[1] as string
      expect(path).toContain('after')
      expect(await readsOf(path)).toEqual([{ by: 'Index Scan', times: expect.any(Number) }])
    }
  })
})

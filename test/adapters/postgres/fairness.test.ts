/**
 * Under load, requests that have started take precedence, so that their later reads do not queue
 * behind the first reads of all other requests.
 */
import { Agent, request } from 'node:http'
import express from 'express'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { type PostgresClient, postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import { api, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { freshSchema } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'
import { clientes, contratos } from './linked.js'

const ddl = `${tableDdl(clientes, { table: 'clientes' })};${tableDdl(contratos, { table: 'contratos' })};
INSERT INTO clientes (id, nombre) SELECT i, 'c' || i FROM generate_series(1, 50) AS i;
INSERT INTO contratos (codigo, cliente_id) SELECT 'k' || i, i % 50 + 1 FROM generate_series(0, 299) AS i;`

interface Opened {
  readonly client: PostgresClient
  /** The number of connections. */
  readonly places: number
  close(): Promise<unknown>
}

const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  'a pool of three connections': async () => {
    const place = await freshSchema()
    await place.sql(ddl)
    const client = new pg.Pool({ connectionString: place.url, max: 3 })
    return { client, places: 3, close: () => client.end().then(() => place.drop()) }
  },
  PGlite: async () => {
    const { client, release } = await lentPglite()
    await client.exec(ddl)
    return { client, places: 1, close: release }
  },
}

describe.each(Object.entries(stores))('300 concurrent requests over %s', (_name, open) => {
  it('all succeed, and few are in progress at any time', async () => {
    const { client, places, close } = await open()
    const begun = new Set<string>()
    let peak = 0
    const options = { onWarning: () => {} }
    const service = await listen(
      express().use(
        api({
          onQuery: ({ requestId, collection }) => {
            if (collection === 'contratos') begun.add(requestId)
            else begun.delete(requestId)
            peak = Math.max(peak, begun.size)
          },
          versions: {
            v1: [
              // The library cannot join the table of a copied adapter. It reads the link by a
              // separate statement.
              mount(clientes, { ...postgresAdapter(client, { resource: clientes, table: 'clientes', ...options }) }),
              mount(contratos, postgresAdapter(client, { table: 'contratos', ...options })),
            ],
          },
        }),
      ),
    )
    // The adapters read the catalog during this request, and not during the concurrent requests.
    await service.send('GET', '/v1/contratos/k0')
    peak = 0
    const agent = new Agent({ keepAlive: true, maxSockets: 300 })
    const statuses = await Promise.all(
      Array.from(
        { length: 300 },
        (_, i) =>
          new Promise<number | undefined>((resolve, reject) => {
            request({ port: service.port, host: '127.0.0.1', agent, path: `/v1/contratos/k${i}` }, (res) => {
              res.resume().on('end', () => resolve(res.statusCode))
            })
              .on('error', reject)
              .end()
          }),
      ),
    )
    agent.destroy()
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    // While a request reads its link, a few other requests per connection can start, because their
    // reads can share one round trip. If reads ran in the order of arrival, nearly all requests
    // would be in progress at the same time.
    expect(peak).toBeLessThanOrEqual(20 * places)
    await service.close()
    await close()
  })
})

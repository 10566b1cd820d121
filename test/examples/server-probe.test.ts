/** The readiness probe of a PostgreSQL server. It has its own connection. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connecting, type ServerProbe, serverProbe } from '../../examples/pre-piezas/store/server-probe.js'
import { freshSchema, type Place } from '../servers/databases.js'
import { startProxy } from '../servers/proxy.js'

let place: Place
beforeAll(async () => {
  place = await freshSchema()
})
afterAll(() => place.drop())

/**
 * Creates a probe whose connections share a unique name. Each new connection uses the next URL.
 * When all have been used, every further connection uses the last URL.
 */
function opened(...urls: readonly string[]) {
  const name = `probe ${randomUUID()}`
  let made = 0
  const probe: ServerProbe = serverProbe(() => {
    const connectionString = urls[Math.min(made++, urls.length - 1)] ?? place.url
    return new pg.Client({ connectionString, application_name: name, connectionTimeoutMillis: connecting })
  })
  onTestFinished(() => probe.close())
  const backends = async (): Promise<number[]> => {
    const rows = await place.sql(`SELECT pid FROM pg_stat_activity WHERE application_name = '${name}'`)
    return rows.map(({ pid }) => pid as number)
  }
  return {
    probe,
    backends,
    terminate: () =>
      place.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${name}'`),
  }
}

describe('the probe of a PostgreSQL server', () => {
  it('uses one connection for any number of concurrent calls', async () => {
    const { probe, backends } = opened()
    await Promise.all(Array.from({ length: 20 }, () => probe.ask()))
    const first = await backends()
    expect(first).toHaveLength(1)
    for (let i = 0; i < 5; i++) await probe.ask()
    expect(await backends()).toEqual(first)
  })

  it('reconnects within the same call if the connection is lost before or during the call', async () => {
    const { probe, backends, terminate } = opened()
    await probe.ask()
    for (let round = 0; round < 30; round++) {
      const killing = terminate()
      // In every third round, the probe runs while the connection is terminated. In the other
      // rounds, it runs afterwards.
      if (round % 3 > 0) await killing
      await Promise.all([probe.ask(), killing])
      await probe.ask()
    }
    await expect.poll(backends).toHaveLength(1)
  })

  it('discards a half-open connection and opens a new one', async () => {
    const { hostname: host, port } = new URL(place.url)
    await using proxy = await startProxy({ host, port: Number(port || 5432) })
    const { probe } = opened(proxy.through(place.url), place.url)
    await probe.ask()
    expect(proxy.connections).toBe(1)
    proxy.stall()
    await probe.ask()
    proxy.resume()
    await expect.poll(() => proxy.connections).toBe(0)
  })

  it('rejects while the server does not respond or does not listen, and then recovers', async () => {
    const { hostname: host, port } = new URL(place.url)
    await using proxy = await startProxy({ host, port: Number(port || 5432) })
    const { probe } = opened(proxy.through(place.url))
    await probe.ask()
    proxy.stall()
    await expect(probe.ask()).rejects.toThrow(/timeout/)
    proxy.resume()
    await probe.ask()
    proxy.refuse()
    proxy.cut('reset')
    await expect(probe.ask()).rejects.toThrow(/ECONNREFUSED/)
    await proxy.accept()
    await probe.ask()
    expect(proxy.connections).toBe(1)
  })

  it('close() leaves no connection open, not even one that is being opened', async () => {
    const { probe, backends } = opened()
    const asked = probe.ask()
    probe.close()
    await asked
    await expect.poll(backends).toEqual([])
    await expect(probe.ask()).rejects.toThrow('The database is closed.')
    expect(await backends()).toEqual([])
  })
})

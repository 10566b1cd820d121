import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { Backends, cpuOf, named, spent } from '../../bench/run/backends.js'

const { url } = inject('postgres')
/**
 * True if the database runs on this machine, and this machine runs Linux. Only then can the test
 * read the CPU time of the database processes.
 */
const isHere = process.platform === 'linux' && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

describe('CPU time of the PostgreSQL backends', () => {
  it.runIf(isHere)('covers only the connections with the given name, and grows with their work', async () => {
    const backends = await Backends.connect(url)
    const [one, other] = [`erc bench one ${process.pid}`, `erc bench other ${process.pid}`].map((name) => ({
      name,
      client: new pg.Client({ connectionString: named(url, name) }),
    })) as [{ name: string; client: pg.Client }, { name: string; client: pg.Client }]
    try {
      await Promise.all([one.client.connect(), other.client.connect()])
      const { pid } = (await one.client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0] as {
        pid: number
      }
      const before = await backends.usage(one.name)
      expect([...(before ?? []).keys()]).toEqual([pid])
      await one.client.query('SELECT sum(n) FROM generate_series(1, 200000) n')
      expect(spent(before, await backends.usage(one.name))).toBeGreaterThan(1000)
      expect([...((await backends.usage(other.name)) ?? []).keys()]).not.toContain(pid)
    } finally {
      await Promise.all([one.client.end(), other.client.end(), backends.end()])
    }
  })

  it('includes all CPU time of a new backend, and none of a backend that has ended', () => {
    const before = new Map([
      [1, 100],
      [2, 500],
    ])
    const after = new Map([
      [1, 160],
      [3, 20],
    ])
    expect(spent(before, after)).toBe(80)
    expect(spent(undefined, after)).toBeUndefined()
    expect(spent(before, undefined)).toBeUndefined()
  })

  it('is read only from processes of PostgreSQL', () => {
    expect(() => cpuOf(process.pid)).toThrow()
  })
})

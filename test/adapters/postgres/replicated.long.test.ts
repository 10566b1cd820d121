/** `ready()` warns if `xmin` is the version and the server is replicated. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/index.js'
import { type OwnServer, ownServer } from '../../servers/own-server.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'texto'],
    properties: { id: { type: 'string' }, texto: { type: 'string' } },
  },
})

describe('ready() if the version is xmin', () => {
  let primary: OwnServer
  let pool: pg.Pool

  beforeAll(async () => {
    primary = await ownServer()
    pool = new pg.Pool({ connectionString: primary.url })
    await pool.query(`CREATE TABLE notas (id text PRIMARY KEY, texto text NOT NULL);
      CREATE TABLE notas_con_version (id text PRIMARY KEY, texto text NOT NULL, version uuid NOT NULL DEFAULT gen_random_uuid())`)
  })
  afterAll(async () => {
    await pool.end()
    await primary.remove()
  })

  const warningsOf = async (over: pg.Pool, table = 'notas'): Promise<readonly string[]> => {
    const warnings: string[] = []
    const version = table === 'notas' ? {} : ({ version: { column: 'version', soleWriter: true } } as const)
    await postgresAdapter(over, {
      resource: notas,
      table,
      ...version,
      onWarning: (message) => warnings.push(message),
    }).ready()
    return warnings.filter((message) => message.includes('xmin'))
  }

  it('does not warn on a server without replicas', async () => {
    expect(await warningsOf(pool)).toEqual([])
  })

  it('warns about a physical slot, a standby and synchronous_standby_names; a version column causes no warning', async () => {
    await pool.query(`SELECT pg_create_physical_replication_slot('espera')`)
    expect(await warningsOf(pool)).toEqual([
      expect.stringMatching(/^The version of "notas" is xmin.*the slot espera.*Name a column in "version"\.$/),
    ])
    expect(await warningsOf(pool, 'notas_con_version')).toEqual([])
    await pool.query(`SELECT pg_drop_replication_slot('espera')`)
    expect(await warningsOf(pool)).toEqual([])

    const replica = await ownServer({ replicaOf: primary })
    try {
      expect(await warningsOf(pool)).toEqual([expect.stringContaining('(walreceiver)')])
      await pool.query("CREATE ROLE apenas LOGIN PASSWORD 'p'; GRANT SELECT, INSERT, UPDATE, DELETE ON notas TO apenas")
      const url = new URL(primary.url)
      url.username = 'apenas'
      url.password = 'p'
      const unprivileged = new pg.Pool({ connectionString: url.href })
      expect(await warningsOf(unprivileged)).toHaveLength(1)
      await unprivileged.end()
    } finally {
      await replica.remove()
    }
    await pool.query(`ALTER SYSTEM SET synchronous_standby_names = 'otra'`)
    await pool.query('SELECT pg_reload_conf()')
    await expect.poll(() => warningsOf(pool)).toEqual([expect.stringContaining('(otra)')])
  })
})

/**
 * HDR-8, REP-1: the response to a write shows link targets (the linked records) as a GET would, and
 * the write takes few statements.
 */
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Served } from '../../clauses/fixture.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { until } from './bultos.js'
import { linkingDdl, linkingService } from './linking.js'

type Service = Omit<Served, 'data'>

let place: Place
let pools: readonly [pg.Pool, pg.Pool]
let sent: string[] = []

class Traced extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: tracers override the method like this
  override query(given: any, ...more: any[]): any {
    sent.push(typeof given === 'string' ? given : given.text)
    return super.query(given, ...more)
  }
}

/**
 * A service that joins link targets, and a service over the same data that reads each link
 * separately.
 */
let joined: Service
let alone: Service

beforeAll(async () => {
  const setup = await freshSchema()
  await setup.sql('CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public').catch(() => undefined)
  await setup.drop()
})
beforeEach(async () => {
  place = await freshSchema()
  await place.sql(`${linkingDdl};
    INSERT INTO clientes (id, nombre, duenyo) VALUES (1, 'Ana', 'uno'), (2, 'Eva', 'uno');
    INSERT INTO zonas (pais, numero, nombre) VALUES ('ar', 1, 'Sur');
    INSERT INTO saldos VALUES (1, 2, 'a');
    INSERT INTO pedidos (id, n, duenyo, cliente_id) VALUES (1, 1, 'uno', 1), (2, 2, 'uno', NULL)`)
  pools = [
    new pg.Pool({ connectionString: place.url, max: 2, Client: Traced } as pg.PoolConfig),
    new pg.Pool({ connectionString: place.url, max: 2 }),
  ]
  joined = await linkingService(pools[0])
  alone = await linkingService(pools[1], { alone: true })
  return async () => {
    for (const one of [joined, alone]) await one.close()
    for (const pool of pools) await pool.end()
    await place.drop()
  }
})
/**
 * Lists each collection, so that the adapters look up the current columns of their tables. Then
 * clears `sent`.
 */
async function described(): Promise<void> {
  for (const path of ['clientes', 'zonas', 'saldos', 'pedidos']) await joined.send('GET', `/v1/${path}`)
  sent = []
}

interface Change {
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly path?: string
  readonly body: object
  readonly query?: string
  readonly tagged?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends a change. The response must equal the response to a GET after the change. Returns the
 * number of statements and the body.
 */
async function changed({ method, path = '/v1/pedidos/1', body, query = '', tagged = true, headers = {} }: Change) {
  const before = await alone.send('GET', path, headers)
  sent = []
  const answer = await joined.send(
    method,
    `${path}${query}`,
    {
      ...headers,
      Prefer: 'return=representation',
      ...(tagged && method !== 'POST' ? { 'If-Match': String(before.headers.etag) } : {}),
    },
    body,
  )
  const statements = sent.length
  expect(answer.status).toBe(method === 'POST' ? 201 : 200)
  const at = method === 'POST' ? new URL(String(answer.headers.location)).pathname : path
  const shown = await alone.send('GET', `${at}${query}`, headers)
  expect(answer.text).toBe(shown.text)
  expect(answer.headers.etag).toBe(shown.headers.etag)
  return { statements, json: answer.json }
}

describe('a write', () => {
  it.each<[string, number, Change]>([
    ['a PATCH', 2, { method: 'PATCH', body: { n: 7 } }],
    ['a PATCH with ?expand', 2, { method: 'PATCH', body: { n: 7 }, query: '?expand=cliente' }],
    ['a PATCH of a link', 3, { method: 'PATCH', body: { cliente: { id: 2 } } }],
    ['a PATCH of a record whose links are null', 2, { method: 'PATCH', path: '/v1/pedidos/2', body: { n: 7 } }],
    ['a PATCH without If-Match', 2, { method: 'PATCH', body: { n: 7 }, tagged: false }],
    [
      'a PATCH by a caller with a scope',
      2,
      { method: 'PATCH', body: { n: 7 }, headers: { 'x-asker': '{"duenyo":"uno"}' } },
    ],
    ['a POST', 2, { method: 'POST', path: '/v1/pedidos', body: { id: 9, cliente: { id: 1 } } }],
    [
      'a POST with two links',
      3,
      { method: 'POST', path: '/v1/pedidos', body: { id: 9, cliente: { id: 1 }, zona: { pais: 'ar', numero: 1 } } },
    ],
    [
      'a POST with ?expand',
      2,
      { method: 'POST', path: '/v1/pedidos', query: '?expand=cliente', body: { id: 9, cliente: { id: 2 } } },
    ],
    ['a POST without links', 1, { method: 'POST', path: '/v1/pedidos', body: { id: 9 } }],
  ])('responds like a GET: %s (statements: %i)', async (_what, statements, change) => {
    await described()
    expect((await changed(change)).statements).toBe(statements)
  })

  it('does not read a link target again if it was already read to check the links of a POST', async () => {
    await described()
    await changed({ method: 'POST', path: '/v1/pedidos', body: { id: 9, cliente: { id: 1 } } })
    expect(sent.filter((text) => text.includes('"clientes"'))).toHaveLength(1)
    expect(sent.at(-1)).not.toContain('LATERAL')
  })

  it('gets the same refusal as without joins if the change violates a constraint or the type of a column', async () => {
    await place.sql(`ALTER TABLE pedidos ADD CHECK (n < 100); CREATE UNIQUE INDEX ON pedidos (nota)`)
    await described()
    await changed({ method: 'PATCH', body: { nota: 'a' } })
    for (const body of [{ n: 100 }, { n: 2 ** 40 }]) {
      const { status, json } = await joined.send('PATCH', '/v1/pedidos/1', {}, body)
      const other = await alone.send('PATCH', '/v1/pedidos/1', {}, body)
      expect(status).toBe(422)
      expect(json.errors).toEqual(other.json.errors)
    }
    const { status } = await joined.send('POST', '/v1/pedidos', {}, { id: 9, nota: 'a', cliente: { id: 1 } })
    expect(status).toBe(422)
  })
})

/** Ways in which the write itself can change the link target. */
const others: readonly (readonly [string, string, Change])[] = [
  [
    'a trigger before an update writes to the target',
    `CREATE FUNCTION otra() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE clientes SET nombre = 'n' || NEW.n; NEW.nota := 'b'; RETURN NEW; END $$;
     CREATE TRIGGER otra BEFORE UPDATE ON pedidos FOR EACH ROW EXECUTE FUNCTION otra()`,
    { method: 'PATCH', body: { n: 7 } },
  ],
  [
    'a trigger calls a function that writes to the target',
    `CREATE FUNCTION cambia(n integer) RETURNS text LANGUAGE plpgsql AS $$ BEGIN UPDATE clientes SET nombre = 'n' || n; RETURN 'b'; END $$;
     CREATE FUNCTION otra() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.nota := cambia(NEW.n); RETURN NEW; END $$;
     CREATE TRIGGER otra BEFORE UPDATE ON pedidos FOR EACH ROW EXECUTE FUNCTION otra()`,
    { method: 'PATCH', body: { n: 7 } },
  ],
  [
    'a statement-level trigger writes to the target',
    `CREATE FUNCTION otra() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE clientes SET nombre = 'otra'; RETURN NULL; END $$;
     CREATE TRIGGER otra BEFORE UPDATE ON pedidos FOR EACH STATEMENT EXECUTE FUNCTION otra()`,
    { method: 'PATCH', body: { n: 7 } },
  ],
  [
    'a trigger after an insert writes to the target',
    `CREATE FUNCTION otra() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE clientes SET nombre = 'n' || NEW.n; RETURN NULL; END $$;
     CREATE TRIGGER otra AFTER INSERT ON pedidos FOR EACH ROW EXECUTE FUNCTION otra()`,
    { method: 'POST', path: '/v1/pedidos', body: { id: 9, n: 7, cliente: { id: 1 } } },
  ],
  [
    'the default of a column calls a function that writes to the target',
    `CREATE FUNCTION cuenta() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN UPDATE clientes SET nombre = 'contada'; RETURN 1; END $$;
     ALTER TABLE pedidos ADD COLUMN cuenta integer NOT NULL DEFAULT cuenta()`,
    { method: 'POST', path: '/v1/pedidos', body: { id: 9, n: 7, cliente: { id: 1 } } },
  ],
  ['the record links to itself', 'UPDATE pedidos SET padre_id = 1', { method: 'PATCH', body: { n: 7 } }],
  [
    'the target is computed from the records that link to it',
    `CREATE OR REPLACE FUNCTION doble_de(integer) RETURNS integer LANGUAGE sql STABLE AS 'SELECT sum(n)::integer FROM pedidos';
     UPDATE pedidos SET saldo_id = 1`,
    { method: 'PATCH', body: { n: 7 } },
  ],
  [
    'policies decide which rows of the target are visible',
    `ALTER TABLE zonas ENABLE ROW LEVEL SECURITY; ALTER TABLE zonas FORCE ROW LEVEL SECURITY;
     CREATE POLICY todas ON zonas USING ((SELECT max(n) FROM pedidos) < 5);
     UPDATE pedidos SET zona_pais = 'ar', zona_numero = 1`,
    { method: 'PATCH', body: { n: 7 } },
  ],
]

describe('a write that can change the link target', () => {
  it.each(others)('responds with the target as it is after the write: %s', async (_why, ddl, change) => {
    await place.sql(ddl)
    await described()
    await changed(change)
    await changed({ ...change, body: { ...change.body, ...(change.method === 'POST' ? { id: 10 } : {}), n: 8 } })
  })

  it('a PUT without If-Match that waits for another write responds with the current target', async () => {
    await described()
    const other = new pg.Client(place.url)
    await other.connect()
    const { pid } = (await other.query('SELECT pg_backend_pid() AS pid')).rows[0]
    await other.query(`BEGIN; UPDATE pedidos SET n = 2 WHERE id = 1; UPDATE clientes SET nombre = 'otra' WHERE id = 2`)
    const answer = changed({ method: 'PUT', body: { id: 1, n: 3, cliente: { id: 2 } }, tagged: false })
    const waiting = `SELECT FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`
    await until(() => place.sql(waiting))
      .toHaveLength(1)
      .finally(() => other.query('COMMIT').then(() => other.end()))
    expect((await answer).json).toMatchObject({ cliente: { nombre: 'otra' } })
  })
})

describe('a write statement that joins a renamed column', () => {
  it('is sent again without the links, and the change is made', async () => {
    await described()
    await changed({ method: 'PATCH', body: { n: 7 } })
    await place.sql('ALTER TABLE clientes RENAME COLUMN saldo TO otro')
    const { status } = await joined.send('PATCH', '/v1/pedidos/1', {}, { n: 8 })
    // The change was made, but the response needs a link target that can't be read. So the response
    // is a success without a body (VERB-13).
    expect(status).toBe(200)
    expect(await place.sql('SELECT n FROM pedidos WHERE id = 1')).toEqual([{ n: 8 }])
    await place.sql('ALTER TABLE clientes RENAME COLUMN otro TO saldo')
    await changed({ method: 'PATCH', body: { n: 9 } })
  })
})

import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

const actas = defineResource({
  collection: 'actas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string' },
      texto: { type: ['string', 'null'] },
      sello: { type: ['string', 'null'], readOnly: true },
    },
  },
})
type Acta = NonNullable<typeof actas.types>['record']
type Options = Partial<PostgresAdapterOptions<Acta, string>>
type Write = NonNullable<Options['write']>

const stamp =
  `UPDATE actas SET sello = coalesce(sello, '') || '*' WHERE id = NEW.id AND ` + `length(coalesce(sello, '')) < 3`
const book = `
    CREATE TABLE libro (acta text);
    CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF pg_trigger_depth() = 1 THEN UPDATE actas SET sello = coalesce(sello, '') || '*', version = gen_random_uuid() WHERE id = NEW.acta; END IF; RETURN NULL; END $$;
    CREATE TRIGGER sella AFTER INSERT ON libro FOR EACH ROW EXECUTE FUNCTION sella();`
const afterwards: Record<string, string> = {
  'a row-level AFTER trigger': `
    CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF pg_trigger_depth() = 1 THEN ${stamp}; END IF; RETURN NULL; END $$;
    CREATE TRIGGER sella AFTER INSERT OR UPDATE ON actas FOR EACH ROW EXECUTE FUNCTION sella()`,
  'a statement-level AFTER trigger': `
    CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF pg_trigger_depth() = 1 THEN UPDATE actas SET sello = coalesce(sello, '') || '*' WHERE length(coalesce(sello, '')) < 3; END IF; RETURN NULL; END $$;
    CREATE TRIGGER sella AFTER INSERT OR UPDATE ON actas EXECUTE FUNCTION sella()`,
  'a deferred trigger': `
    CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF pg_trigger_depth() = 1 THEN ${stamp}; END IF; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER sella AFTER INSERT OR UPDATE ON actas DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sella()`,
  'a rule ON INSERT': `${book}
    CREATE RULE anota AS ON INSERT TO actas DO ALSO INSERT INTO libro VALUES (NEW.id)`,
  'a self-referencing foreign key with ON UPDATE CASCADE': `
    ALTER TABLE actas ADD UNIQUE (texto), ADD FOREIGN KEY (sello) REFERENCES actas (texto) ON UPDATE CASCADE;
    CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.sello := NEW.texto; RETURN NEW; END $$;
    CREATE TRIGGER sella BEFORE INSERT ON actas FOR EACH ROW EXECUTE FUNCTION sella()`,
}

describe.each(stores)('the response to a write is the committed row, over $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  }, 120_000)
  beforeEach(async () => {
    await store.sql(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('actas') AND relkind = 'v') THEN DROP VIEW actas; END IF;
      END $$;
      DROP TABLE IF EXISTS actas, actas_base, libro CASCADE;
      DROP FUNCTION IF EXISTS sella CASCADE;
      CREATE TABLE actas (id text PRIMARY KEY, texto text, sello text, version uuid NOT NULL DEFAULT gen_random_uuid());
      INSERT INTO actas (id, texto) VALUES ('a', 'uno')`)
  })
  afterAll(() => store.close())

  async function service(options: Options = {}) {
    const failures: unknown[] = []
    const adapter = postgresAdapter(store.client, {
      resource: actas,
      table: 'actas',
      version: { column: 'version', soleWriter: true },
      ...options,
    })
    const app = api({
      versions: { v1: [mount(actas, adapter)] },
      onError: ({ error }) => failures.push(error),
      timeout: 3_000,
    })
    const { send, close } = await listen(express().use(app))
    const consistent = async (method: string, body: unknown, headers = {}) => {
      const answer = await send(
        method,
        method === 'POST' ? '/v1/actas' : '/v1/actas/a',
        { Prefer: 'return=representation', ...headers },
        body,
      )
      const now = await send('GET', `/v1/actas/${(answer.json as Acta).id}`)
      expect(now.status).toBe(200)
      expect([answer.json, answer.headers.etag]).toEqual([now.json, now.headers.etag])
      return answer
    }
    return { send, close, consistent, failures, adapter }
  }

  for (const [name, ddl] of Object.entries(afterwards)) {
    it(`HDR-8: POST, PUT and PATCH respond with the committed row and its tag if the table has ${name}`, async () => {
      await store.sql(ddl)
      for (const version of [{ column: 'version', soleWriter: true }, 'xmin'] as const) {
        await store.sql(`DELETE FROM actas WHERE id = 'b'`)
        const { consistent, close } = await service({ version })
        const made = await consistent('POST', { id: 'b', texto: `nuevo ${JSON.stringify(version)}` })
        expect(made.status).toBe(201)
        expect((made.json as Acta).sello).not.toBeNull()
        await consistent('PUT', { id: 'a', texto: `dos ${JSON.stringify(version)}` })
        await consistent('PATCH', { texto: `tres ${JSON.stringify(version)}` })
        await close()
      }
    })
  }

  it.each([
    ['reads other rows of the table', `(SELECT string_agg(_x.texto, ',' ORDER BY _x.id) FROM actas AS _x)`],
    ['reads rows that a BEFORE trigger has written to another table', `hojas(_r.id)`],
  ])(
    'HDR-8: the responses to POST, PUT and PATCH have the body and tag of the committed row if a computed member %s',
    async (_, expression) => {
      await store.sql(`CREATE TABLE libro (acta text);
      CREATE OR REPLACE FUNCTION hojas(acta text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT count(*)::text FROM libro WHERE libro.acta = $1 $$;
      CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO libro VALUES (NEW.id); RETURN NEW; END $$;`)
      if (expression.startsWith('hojas'))
        await store.sql('CREATE TRIGGER sella BEFORE INSERT OR UPDATE ON actas FOR EACH ROW EXECUTE FUNCTION sella()')
      const { consistent, close } = await service({ columns: { sello: { expression } } })
      expect((await consistent('POST', { id: 'b', texto: 'nuevo' })).status).toBe(201)
      expect((await consistent('PUT', { id: 'a', texto: 'dos' })).status).toBe(200)
      expect((await consistent('PATCH', { texto: 'tres' })).status).toBe(200)
      await close()
    },
  )

  it('HDR-8: the response includes what "write" changes by SQL after apply(); change.after does not', async () => {
    const seen: unknown[] = []
    const write: Write = async (tx, change) => {
      await change.apply()
      seen.push(change.after)
      await tx.query('SAVEPOINT theirs')
      await tx.query(`UPDATE actas SET sello = 'firmada' WHERE id = $1`, [change.key])
    }
    for (const version of ['xmin', { column: 'version', soleWriter: true }] as const) {
      const { consistent, close } = await service({ write, version })
      await store.sql(`DELETE FROM actas WHERE id = 'b'`)
      expect((await consistent('PATCH', { texto: 'dos' })).json).toEqual({ id: 'a', texto: 'dos', sello: 'firmada' })
      expect((await consistent('PUT', { id: 'a', texto: 'tres' })).json).toMatchObject({ sello: 'firmada' })
      expect((await consistent('POST', { id: 'b', texto: 'x' })).json).toEqual({
        id: 'b',
        texto: 'x',
        sello: 'firmada',
      })
      await close()
    }
    expect(seen[2]).toEqual({ id: 'b', texto: 'x', sello: null })
  })

  it('VERB-12, HDR-8: the result stored for an idempotency key is the committed record', async () => {
    const idempotency = { table: 'repetidas' }
    await store.sql(
      'DROP TABLE IF EXISTS repetidas; CREATE TABLE repetidas (id text PRIMARY KEY, fingerprint text, record ' +
        'text, version text, expires_at timestamptz)',
    )
    await store.sql(afterwards['a deferred trigger'] as string)
    const { consistent, close } = await service({ idempotency })
    const headers = { 'Idempotency-Key': '"k"' }
    const first = await consistent('POST', { id: 'b', texto: 'x' }, headers)
    const again = await consistent('POST', { id: 'b', texto: 'x' }, headers)
    expect([again.json, again.headers.etag]).toEqual([first.json, first.headers.etag])
    expect(again.json).toEqual({ id: 'b', texto: 'x', sello: '*' })
    await close()
  })

  it.each([
    [{}],
    [{ write: async () => {} }],
    [{ write: async (_tx: unknown, change: { apply(): Promise<unknown> }) => void (await change.apply()) }],
  ])(
    'VERB-13: if a trigger deletes the written row, the response is 422 and nothing is changed (%o)',
    async (options) => {
      await store.sql(`
        CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM actas WHERE id = NEW.id; RETURN NULL; END $$;
        CREATE TRIGGER sella AFTER INSERT OR UPDATE ON actas FOR EACH ROW EXECUTE FUNCTION sella()`)
      const { send, close } = await service(options)
      expect((await send('PATCH', '/v1/actas/a', {}, { texto: 'dos' })).status).toBe(422)
      expect((await send('POST', '/v1/actas', {}, { id: 'b', texto: 'x' })).status).toBe(422)
      expect((await send('GET', '/v1/actas')).json).toEqual([{ id: 'a', texto: 'uno', sello: null }])
      await close()
    },
  )

  it('ERR-2: the response to an error of a deferred constraint trigger is a 422 that names the member', async () => {
    await store.sql(`
      CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.texto = 'mal' THEN RAISE EXCEPTION 'secreto' USING ERRCODE = '23514', TABLE = 'actas', COLUMN = 'texto'; END IF; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER sella AFTER INSERT OR UPDATE ON actas DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sella()`)
    for (const options of [{}, { write: async () => {} }]) {
      const { send, close } = await service(options)
      const answer = await send('PATCH', '/v1/actas/a', {}, { texto: 'mal' })
      expect([answer.status, JSON.stringify(answer.json).includes('secreto')]).toEqual([422, false])
      expect(JSON.stringify(answer.json)).toContain('/texto')
      await close()
    }
  })

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'HDR-8: if "write" changes the row before apply(), "write" runs once, and the response is 500 (isolation level %s)',
    async (level) => {
      for (const savepoint of [false, true]) {
        for (const version of ['xmin', { column: 'version', soleWriter: true }] as const) {
          let runs = 0
          const write: Write = async (tx, change) => {
            runs += 1
            if (savepoint) await tx.query('SAVEPOINT theirs')
            await tx.query(`UPDATE actas SET sello = 'antes', version = gen_random_uuid() WHERE id = $1`, [change.key])
            if (savepoint) await tx.query('RELEASE SAVEPOINT theirs')
            await change.apply()
          }
          const session = async (tx: { query(text: string): Promise<unknown> }) => {
            await tx.query(`SET TRANSACTION ISOLATION LEVEL ${level}`)
          }
          const { send, close, failures } = await service({
            write,
            version,
            ...(level === 'read committed' ? {} : { session }),
          })
          const answer = await send('PATCH', '/v1/actas/a', {}, { texto: 'dos' })
          expect([answer.status, runs]).toEqual([500, 1])
          expect(JSON.stringify(answer.json)).not.toMatch(/write|apply|actas"/)
          expect(String(failures[0])).toMatch(
            /"write".* changed the record of "actas" before .*after change\.apply\(\)/,
          )
          expect((await send('GET', '/v1/actas/a')).json).toEqual({ id: 'a', texto: 'uno', sello: null })
          await close()
        }
      }
    },
  )

  it('HDR-3: the response to an outdated tag is 412, even if a statement-level trigger changes rows', async () => {
    await store.sql(`
      CREATE FUNCTION sella() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF pg_trigger_depth() = 1 THEN UPDATE actas SET sello = (SELECT count(*) FROM actas)::text, version = gen_random_uuid(); END IF; RETURN NULL; END $$;
      CREATE TRIGGER sella AFTER INSERT OR UPDATE OR DELETE ON actas EXECUTE FUNCTION sella()`)
    for (const version of ['xmin', { column: 'version' }] as const) {
      const { send, close, consistent } = await service({ version })
      const before = { 'If-Match': String((await send('GET', '/v1/actas/a')).headers.etag) }
      const made = await consistent('PUT', { id: 'a', texto: 'dos' }, before)
      expect(made.status).toBe(200)
      for (const [method, body] of [
        ['PUT', { id: 'a', texto: 'tres' }],
        ['PATCH', { texto: 'tres' }],
      ] as const)
        expect((await send(method, '/v1/actas/a', before, body)).status).toBe(412)
      const now = await send('GET', '/v1/actas/a')
      expect([now.json, now.headers.etag]).toEqual([made.json, made.headers.etag])
      expect((await send('DELETE', '/v1/actas/a', before)).status).toBe(412)
      await close()
    }
  })

  it('HDR-8: if "write" deletes the record before apply(), the status is 500; an unknown key gets 404', async () => {
    for (const version of ['xmin', { column: 'version' }] as const) {
      const write: Write = async (tx, change) => {
        await tx.query('DELETE FROM actas WHERE id = $1', [change.key])
        await change.apply()
      }
      const { send, close, failures } = await service({ write, version })
      for (const [method, body] of [
        ['PUT', { id: 'a', texto: 'dos' }],
        ['PATCH', { texto: 'dos' }],
        ['DELETE', undefined],
      ] as const) {
        expect((await send(method, '/v1/actas/a', {}, body)).status, method).toBe(500)
        expect(String(failures.pop())).toMatch(
          /"write".* changed the record of "actas" before .*after change\.apply\(\)/,
        )
        expect((await send('GET', '/v1/actas/a')).json).toEqual({ id: 'a', texto: 'uno', sello: null })
      }
      expect((await send('DELETE', '/v1/actas/nadie')).status).toBe(404)
      await close()
    }
  })

  const undone: readonly (readonly [string, string, Record<string, string>, unknown])[] = [
    ['PUT without If-Match', 'PUT', {}, { id: 'a', texto: 'dos' }],
    ['PUT with If-Match', 'PUT', { 'If-Match': '*' }, { id: 'a', texto: 'dos' }],
    ['PATCH', 'PATCH', {}, { texto: 'dos' }],
    ['DELETE', 'DELETE', {}, undefined],
  ]
  it.each(undone)(
    'VERB-13: %s: if "write" undoes the change by a savepoint, the response is 500 and the error says so',
    async (_, method, headers, body) => {
      const { send, close, failures } = await service({
        write: async (tx, change) => {
          await tx.query('SAVEPOINT mine')
          await change.apply()
          await tx.query('ROLLBACK TO SAVEPOINT mine')
        },
      })
      const before = await send('GET', '/v1/actas/a')
      const answer = await send(method, '/v1/actas/a', headers, body)
      expect(answer.status).toBe(500)
      expect(String(failures[0])).toMatch(/"write" function has undone the (replace|patch|remove) of "actas"/)
      const after = await send('GET', '/v1/actas/a')
      expect([after.json, after.headers.etag]).toEqual([before.json, before.headers.etag])
      await close()
    },
  )

  it('HDR-8: the response to a PUT without If-Match includes what "write" changes after apply()', async () => {
    const { send, close } = await service({
      write: async (tx, change) => {
        await change.apply()
        await tx.query("UPDATE actas SET sello = 'hook', version = gen_random_uuid() WHERE id = 'a'")
      },
    })
    const answer = await send('PUT', '/v1/actas/a', {}, { id: 'a', texto: 'dos' })
    expect([answer.status, (answer.json as Acta).sello]).toEqual([200, 'hook'])
    await close()
  })

  it('VERB-13: if "write" throws a value other than an Error, the status is 500 and the change is undone', async () => {
    const write: Write = async (_tx, change) => {
      await change.apply()
      throw undefined
    }
    const { send, close, failures } = await service({ write })
    for (const [method, body] of [
      ['PATCH', { texto: 'dos' }],
      ['DELETE', undefined],
    ] as const) {
      expect((await send(method, '/v1/actas/a', {}, body)).status).toBe(500)
      expect(String(failures.pop())).toMatch(/The "write" function threw undefined/)
      expect((await send('GET', '/v1/actas/a')).json).toEqual({ id: 'a', texto: 'uno', sello: null })
    }
    await close()
  })

  it('HDR-8: if an SQL rule changes the row before the update, the response is 500 and the error says so', async () => {
    await store.sql(`${book}
      CREATE RULE anota AS ON UPDATE TO actas DO ALSO INSERT INTO libro VALUES (OLD.id)`)
    const { send, close, failures } = await service()
    expect((await send('PATCH', '/v1/actas/a', {}, { texto: 'dos' })).status).toBe(500)
    expect(failures.map(String)).toEqual([
      expect.stringMatching(/rule or a trigger changed the record of "actas" before/),
    ])
    expect((await send('GET', '/v1/actas/a')).json).toEqual({ id: 'a', texto: 'uno', sello: null })
    await close()
  })

  it('HDR-3: a change that lost a race against another change is retried, and "write" runs again', async () => {
    let runs = 0
    const write: Write = async (_tx, change) => {
      runs += 1
      await change.apply()
    }
    const { send, close, adapter } = await service({ write })
    const other = postgresAdapter(store.client, {
      resource: actas,
      table: 'actas',
      version: { column: 'version', soleWriter: true },
    })
    const original = adapter.replace
    let raced = false
    adapter.replace = async (key, value, expected, call) => {
      if (!raced) await other.replace('a', { id: 'a', texto: 'otro' }, undefined, call)
      raced = true
      return original(key, value, expected, call)
    }
    expect((await send('PATCH', '/v1/actas/a', {}, { texto: 'dos' })).status).toBe(200)
    expect(runs).toBe(2)
    await close()
  })
})

/**
 * A write does not undo an update by another session, except in the members that the write itself
 * sets (HDR-3). The tests cover many kinds of tables, views, triggers and rules. Each test updates
 * the row in another session, sends a request, and commits the update as soon as the request waits
 * for it.
 */
import express from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { isProblem } from '../../../src/problem.js'
import { listen } from '../../clauses/fixture.js'
import { type TwoSessions, twoSessions } from './two-sessions.js'

const textOrNull = { type: ['string', 'null'] } as const
const piezas = defineResource({
  collection: 'piezas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, a: textOrNull, b: textOrNull } },
})
type Pieza = NonNullable<typeof piezas.types>['record']
type Options = Partial<PostgresAdapterOptions<Pieza, string>>

interface Form {
  readonly name: string
  readonly ddl: string
  readonly options?: Options
}

const tables = `
  CREATE TABLE sucursales (sucursal int PRIMARY KEY, nombre text); INSERT INTO sucursales VALUES (1, 'Centro');
  CREATE TABLE base (id text PRIMARY KEY, a text, b text, extra text, version uuid NOT NULL DEFAULT gen_random_uuid(), sucursal int DEFAULT 1);
  CREATE TABLE archivo (LIKE base INCLUDING ALL);
  INSERT INTO base (id) VALUES ('k')`
const columns = 'id, a, b, extra, version'
const view = (query = `SELECT ${columns} FROM base`): string => `CREATE VIEW piezas AS ${query};`
const triggers = (relation = 'piezas'): string => `
  CREATE FUNCTION escribe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'UPDATE' THEN
      UPDATE base SET a = NEW.a, b = NEW.b, extra = NEW.extra, version = gen_random_uuid() WHERE id = OLD.id; RETURN NEW;
    END IF;
    DELETE FROM base WHERE id = OLD.id; RETURN OLD;
  END $$;
  CREATE TRIGGER escribe INSTEAD OF UPDATE OR DELETE ON ${relation} FOR EACH ROW EXECUTE FUNCTION escribe();`
const rules = `
  CREATE RULE cambia AS ON UPDATE TO piezas DO INSTEAD
    UPDATE base SET a = NEW.a, b = NEW.b, extra = NEW.extra, version = gen_random_uuid() WHERE id = OLD.id RETURNING ${columns};
  CREATE RULE borra AS ON DELETE TO piezas DO INSTEAD DELETE FROM base WHERE id = OLD.id RETURNING ${columns};`

/**
 * Kinds of relations. The adapter reads and writes `piezas`. The other session updates `base`.
 * `base` is the table that contains the row, or a view of `piezas`.
 */
const forms: readonly Form[] = [
  { name: 'a view with an INSTEAD OF trigger', ddl: view() + triggers() },
  {
    name: 'a view with an INSTEAD OF trigger, and an expression as the version',
    ddl: view() + triggers(),
    options: { version: { expression: '_r.version' } },
  },
  {
    name: 'a view with an INSTEAD OF trigger and a join',
    ddl: `${view(`SELECT ${columns}, nombre FROM base JOIN sucursales USING (sucursal)`)}${triggers()}`,
  },
  {
    name: 'a view with an INSTEAD OF trigger and an outer join',
    ddl: `${view(`SELECT ${columns}, nombre FROM base LEFT JOIN sucursales USING (sucursal)`)}${triggers()}`,
  },
  {
    name: 'a view with an INSTEAD OF trigger and UNION ALL',
    ddl: `${view(`SELECT ${columns} FROM base UNION ALL SELECT ${columns} FROM archivo`)}${triggers()}`,
  },
  {
    name: 'a view with an INSTEAD OF trigger and UNION',
    ddl: `${view(`SELECT ${columns} FROM base UNION SELECT ${columns} FROM archivo`)}${triggers()}`,
  },
  {
    name: 'a view with an INSTEAD OF trigger and WITH',
    ddl: `${view(`WITH todas AS (SELECT * FROM base) SELECT ${columns} FROM todas`)}${triggers()}`,
  },
  {
    name: 'a view with an INSTEAD OF trigger and GROUP BY',
    ddl: `${view(`SELECT ${columns}, count(*) AS n FROM base GROUP BY ${columns}`)}${triggers()}`,
  },
  {
    name: 'a view with an INSTEAD OF trigger and DISTINCT',
    ddl: `${view(`SELECT DISTINCT ${columns} FROM base`)}${triggers()}`,
  },
  {
    name: 'a view with an INSTEAD OF trigger, over a function',
    ddl:
      `CREATE FUNCTION filas() RETURNS SETOF base LANGUAGE sql VOLATILE AS 'SELECT * FROM ` +
      `base';${view(`SELECT ${columns} FROM filas()`)}${triggers()}`,
  },
  {
    name: 'a view over a view with an INSTEAD OF trigger',
    ddl:
      `CREATE VIEW interior AS SELECT ${columns} FROM base; ${triggers('interior')} ` +
      `${view(`SELECT ${columns} FROM interior`)}`,
  },
  { name: 'a view with rules', ddl: view() + rules },
  {
    name: 'a view with rules and an outer join',
    ddl: `${view(`SELECT ${columns}, nombre FROM base LEFT JOIN sucursales USING (sucursal)`)}${rules.replaceAll(/RETURNING [^;]+/g, `RETURNING ${columns}, NULL::text`)}`,
  },
  {
    name: 'a table with rules',
    ddl:
      'CREATE TABLE piezas (LIKE base INCLUDING ALL); ' +
      `${rules.replaceAll('INSTEAD', 'ALSO').replaceAll(/ RETURNING [^;]+/g, '')} INSERT INTO piezas SELECT ` +
      '* FROM base;',
  },
  { name: 'an automatically updatable view', ddl: view() },
  { name: 'a table', ddl: 'ALTER TABLE base RENAME TO piezas; CREATE VIEW base AS SELECT * FROM piezas;' },
  {
    name: 'a table with a BEFORE trigger',
    ddl: `ALTER TABLE base RENAME TO piezas; CREATE VIEW base AS SELECT * FROM piezas;
      CREATE FUNCTION antes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.extra := coalesce(NEW.extra, ''); RETURN NEW; END $$;
      CREATE TRIGGER antes BEFORE UPDATE ON piezas FOR EACH ROW EXECUTE FUNCTION antes();`,
  },
  {
    name: 'a table from which another table inherits',
    ddl: `CREATE TABLE piezas (LIKE base INCLUDING ALL); ALTER TABLE base INHERIT piezas;`,
  },
  {
    name: 'a table whose version is looked up in another table',
    ddl: `ALTER TABLE base RENAME TO piezas; CREATE VIEW base AS SELECT * FROM piezas; CREATE TABLE versiones (id text PRIMARY KEY, n int NOT NULL); INSERT INTO versiones VALUES ('k', 1);
      CREATE FUNCTION cuenta() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE versiones SET n = n + 1 WHERE id = NEW.id; RETURN NULL; END $$;
      CREATE TRIGGER cuenta AFTER UPDATE ON piezas FOR EACH ROW EXECUTE FUNCTION cuenta();`,
    options: { version: { expression: '(SELECT n FROM versiones AS _v WHERE _v.id = _r.id)' } },
  },
  {
    name: 'a table whose version is looked up by a function',
    ddl: `ALTER TABLE base RENAME TO piezas; CREATE VIEW base AS SELECT * FROM piezas; CREATE TABLE versiones (id text PRIMARY KEY, n int NOT NULL); INSERT INTO versiones VALUES ('k', 1);
      CREATE FUNCTION cuenta() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE versiones SET n = n + 1 WHERE id = NEW.id; RETURN NULL; END $$;
      CREATE FUNCTION "Versión"(text) RETURNS int LANGUAGE sql STABLE AS 'SELECT n FROM versiones WHERE id = $1';
      CREATE TRIGGER cuenta AFTER UPDATE ON piezas FOR EACH ROW EXECUTE FUNCTION cuenta();`,
    options: { version: { expression: '"Versión" (_r.id)' } },
  },
]

/** The kind of relation for which the other session updates `piezas` instead of `base`. */
const byItself = 'a table with rules'

describe('a request during an update by another session', () => {
  let sessions: TwoSessions
  let closing: (() => Promise<unknown>) | undefined
  beforeAll(async () => {
    sessions = await twoSessions()
  })
  afterEach(async () => {
    await closing?.()
    closing = undefined
  })
  afterAll(() => sessions.close())

  async function service({ ddl, options }: Form) {
    await sessions.reset(`${tables}; ${ddl}`)
    const adapter = postgresAdapter(sessions.pool, {
      resource: piezas,
      table: 'piezas',
      version: { column: 'version', next: 'gen_random_uuid()' },
      ...options,
    })
    await adapter.ready(new Set(['replace', 'remove']))
    const failures: unknown[] = []
    const app = api({
      versions: { v1: [mount(piezas, adapter)] },
      onError: ({ error }) => failures.push(error),
      timeout: 10_000,
    })
    const { send, close } = await listen(express().use(app))
    closing = close
    return { send, failures }
  }

  const others = { a: 'a', b: 'otro', extra: 'otro' }
  const requests = [
    { method: 'PATCH', body: { a: 'mío' }, status: 200, left: { ...others, a: 'mío' } },
    { method: 'PATCH', body: { a: 'mío' }, tagged: true, status: 412, left: others },
    { method: 'PUT', body: { id: 'k', a: 'mío', b: 'mío' }, status: 200, left: { a: 'mío', b: 'mío', extra: 'otro' } },
    { method: 'PUT', body: { id: 'k', a: 'mío', b: 'mío' }, tagged: true, status: 412, left: others },
    { method: 'DELETE', tagged: true, status: 412, left: others },
  ] as const

  it.each(forms)(
    'HDR-3: PATCH, PUT and DELETE of a row of $name do not undo the update, except in the members that they write',
    async (form) => {
      const { send, failures } = await service(form)
      const table = form.name === byItself ? 'piezas' : 'base'
      for (const request of requests) {
        const { method, status, left } = request
        await sessions.sql(`UPDATE ${table} SET a = 'a', b = 'b', extra = 'extra'`)
        const { headers } = await send('GET', '/v1/piezas/k')
        const update = `UPDATE ${table} SET b = 'otro', extra = 'otro', version = gen_random_uuid()`
        const answer = await sessions.concurrently(update, () =>
          send(
            method,
            '/v1/piezas/k',
            'tagged' in request ? { 'If-Match': String(headers.etag) } : {},
            'body' in request ? request.body : undefined,
          ),
        )
        const [row] = await sessions.sql('SELECT a, b, extra FROM piezas')
        expect([method, answer.status, row]).toEqual([method, status, left])
      }
      expect(failures.filter((error) => !isProblem(error))).toEqual([])
    },
  )
})

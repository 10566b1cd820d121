/**
 * The adapter classifies failures even if the database client reports less than `pg` does, for
 * example only the message and the code.
 */
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { failureKind, stateOf } from '../../../src/adapters/postgres/connections/failures.js'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { freshSchema } from '../../servers/databases.js'
import { call } from '../memory/requests.js'

const failure = (fields: object) => Object.assign(new Error('m'), fields)

describe('kinds of failures', () => {
  it.each([
    [{ code: '0A000' }, 'unprepared'],
    [{ code: '0A000', routine: 'RevalidateCachedQuery' }, 'unprepared'],
    [{ code: '0A000', routine: 'checkResult', message: 'cached plan must not change result type' }, 'unprepared'],
    [{ code: '0A000', routine: 'ExecBRInsertTriggers' }, 'refused'],
    [{ code: '40001', routine: 'exec_stmt_raise' }, 'conflict'],
    [{ code: '55P03', routine: 'exec_stmt_raise' }, 'busy'],
    [{ code: '57014', routine: 'exec_stmt_raise' }, 'refused'],
    [{ code: '57014' }, 'cancelled'],
    [{ code: '08006', routine: 'exec_stmt_raise' }, 'refused'],
    [{ code: '08006' }, 'lost'],
    [{ code: 'MY001' }, 'refused'],
    [{ code: 'ABCDE', severity: 'ERROR' }, 'refused'],
    [{ code: 'EPIPE' }, 'other'],
    [{ code: '42501' }, 'other'],
    [{ code: '42501', routine: 'ExecWithCheckOptions' }, 'refused'],
    [{ code: '2200H' }, 'other'],
    [{ code: '22012' }, 'refused'],
    [{ code: '20000', routine: 'exec_stmt_case' }, 'refused'],
    [{ code: '38000', routine: 'plperl_call_perl_trigger_func' }, 'refused'],
    [{ code: 'XX000' }, 'other'],
    [{}, 'other'],
  ] as const)('an error with the fields %o is classified as "%s"', (fields, kind) => {
    expect(failureKind(failure(fields))).toBe(kind)
  })

  it('a network error of Node has no SQLSTATE', () => {
    expect(stateOf(failure({ code: 'EPIPE' }))).toBeUndefined()
    expect(stateOf(failure({ code: 'ECONNRESET' }))).toBeUndefined()
  })

  it('refusals are recognized even if the client reports only the message and the code of an error', async () => {
    await using place = await freshSchema()
    const pool = new pg.Pool({ connectionString: place.url, max: 1 })
    await place.sql(`
      CREATE TABLE t (id int PRIMARY KEY, texto text);
      CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hunter2' USING ERRCODE = NEW.texto; END $$;
      CREATE TRIGGER no BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION no()`)
    const bare = {
      query: (text: string, values?: unknown[]) =>
        pool.query(text, values).catch(({ message, code }: { message: string; code: string }) => {
          throw Object.assign(new Error(message), { code })
        }),
    }
    const resource = defineResource({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, texto: { type: 'string' } } },
    })
    const adapter = postgresAdapter(bare, { resource, table: 't', onWarning: () => {} })
    await adapter.ready()
    for (const texto of ['P0001', 'MY001', '99999', '22012', '23514'])
      expect(await adapter.create({ id: 1, texto }, call), texto).toMatchObject({ refused: 'rule', members: [] })
    await pool.end()
  })
})

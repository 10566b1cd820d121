/** Responses with cached rows equal those of an adapter without a cache. */
import express from 'express'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { api, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { size } from '../../size.js'
import { describeWithCaches } from '../../with-caches.js'
import { columns, counted, fichas, isSlim, listOften, place, Recording, rows, trigger, uuid, warm } from './fichas.js'

const { sql, fill, over } = place()

const ids = ['f1', 'f2', 'f3', 'f9']
const id = fc.constantFrom(...ids)
const value = fc.constantFrom('x', 'y', '')
const changes: Record<string, (id: string, value: string) => string> = {
  update: (id, value) => `UPDATE fichas SET a = '${value}' WHERE id = '${id}'`,
  'update of all': (_, value) => `UPDATE fichas SET b = '${value}'`,
  'update without changes': (id) => `UPDATE fichas SET b = b WHERE id = '${id}'`,
  remove: (id) => `DELETE FROM fichas WHERE id = '${id}'`,
  'create again': (id, value) =>
    `DELETE FROM fichas WHERE id = '${id}'; INSERT INTO fichas (id, a) VALUES ('${id}', '${value}')`,
  'create again with the same version': (id, value) =>
    `CREATE TEMP TABLE t AS SELECT * FROM fichas WHERE id = '${id}'; DELETE FROM fichas WHERE id = '${id}';
     INSERT INTO fichas (id, a, version) SELECT id, '${value}', version FROM t; DROP TABLE t`,
  'disable the trigger': (id, value) =>
    `ALTER TABLE fichas DISABLE TRIGGER ALL; UPDATE fichas SET a = '${value}' WHERE id = '${id}'; ALTER TABLE ` +
    'fichas ENABLE TRIGGER ALL',
  'keep the trigger disabled': (id, value) =>
    `ALTER TABLE fichas DISABLE TRIGGER ALL; UPDATE fichas SET a = '${value}' WHERE id = '${id}'`,
  'drop the trigger': (id, value) =>
    `DROP TRIGGER IF EXISTS mueve ON fichas; UPDATE fichas SET n = length('${value}') WHERE id = '${id}'`,
  'apply as a subscriber': (id, value) =>
    `SET session_replication_role = replica; UPDATE fichas SET b = '${value}' WHERE id = '${id}'`,
  truncate: () => `TRUNCATE fichas; ${rows}`,
  restore: (_, value) =>
    'CREATE TEMP TABLE t AS SELECT * FROM fichas; TRUNCATE fichas; INSERT INTO fichas SELECT * FROM t; UPDATE t ' +
    `SET b = '${value}'; DROP TABLE t`,
  'restore with changes': (_, value) =>
    `CREATE TEMP TABLE t AS SELECT * FROM fichas; UPDATE t SET b = '${value}'; TRUNCATE fichas; INSERT INTO ` +
    'fichas SELECT * FROM t; DROP TABLE t',
  vacuum: () => 'VACUUM FULL fichas',
}
type Step =
  | { readonly kind: 'sql'; readonly change: string; readonly id: string; readonly value: string }
  | { readonly kind: 'patch'; readonly id: string; readonly value: string }
  | { readonly kind: 'get'; readonly id: string }
  | { readonly kind: 'list'; readonly query: string }
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('sql'),
    change: fc.constantFrom(...Object.keys(changes)),
    id,
    value,
  }) as fc.Arbitrary<Step>,
  fc.record({ kind: fc.constantFrom('patch', 'get'), id, value }) as fc.Arbitrary<Step>,
  fc.record({
    kind: fc.constant('list'),
    query: fc.constantFrom('', '?sort=-a', '?limit=2', '?a=x', '?sort=n&limit=2&offest=2'),
  }) as fc.Arbitrary<Step>,
)

describeWithCaches('responses with cached rows', () => {
  it.each([
    ['a trigger changes the version', trigger, {}],
    ['the option "soleWriter" is true', '', { version: { column: 'version', soleWriter: true } }],
    ['the version has a digest', '', {}],
  ] as const)(
    'equal those of an adapter without a cache, even while other sessions write, if %s (property)',
    async (_, ddl, options) => {
      let hits = 0
      let slim = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
          await fill(`CREATE TABLE fichas (${columns}, ${uuid}); ${ddl}`)
          const adapters = [over(options), over({ ...options, keepRows: false })] as const
          const [kept, plain] = adapters
          await plain.ready()
          await warm(kept)
          await listOften(kept)
          const running = await Promise.all(
            adapters.map((adapter) =>
              listen(
                express().use(api({ versions: { v1: [mount(fichas, adapter)] }, baseUrl: 'https://fichas.example' })),
              ),
            ),
          )
          const same = async (path: string) => {
            const answers = await Promise.all(running.map(({ send }) => send('GET', path, { 'x-request-id': 'same' })))
            const [one, other] = answers.map(({ status, text, headers }) => ({
              status,
              text,
              headers: { ...headers, date: '' },
            }))
            expect(path.startsWith('/v1/fichas/') ? [200, 404] : [200], path).toContain(one?.status)
            expect(one).toEqual(other)
          }
          try {
            for (const one of steps) {
              if (one.kind === 'sql') await sql(changes[one.change]?.(one.id, one.value) as string)
              else if (one.kind === 'patch')
                await running[0]?.send('PATCH', `/v1/fichas/${one.id}`, {}, { a: one.value })
              else await same(one.kind === 'list' ? `/v1/fichas${one.query}` : `/v1/fichas/${one.id}`)
              await same('/v1/fichas')
              await listOften(kept)
            }
            for (const one of ids) await same(`/v1/fichas/${one}`)
          } finally {
            await Promise.all(running.map(({ close }) => close()))
          }
          hits += counted(kept)?.hits ?? 0
          slim += Recording.texts.splice(0).filter(isSlim).length
        }),
        { numRuns: size(4, 40) },
      )
      expect(hits).toBeGreaterThan(0)
      expect(slim).toBeGreaterThan(0)
    },
  )
})

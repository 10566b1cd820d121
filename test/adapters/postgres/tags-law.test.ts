import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { size } from '../../size.js'
import { type Store, stores } from './stores.js'

const text = { type: ['string', 'null'] } as const
const fichas = (properties: Record<string, typeof text>) =>
  defineResource<{ id: string } & Record<string, unknown>>()({
    collection: 'fichas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, ...properties } },
  })
/** The resources of two services over one table. Each resource has only some of the columns. */
const parts = [fichas({ a: text, b: text }), fichas({ b: text, c: text })] as const

const bump =
  `IF pg_trigger_depth() = 1 THEN UPDATE fichas SET b = coalesce(b, '') || '+' WHERE id = NEW.id AND ` +
  `length(coalesce(b, '')) < 9; END IF; RETURN NULL;`
const triggers = {
  none: '',
  before: `CREATE FUNCTION toca() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.c := NEW.a; RETURN NEW; END $$;
    CREATE TRIGGER toca BEFORE UPDATE ON fichas FOR EACH ROW EXECUTE FUNCTION toca()`,
  after: `CREATE FUNCTION toca() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${bump} END $$;
    CREATE TRIGGER toca AFTER UPDATE ON fichas FOR EACH ROW EXECUTE FUNCTION toca()`,
  deferred: `CREATE FUNCTION toca() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${bump} END $$;
    CREATE CONSTRAINT TRIGGER toca AFTER UPDATE ON fichas DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION toca()`,
} as const
const versions = { xmin: 'xmin', column: { column: 'version' } } as const
const hooks: Record<string, PostgresAdapterOptions['write']> = {
  none: undefined,
  after: async (tx, change) => {
    await change.apply()
    await tx.query(`UPDATE fichas SET c = coalesce(a, '') || '!' WHERE id = $1`, [change.key])
  },
}

type Step =
  | {
      readonly kind: 'get' | 'again' | 'put' | 'patch' | 'if-match'
      readonly service: 0 | 1
      readonly value: string
      readonly old: number
    }
  | { readonly kind: 'sql'; readonly column: string; readonly value: string }
const value = fc.constantFrom('x', 'y', '')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('get', 'again', 'put', 'patch', 'if-match'),
    service: fc.constantFrom(0, 1),
    value,
    old: fc.nat(3),
  }) as fc.Arbitrary<Step>,
  fc.record({ kind: fc.constant('sql'), column: fc.constantFrom('a', 'b', 'c', 'd'), value }) as fc.Arbitrary<Step>,
)
const scenario = fc.record({
  trigger: fc.constantFrom(...(Object.keys(triggers) as (keyof typeof triggers)[])),
  version: fc.constantFrom(...(Object.keys(versions) as (keyof typeof versions)[])),
  hook: fc.constantFrom(...Object.keys(hooks)),
  rounds: fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 12 }),
})

describe.each(stores)('entity tags, over $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  }, 120_000)
  afterAll(() => store.close())

  it('HDR-8: different bodies have different tags, no 304 hides a change, If-Match loses no update', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ trigger, version, hook, rounds }) => {
        await store.sql(`
          DROP TABLE IF EXISTS fichas; DROP FUNCTION IF EXISTS toca;
          CREATE TABLE fichas (id text PRIMARY KEY, a text, b text, c text, d text, version uuid NOT NULL DEFAULT gen_random_uuid());
          INSERT INTO fichas (id) VALUES ('f'); ${triggers[trigger]}`)
        const running = await Promise.all(
          parts.map(async (resource) => {
            const write = hooks[hook]
            const adapter = postgresAdapter(store.client, {
              resource,
              table: 'fichas',
              version: versions[version],
              ...(write === undefined ? {} : { write }),
            })
            return {
              ...(await listen(express().use(api({ versions: { v1: [mount(resource, adapter)] } })))),
              seen: new Map<string, string>(),
            }
          }),
        )
        const run = async (one: Step, alone: boolean): Promise<void> => {
          if (one.kind === 'sql') {
            await store.sql(`UPDATE fichas SET ${one.column} = '${one.value}'`)
            return
          }
          const { send, seen } = running[one.service] as (typeof running)[number]
          const tags = [...seen.keys()]
          const tag = tags[Math.max(0, tags.length - 1 - one.old)]
          const body =
            one.kind === 'put'
              ? { id: 'f', b: one.value }
              : one.kind === 'get' || one.kind === 'again'
                ? undefined
                : { b: one.value }
          const headers: Record<string, string> =
            tag === undefined
              ? {}
              : one.kind === 'again'
                ? { 'If-None-Match': tag }
                : one.kind === 'if-match'
                  ? { 'If-Match': tag }
                  : {}
          const before =
            alone && tag !== undefined ? JSON.stringify((await send('GET', '/v1/fichas/f')).json) : undefined
          const method = one.kind === 'put' ? 'PUT' : body === undefined ? 'GET' : 'PATCH'
          const answer = await send(method, '/v1/fichas/f', headers, body)
          expect([200, 304, 412]).toContain(answer.status)
          if (answer.status === 304 && before !== undefined)
            expect(seen.get(answer.headers.etag as string)).toBe(before)
          if (one.kind === 'if-match' && before !== undefined && seen.get(tag as string) !== before)
            expect(answer.status).toBe(412)
          if (answer.status !== 200) return
          const etag = answer.headers.etag as string
          const shown = JSON.stringify(answer.json)
          expect(seen.get(etag) ?? shown).toBe(shown)
          seen.set(etag, shown)
        }
        try {
          for (const round of rounds) await Promise.all(round.map((one) => run(one, round.length === 1)))
          for (const service of [0, 1] as const) await run({ kind: 'get', service, value: '', old: 0 }, true)
        } finally {
          await Promise.all(running.map(({ close }) => close()))
        }
      }),
      { numRuns: size(8, 25) },
    )
  }, 240_000)
})

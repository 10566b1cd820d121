/**
 * A PATCH takes one statement if its `If-Match` has the tag of a cached row, and if the table and
 * the options allow it. The responses equal those of an adapter that reads the row first.
 */
import express from 'express'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { api, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { size } from '../../size.js'
import { columns, counted, fichas, listOften, type Options, place, Recording, trigger, uuid, warm } from './fichas.js'

const served = (adapter: ReturnType<typeof left.over>) =>
  listen(express().use(api({ versions: { v1: [mount(fichas, adapter)] }, baseUrl: 'https://fichas.example' })))
const left = place()
const right = place()
const table = `CREATE TABLE fichas (${columns}, ${uuid});`

/**
 * Sends a PATCH with the tag of a record, then a PATCH with the tag of the first response. Returns
 * both responses, and the first word of each statement of the two requests.
 */
async function patched(options: Options, ddl = trigger, prepare?: (etag: string) => Promise<unknown>) {
  await left.fill(`${table} ${ddl}`)
  // If the record had a link, another statement would read the target for the response.
  await left.sql('UPDATE fichas SET padre_id = NULL')
  const adapter = left.over(options)
  await warm(adapter)
  const service = await served(adapter)
  try {
    const tag = String((await service.send('GET', '/v1/fichas/f1')).headers.etag)
    await prepare?.(tag)
    Recording.texts.length = 0
    const one = await service.send('PATCH', '/v1/fichas/f1', { 'if-match': tag }, { a: 'z' })
    const statements = Recording.texts.map((text) => text.trim().split(' ')[0])
    Recording.texts.length = 0
    const again = await service.send('PATCH', '/v1/fichas/f1', { 'if-match': String(one.headers.etag) }, { b: 'y' })
    return { one, statements, again, statementsAgain: Recording.texts.map((text) => text.trim().split(' ')[0]) }
  } finally {
    await service.close()
  }
}

describe('a PATCH whose If-Match has the tag of a cached row (HDR-3)', () => {
  it.each<[string, Options, string]>([
    ['set by a trigger', {}, trigger],
    ['a column with `soleWriter: true`', { version: { column: 'version', soleWriter: true } }, ''],
    ['a column and a digest of the row', {}, ''],
  ])(
    'takes one UPDATE if the version is %s, and so does the next PATCH with the returned tag',
    async (_, options, ddl) => {
      const { one, statements, again, statementsAgain } = await patched(options, ddl)
      expect([one.status, statements]).toEqual([200, ['UPDATE']])
      expect([again.status, statementsAgain]).toEqual([200, ['UPDATE']])
      expect(await left.sql(`SELECT a, b FROM fichas WHERE id = 'f1'`)).toEqual([{ a: 'z', b: 'y' }])
    },
  )

  it.each<[string, Options, string, 'cached' | 'not cached']>([
    ['keepRows: false', { keepRows: false }, trigger, 'not cached'],
    ['xmin as the version', { version: 'xmin' }, '', 'not cached'],
    [
      'an AFTER trigger',
      {},
      `${trigger}; CREATE OR REPLACE FUNCTION nada() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
       CREATE TRIGGER despues AFTER UPDATE ON fichas FOR EACH ROW EXECUTE FUNCTION nada()`,
      'cached',
    ],
    ['onUpdate', { onUpdate: (record: object) => record as never }, trigger, 'cached'],
    [
      'a write function',
      { write: (_tx: unknown, change: { apply(): unknown }) => void change.apply() } as never,
      trigger,
      'cached',
    ],
  ])('with %s, reads the row first', async (_, options, ddl, rows) => {
    await left.fill(`${table} ${ddl}`)
    // If the record had a link, a SELECT would read the target for the response.
    await left.sql('UPDATE fichas SET padre_id = NULL')
    const adapter = left.over({ ...options })
    await (rows === 'cached' ? warm(adapter) : adapter.ready())
    await listOften(adapter)
    expect((counted(adapter)?.entries ?? 0) > 0).toBe(rows === 'cached')
    const service = await served(adapter)
    try {
      const tag = String((await service.send('GET', '/v1/fichas/f1')).headers.etag)
      Recording.texts.length = 0
      expect((await service.send('PATCH', '/v1/fichas/f1', { 'if-match': tag }, { a: 'z' })).status).toBe(200)
      expect(Recording.texts[0]).toMatch(/^SELECT/)
    } finally {
      await service.close()
    }
  })

  it('reads the row if an update bypassed the trigger and therefore did not change the version', async () => {
    const { one, statements } = await patched({}, trigger, () =>
      left.sql(
        `SET session_replication_role = replica; UPDATE fichas SET b = 'theirs' WHERE id = 'f1'; RESET ` +
          'session_replication_role',
      ),
    )
    expect(statements[0]).toBe('UPDATE')
    expect(statements.length).toBeGreaterThan(1)
    expect(JSON.parse(one.text)).toMatchObject({ a: 'z', b: 'theirs' })
  })

  it('loses no update if two services and direct SQL change a row at the same time', async () => {
    await left.fill()
    const adapters = [left.over(), left.over()]
    for (const adapter of adapters) await warm(adapter)
    vi.useRealTimers()
    const services = await Promise.all(adapters.map(served))
    await left.sql(`UPDATE fichas SET n = 0 WHERE id = 'f1'`)
    let done = 0
    const increments = async (send: (typeof services)[number]['send']) => {
      let last = await send('GET', '/v1/fichas/f1')
      for (let i = 0; i < size(6, 100); i++) {
        const { n } = JSON.parse(last.text) as { n: number }
        const answer = await send('PATCH', '/v1/fichas/f1', { 'if-match': String(last.headers.etag) }, { n: n + 1 })
        expect([200, 412]).toContain(answer.status)
        if (answer.status === 200) {
          done += 1
          expect(JSON.parse(answer.text)).toMatchObject({ n: n + 1 })
        }
        last = answer.status === 200 ? answer : await send('GET', '/v1/fichas/f1')
      }
    }
    const byHand = async () => {
      for (let i = 0; i < size(5, 60); i++) {
        await left.sql(`UPDATE fichas SET n = n + 1 WHERE id = 'f1'`)
        done += 1
      }
    }
    try {
      await Promise.all([...services, ...services].map(({ send }) => increments(send)).concat(byHand()))
      expect(await left.sql(`SELECT n::int AS n FROM fichas WHERE id = 'f1'`)).toEqual([{ n: done }])
    } finally {
      await Promise.all(services.map(({ close }) => close()))
    }
  })

  const id = fc.constantFrom('f1', 'f2', 'f9')
  const value = fc.constantFrom('x', 'y', '')
  const changes: Record<string, (id: string, value: string) => string> = {
    update: (id, value) => `UPDATE fichas SET a = '${value}' WHERE id = '${id}'`,
    remove: (id) => `DELETE FROM fichas WHERE id = '${id}'`,
    'create again': (id, value) =>
      `DELETE FROM fichas WHERE id = '${id}'; INSERT INTO fichas (id, a) VALUES ('${id}', '${value}')`,
    'apply as a subscriber': (id, value) =>
      `SET session_replication_role = replica; UPDATE fichas SET b = '${value}' WHERE id = '${id}'; RESET ` +
      'session_replication_role',
    'add a constraint': () =>
      `ALTER TABLE fichas DROP CONSTRAINT IF EXISTS y; ALTER TABLE fichas ADD CONSTRAINT y CHECK (a <> 'y') NOT VALID`,
    'rename a column': () => 'ALTER TABLE fichas RENAME b TO c; ALTER TABLE fichas RENAME c TO b',
  }
  const body = fc.oneof(
    fc.record({ a: value, b: value, n: fc.integer(), json: fc.jsonValue() }, { requiredKeys: [] }),
    fc.constantFrom({ n: 'no number' }, { padreId: 'none' }, { padreId: 'f2' }, { id: 'other' }, { a: null }),
  )
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('patch' as const), id, body, old: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('sql' as const),
        change: fc.constantFrom(...Object.keys(changes)),
        id,
        value,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), id }) },
  )

  it.each<[string, Options, string]>([
    ['a trigger', {}, trigger],
    ['a column with `soleWriter: true`', { version: { column: 'version', soleWriter: true } }, ''],
    ['a column and a digest of the row', {}, ''],
  ])(
    'gives the same responses and rows as an adapter without cached rows if the version comes from %s (property)',
    async (_, options, ddl) => {
      let alone = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 12 }), async (steps) => {
          for (const { fill } of [left, right]) await fill(`${table} ${ddl}`)
          const kept = left.over(options)
          const plain = right.over({ ...options, keepRows: false })
          await plain.ready()
          await warm(kept)
          const services = [await served(kept), await served(plain)] as const
          /** The tags that each service returned for each key, in order. */
          const tags = services.map((): Record<string, string[]> => ({}))
          const ask = async (
            method: string,
            id: string,
            headersOf: (at: number) => Record<string, string>,
            sent?: object,
          ) => {
            const answers = []
            for (const [at, { send }] of services.entries()) {
              Recording.texts.length = 0
              const { status, text, headers } = await send(
                method,
                `/v1/fichas/${id}`,
                { 'x-request-id': 'same', ...headersOf(at) },
                sent,
              )
              if (at === 0 && method === 'PATCH' && status === 200 && Recording.texts[0]?.startsWith('UPDATE'))
                alone += 1
              const tag = headers.etag
              if (typeof tag === 'string') (tags[at] as Record<string, string[]>)[id] = [...(tags[at]?.[id] ?? []), tag]
              answers.push({ status, text, headers: { ...headers, date: '', etag: typeof tag } })
            }
            expect(answers[0]).toEqual(answers[1])
          }
          try {
            for (const one of ['f1', 'f2', 'f9']) await ask('GET', one, () => ({}))
            // In every run, at least this PATCH needs no read.
            await ask('PATCH', 'f1', (at) => ({ 'if-match': tags[at]?.f1?.at(-1) ?? '' }), { a: 'z' })
            for (const one of steps) {
              if (one.kind === 'sql') {
                const text = changes[one.change]?.(one.id, one.value) as string
                // If a constraint from an earlier step refuses this change, the databases of both
                // services must refuse it.
                const refusals = []
                for (const { sql } of [left, right])
                  refusals.push(
                    await sql(text).then(
                      () => undefined,
                      ({ code }: { code?: string }) => code,
                    ),
                  )
                expect(refusals[0]).toBe(refusals[1])
                expect([undefined, '23514']).toContain(refusals[0])
              } else if (one.kind === 'get') await ask('GET', one.id, () => ({}))
              else {
                const tagOf = (at: number) => tags[at]?.[one.id]?.at(one.old ? -2 : -1) ?? '"none"'
                await ask('PATCH', one.id, (at) => ({ 'if-match': tagOf(at) }), one.body)
              }
            }
            const all = 'SELECT id, a, b, n::text, json::text, padre_id FROM fichas ORDER BY id'
            expect(await left.sql(all)).toEqual(await right.sql(all))
          } finally {
            for (const { close } of services) await close()
          }
          expect(counted(plain)?.entries ?? 0).toBe(0)
        }),
        { numRuns: size(4, 60) },
      )
      expect(alone).toBeGreaterThan(0)
    },
  )
})

/**
 * SQL in the service's `write` function can end or undo the transaction of the change. These tests
 * check the responses and the error messages for such cases.
 */
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter, type SqlClient } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, HttpProblem, mount } from '../../../src/index.js'
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
      notas: { type: 'array', items: { type: 'string' } },
    },
  },
})
type Acta = NonNullable<typeof actas.types>['record']
type Options = Partial<PostgresAdapterOptions<Acta, string>>
type Write = NonNullable<Options['write']>

/** Runs statements one by one, because `query()` of some clients accepts only one statement. */
async function run(tx: SqlClient, text: string): Promise<void> {
  for (const one of text.split('; ')) await tx.query(one)
}

const requests = [
  ['POST', '/v1/actas', { id: 'b', texto: 'dos', notas: [] }],
  ['PUT', '/v1/actas/a', { id: 'a', texto: 'dos', notas: [] }],
  ['PATCH', '/v1/actas/a', { texto: 'dos' }],
  ['DELETE', '/v1/actas/a', undefined],
] as const

describe.each(stores)('SQL of a "write" function, over $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
    await store.sql(
      `CREATE TABLE actas (id text PRIMARY KEY, texto text, notas jsonb NOT NULL DEFAULT '[]', version uuid NOT NULL DEFAULT gen_random_uuid());
       CREATE TABLE libro (acta text)`,
    )
  }, 120_000)
  beforeEach(() => store.sql(`DELETE FROM libro; DELETE FROM actas; INSERT INTO actas (id, texto) VALUES ('a', 'uno')`))
  afterAll(() => store.close())

  async function service(write: Write, options: Options = {}, timeout = 3_000) {
    const failures: Error[] = []
    const adapter = postgresAdapter(store.client, { resource: actas, table: 'actas', write, ...options })
    const app = api({
      versions: { v1: [mount(actas, adapter)] },
      onError: ({ error }) => failures.push(error as Error),
      timeout,
    })
    return { ...(await listen(express().use(app))), failures }
  }
  const rows = () => store.sql('SELECT id, texto FROM actas ORDER BY id')

  const endings = [
    'COMMIT',
    'ROLLBACK',
    'COMMIT; BEGIN',
    'ROLLBACK; BEGIN',
    'COMMIT AND CHAIN',
    'ROLLBACK AND CHAIN',
    'ABORT; BEGIN',
  ]
  it.each(endings)(
    'VERB-13: if the function sends %s before or after apply(), the response is 500 and the error states the outcome',
    async (ending) => {
      for (const first of [true, false]) {
        for (const [method, path, body] of requests) {
          await store.sql(`DELETE FROM actas; INSERT INTO actas (id, texto) VALUES ('a', 'uno')`)
          const before = await rows()
          const { send, close, failures } = await service(async (tx, change) => {
            if (first) await change.apply()
            await run(tx, ending)
          })
          const answer = await send(method, path, {}, body)
          const what = `${method}, ${first ? 'after' : 'before'} apply()`
          expect(answer.status, what).toBe(500)
          expect(answer.json.detail, what).toMatch(/whether the change took place is unknown/)
          expect(failures, what).toHaveLength(1)
          const [reported] = failures
          expect(String(reported), what).toMatch(
            /The "write" function ended the transaction of the (create|replace|patch|remove) of "actas"/,
          )
          const made = first && ending.startsWith('COMMIT')
          // A PUT without If-Match has no version to compare afterwards, so the error does not say
          // whether the change was made.
          const notMade =
            first && method === 'PUT' ? /It is unknown whether the change was committed/ : /The change was not made/
          expect(String(reported), what).toMatch(made ? /The change is committed/ : notMade)
          if (made) expect(await rows(), what).not.toEqual(before)
          else expect(await rows(), what).toEqual(before)
          await close()
        }
      }
    },
  )

  it('VERB-13: if the function deletes the record, calls apply() and sends COMMIT, the response is 500', async () => {
    for (const [method, path, body] of requests.filter(([method]) => method !== 'POST')) {
      for (const end of [async () => {}, () => Promise.reject(new Error('no'))]) {
        await store.sql(`DELETE FROM actas; INSERT INTO actas (id, texto) VALUES ('a', 'uno')`)
        const { send, close, failures } = await service(async (tx, change) => {
          await tx.query(`DELETE FROM actas WHERE id = 'a'`)
          await change.apply().catch(() => {})
          await tx.query('COMMIT')
          await end()
        })
        expect((await send(method, path, {}, body)).status, method).toBe(500)
        expect(String(failures[0]), method).toMatch(/The "write" function ended the transaction of/)
        await close()
      }
    }
  })

  it('VERB-13: if the function throws after COMMIT, the error says that the change is committed', async () => {
    const thrown = [new HttpProblem('rule', { detail: 'No.' }), new Error('no')]
    for (const error of thrown) {
      for (const more of ['', '; SELECT 1 / 0']) {
        for (const [method, path, body] of requests) {
          await store.sql(`DELETE FROM actas; INSERT INTO actas (id, texto) VALUES ('a', 'uno')`)
          const { send, close, failures } = await service(async (tx, change) => {
            await change.apply()
            await run(tx, `COMMIT; BEGIN${more}`).catch(() => {})
            throw error
          })
          expect((await send(method, path, {}, body)).status, `${method}${more}`).toBe(500)
          expect(String(failures[0]), `${method}${more}`).toMatch(/ended the transaction of .* The change is committed/)
          expect(failures[0]?.cause).toBe(error)
          await close()
        }
      }
    }
  })

  it('ERR-2: a problem that the function throws after apply() is the response, and the change is undone', async () => {
    for (const more of ['SELECT 1', 'SELECT 1 / 0', 'SAVEPOINT s; SELECT 1 / 0']) {
      for (const [method, path, body] of requests) {
        const { send, close } = await service(async (tx, change) => {
          await change.apply()
          await run(tx, more).catch(() => {})
          throw new HttpProblem('rule', { detail: 'No.' })
        })
        expect((await send(method, path, {}, body)).status).toBe(422)
        expect(await rows()).toEqual([{ id: 'a', texto: 'uno' }])
        await close()
      }
    }
  })

  it('VERB-13: if the function undoes the change by ROLLBACK TO SAVEPOINT, the response is 500', async () => {
    for (const [method, path, body] of requests) {
      const undoing = await service(async (tx, change) => {
        await tx.query('SAVEPOINT mine')
        await change.apply()
        await tx.query('ROLLBACK TO SAVEPOINT mine')
      })
      expect((await undoing.send(method, path, {}, body)).status, method).toBe(500)
      expect(undoing.failures.map(String)).toEqual([
        expect.stringMatching(/"write" function has undone the (create|replace|patch|remove) of "actas"/),
      ])
      expect(await rows()).toEqual([{ id: 'a', texto: 'uno' }])
      await undoing.close()
    }
    for (const [method, path, body] of requests) {
      await store.sql(`DELETE FROM actas; INSERT INTO actas (id, texto) VALUES ('a', 'uno')`)
      const releasing = await service(async (tx, change) => {
        await tx.query('SAVEPOINT mine')
        await change.apply()
        await tx.query('RELEASE SAVEPOINT mine')
      })
      expect((await releasing.send(method, path, {}, body)).status, method).toBeLessThan(300)
      await releasing.close()
    }
  })

  it('VERB-13: if the function deletes the record after apply(), the status is 500 and the error says so', async () => {
    for (const [method, path, body] of requests.filter(([method]) => method !== 'DELETE')) {
      const { send, close, failures } = await service(async (tx, change) => {
        await change.apply()
        await tx.query('DELETE FROM actas WHERE id = $1', [change.key])
      })
      expect((await send(method, path, {}, body)).status).toBe(500)
      expect(failures.map(String)).toEqual([
        expect.stringMatching(
          /"write" function removed the record of "actas" after change\.apply\(\).*Nothing was changed/,
        ),
      ])
      expect(await rows()).toEqual([{ id: 'a', texto: 'uno' }])
      await close()
    }
  })

  it('VERB-6: if the function reinserts the removed record, the response is 500 and nothing is changed', async () => {
    const { send, close, failures } = await service(async (tx, change) => {
      await change.apply()
      await tx.query(`INSERT INTO actas (id, texto) VALUES ('a', 'otra')`)
    })
    expect((await send('DELETE', '/v1/actas/a')).status).toBe(500)
    expect(failures.map(String)).toEqual([expect.stringMatching(/"write" function .* of "actas"/)])
    expect(await rows()).toEqual([{ id: 'a', texto: 'uno' }])
    await close()
  })

  it('if the function ignores the failure of a statement, the response is 500 and the error says so', async () => {
    for (const first of [true, false]) {
      for (const [method, path, body] of requests) {
        const { send, close, failures } = await service(async (tx, change) => {
          if (first) await change.apply()
          await tx.query('SELECT 1 / 0').catch(() => {})
        })
        expect((await send(method, path, {}, body)).status, method).toBe(500)
        expect(failures.map(String)).toEqual([
          expect.stringMatching(/statement of the "write" function failed.* Nothing was changed/),
        ])
        expect(await rows()).toEqual([{ id: 'a', texto: 'uno' }])
        await close()
      }
    }
  })

  it('if the function makes its transaction read-only, the response is 500, and the next write succeeds', async () => {
    let readOnly = true
    const { send, close, failures } = await service(async (tx) => {
      if (readOnly) await tx.query('SET TRANSACTION READ ONLY')
    })
    for (const [method, path, body] of requests) {
      expect((await send(method, path, {}, body)).status, method).toBe(500)
      expect(String(failures.pop())).toMatch(
        /"write".* function made the transaction of the .* of "actas" read-only.*Nothing was changed/,
      )
    }
    readOnly = false
    expect((await send('PATCH', '/v1/actas/a', {}, { texto: 'dos' })).status).toBe(200)
    await close()
  })

  it('transaction-local settings of the function do not outlive the transaction', async () => {
    const { send, close, failures } = await service(async (tx) => {
      await run(
        tx,
        "SET LOCAL statement_timeout = '1min'; SET LOCAL default_transaction_read_only = on; SET LOCAL " +
          "work_mem = '5MB'",
      )
    })
    for (const n of [1, 2, 3]) expect((await send('PATCH', '/v1/actas/a', {}, { texto: `${n}` })).status).toBe(200)
    const [row] = (await (store.client as SqlClient).query("SELECT current_setting('work_mem') AS m")).rows
    expect(failures).toEqual([])
    expect(row.m).not.toBe('5MB')
    await close()
  })

  it('HDR-3: the argument "change" of the function is frozen; the record that the caller passed is not', async () => {
    const seen: unknown[] = []
    const given = { id: 'a', texto: 'dos', notas: ['x'] }
    const write: Write = async (_tx, change) => {
      const tries = [
        () => change.value?.notas?.push('y'),
        () => Object.assign(change.value ?? {}, { texto: 'tres' }),
        () => Object.assign(change, { value: undefined }),
        () => Object.assign(change.before ?? Object.freeze({}), { texto: 'tres' }),
      ]
      for (const one of tries) expect(one).toThrow(TypeError)
      await change.apply()
      expect(() => change.after?.notas?.push('y')).toThrow(TypeError)
      seen.push({ ...change }, JSON.parse(JSON.stringify(change)).after)
    }
    const { send, close, failures } = await service(write, { readBefore: true })
    const answer = await send('PUT', '/v1/actas/a', {}, given)
    expect([answer.status, answer.json, failures]).toEqual([200, given, []])
    expect(seen).toMatchObject([
      { action: 'replace', key: 'a', value: given, before: { texto: 'uno' }, after: given },
      given,
    ])
    const adapter = postgresAdapter(store.client, { resource: actas, table: 'actas', write: async () => {} })
    const own = { id: 'a', texto: 'dos', notas: ['x'] }
    await adapter.replace('a', own, undefined, { principal: undefined, scope: {}, requestId: 'r' } as never)
    own.notas.push('y')
    expect(own.notas).toEqual(['x', 'y'])
    await close()
  })

  const parts = [
    'apply',
    'apply',
    'BEGIN',
    'COMMIT',
    'ROLLBACK',
    'COMMIT AND CHAIN',
    'SAVEPOINT s',
    'ROLLBACK TO SAVEPOINT s',
    'RELEASE SAVEPOINT s',
    'SELECT 1 / 0',
    'SET TRANSACTION READ ONLY',
    'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
    `UPDATE actas SET texto = coalesce(texto, '') || '*', version = gen_random_uuid()`,
    `DELETE FROM actas WHERE id = 'a'`,
    `INSERT INTO actas (id, texto) VALUES ('a', 'otra')`,
    `INSERT INTO libro VALUES ('a')`,
    'throw an error',
    'throw a problem',
  ] as const
  it('HDR-8, VERB-13: for random SQL, a 2xx body is the committed row; onError gets each 500 (property)', async () => {
    let script: readonly string[] = []
    const { send, close, failures } = await service(async (tx, change) => {
      for (const part of script) {
        if (part === 'apply') await change.apply()
        else if (part === 'throw an error') throw new Error('broken')
        else if (part === 'throw a problem') throw new HttpProblem('rule', { detail: 'No.' })
        else await tx.query(part).catch(() => {})
      }
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...parts), { maxLength: 6 }),
        fc.constantFrom(...requests),
        async (chosen, request) => {
          await store.sql(`DELETE FROM actas; INSERT INTO actas (id, texto) VALUES ('a', 'uno')`)
          script = chosen
          failures.length = 0
          const [method, path, body] = request
          const answer = await send(method, path, { Prefer: 'return=representation' }, body)
          script = []
          const reported = [...failures]
          const now = await send('GET', method === 'POST' ? '/v1/actas/b' : '/v1/actas/a')
          if (answer.status >= 300) {
            if (answer.status === 422)
              expect([answer.json.detail, chosen]).toEqual(['No.', expect.arrayContaining(['throw a problem'])])
            else expect([answer.status, reported], JSON.stringify(answer.json)).toEqual([500, [expect.any(Error)]])
            if (answer.status === 422 && method === 'POST') expect(now.status).toBe(404)
            return
          }
          expect(reported).toEqual([])
          if (method === 'DELETE') expect(now.status).toBe(404)
          else expect([answer.json, answer.headers.etag]).toEqual([now.json, now.headers.etag])
        },
      ),
      { numRuns: 150 },
    )
    await close()
  })

  it('if the function never settles, the response is 503 and the error names the function', async () => {
    const { send, close, failures } = await service(() => new Promise(() => {}), {}, 1_500)
    const answer = await send('PATCH', '/v1/actas/a', {}, { texto: 'dos' })
    expect([answer.status, answer.json.detail]).toEqual([503, expect.stringMatching(/Nothing was changed/)])
    expect(failures.map(String)).toEqual([expect.stringMatching(/"write" function of "actas" did not end in time/)])
    expect(String(failures[0]).includes('Another connection waits')).toBe(false)
    await close()
  })

  it('if the function waits for a statement that its own transaction blocks, the error says so', async () => {
    const { send, close, failures } = await service(
      async (_tx, change) => {
        await change.apply()
        await (store.client as SqlClient).query(`UPDATE actas SET texto = 'otra' WHERE id = 'a'`)
      },
      {},
      3_000,
    )
    const answer = await send('PATCH', '/v1/actas/a', {}, { texto: 'dos' })
    expect([answer.status, answer.json.detail]).toEqual([503, expect.stringMatching(/Nothing was changed/)])
    const hint =
      /Another connection waits for a lock that the transaction holds.*use the given client instead|sends a statement to PGlite itself, and not to the given transaction/
    expect(failures.map(String)).toEqual([expect.stringMatching(hint)])
    await close()
  })
})

/**
 * Helpers for tests of failures and transactions in PostgreSQL: a resource, and calls (the last
 * argument of adapter methods) with a time limit.
 */
import { expect } from 'vitest'
import type { AdapterCall } from '../../../src/adapters/contract.js'
import { type PostgresAdapterOptions, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { Unavailable } from '../../../src/problem.js'
import { callOf } from '../memory/requests.js'

const bultos = defineResource({
  collection: 'bultos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, n: { type: ['integer', 'null'] }, duenyo: { type: ['string', 'null'] } },
  },
  sort: ['n'],
})

export type Bulto = NonNullable<typeof bultos.types>['record']

export const ddl = `
CREATE TABLE bultos (id text COLLATE "C" PRIMARY KEY, n integer, duenyo text);
CREATE TABLE buzon (bulto text PRIMARY KEY, n integer);`

/**
 * A view that imitates a slow server: reading a row takes as many seconds as its column `n` says.
 */
export const slowView = `
CREATE FUNCTION lento(segundos integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$ BEGIN PERFORM pg_sleep(segundos); RETURN segundos; END $$;
CREATE VIEW lentos AS SELECT id, lento(n) AS n, duenyo FROM bultos;`

type Options = Omit<PostgresAdapterOptions<Bulto, string>, 'table' | 'resource'>

/**
 * Creates an adapter for `bultos`. The option `epoch` is set. Without it, the adapter would read
 * the system identifier of the server, which requires privileges.
 */
export const bultosIn = (client: Parameters<typeof postgresAdapter>[0], options: Options = {}) =>
  postgresAdapter<Bulto, string>(client, {
    resource: bultos,
    table: 'bultos',
    epoch: 'e',
    onWarning: () => {},
    ...options,
  })

/** Returns a call whose time limit, in milliseconds, starts now. */
export function within(milliseconds: number, parts: Partial<AdapterCall> = {}): AdapterCall {
  const started = performance.now()
  return callOf({ left: () => Math.max(0, milliseconds - (performance.now() - started)), ...parts })
}

export const until = (what: () => unknown) => expect.poll(what, { interval: 20, timeout: 15_000 })

/** Resolves with the result of a call, or with the error if the call rejects. */
export const tried = (answer: unknown): Promise<unknown> => Promise.resolve(answer).catch((error: unknown) => error)

const secrets = /SELECT|INSERT|UPDATE|bultos|buzon|pg_|postgres|secreto|ECONN|terminat|password/i

/**
 * Waits until a call rejects with a 503 error, and returns the error. Fails if the message for
 * clients contains SQL or a name from the database.
 */
export async function refusedWith(answer: unknown): Promise<Unavailable> {
  const failure = await Promise.resolve(answer).then(
    (value) => expect.fail(`The call resolved with ${JSON.stringify(value)}.`),
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(Unavailable)
  const unavailable = failure as Unavailable
  expect(unavailable.status).toBe(503)
  expect(unavailable.headers['Retry-After']).toBe('1')
  expect(unavailable.detail).not.toMatch(secrets)
  return unavailable
}

export const unchanged = /Nothing was changed/
export const unknown = /whether the change took place is unknown/

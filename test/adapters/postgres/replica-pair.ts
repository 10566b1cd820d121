/** A primary with a real streaming replica, whose replay can be paused. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import pg from 'pg'
import { expect } from 'vitest'
import { api, type Endpoint, type Mount, problems } from '../../../src/index.js'
import { type OwnServer, ownServer } from '../../servers/own-server.js'

export interface ReplicaPair {
  readonly primary: OwnServer
  readonly replica: OwnServer
  readonly write: pg.Pool
  readonly read: pg.Pool
  /** Pauses the replay. The replica still receives the log. */
  hold(): Promise<void>
  /**
   * Resumes the replay. Resolves when the replica has replayed everything, or at once if it was
   * promoted.
   */
  catchUp(): Promise<void>
  remove(): Promise<void>
}

/** Starts both servers and runs `schema` on the primary. */
export async function replicaPair(schema: string): Promise<ReplicaPair> {
  const primary = await ownServer()
  const replica = await ownServer({ replicaOf: primary })
  const write = new pg.Pool({ connectionString: primary.url })
  const read = new pg.Pool({ connectionString: replica.url })
  await write.query(schema)
  return {
    primary,
    replica,
    write,
    read,
    hold: async () => void (await read.query('SELECT pg_wal_replay_pause()')),
    async catchUp() {
      const { rows: states } = await read.query('SELECT pg_is_in_recovery() AS replica')
      if (!states[0].replica) return
      await read.query('SELECT pg_wal_replay_resume()')
      const { rows } = await write.query('SELECT pg_current_wal_insert_lsn()::text AS lsn')
      const { lsn } = rows[0]
      const isThere = async () =>
        (await read.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there', [lsn])).rows[0].there
      await expect.poll(isThere, { timeout: 20_000 }).toBe(true)
    },
    async remove() {
      await Promise.all([read.end(), write.end()])
      await replica.remove()
      await primary.remove()
    },
  }
}

export interface Asking extends AsyncDisposable {
  /**
   * Sends a request as `caller`, by default `ana`. `body` is the JSON to send. All other options
   * are header fields.
   */
  ask(method: string, path: string, options?: Readonly<Record<string, string>>): Promise<Response>
  /**
   * Sends a GET. Resolves with the JSON of the response, or with the status if the status is not
   * 200.
   */
  json(path: string, options?: Readonly<Record<string, string>>): Promise<unknown>
}

/**
 * Starts a service with these resources under `/v1`. The header field `x-caller` names the caller.
 */
export async function serving(resources: readonly (Mount | Endpoint)[]): Promise<Asking> {
  const service = api({
    versions: { v1: [...resources] },
    // All services have the same base URL, because it is part of a stored idempotency key.
    baseUrl: 'http://servicio.test',
    principal: (req) => ({ sub: String(req.headers['x-caller']) }),
    permission: () => 'allow',
    onError() {},
  })
  const server = express().use(service, problems()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  const ask: Asking['ask'] = (method, path, { caller = 'ana', body, ...headers } = {}) =>
    fetch(`${base}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-caller': caller,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
  return {
    ask,
    async json(path, options) {
      const response = await ask('GET', path, options)
      return response.status === 200 ? response.json() : response.status
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

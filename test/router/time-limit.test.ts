import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { api, defineResource, mount } from '../../src/index.js'
import { rateLimit } from '../../src/middleware/index.js'

const cosas = defineResource({
  collection: 'cosas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

const servers: http.Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/**
 * The statuses of a read, a list, a create, a replace and a delete. The adapter passes each of its
 * results through `make`.
 */
async function statuses(make: (value: unknown) => unknown): Promise<readonly number[]> {
  const stored = { value: { id: 1 }, version: 'a' }
  const adapter = {
    read: () => make([stored]),
    list: () => make({ items: [stored], total: 1 }),
    create: () => make({ created: stored }),
    replace: () => make(stored),
    remove: () => make('removed'),
  }
  const service = api({ timeout: 2_000, onError: () => {}, versions: { v1: [mount(cosas, adapter as never)] } })
  const server = http.createServer(express().use(service)).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/cosas`
  const body = { headers: { 'content-type': 'application/json' }, body: '{"id":1}' }
  const said: number[] = []
  for (const [path, init] of [
    ['/1', {}],
    ['', {}],
    ['', { method: 'POST', ...body }],
    ['/1', { method: 'PUT', ...body }],
    ['/1', { method: 'DELETE' }],
  ] as const)
    said.push((await fetch(base + path, { ...init, signal: AbortSignal.timeout(1_000) })).status)
  return said
}

type Settle = (value: unknown) => void

const thenable = (then: (fulfil: Settle, reject: Settle) => void) => Object.defineProperty({}, 'then', { value: then })

describe('thenables that an adapter returns', () => {
  it.each<readonly [what: string, make: (value: unknown) => unknown]>([
    ['returns undefined', (value) => thenable((fulfil) => void setTimeout(() => fulfil(value), 2))],
    ['calls back synchronously', (value) => thenable((fulfil) => fulfil(value))],
    [
      'calls back twice',
      (value) =>
        thenable((fulfil, reject) => {
          fulfil(value)
          fulfil(undefined)
          reject(new Error('too late'))
        }),
    ],
    ['fulfils with another promise', (value) => thenable((fulfil) => fulfil(Promise.resolve(value)))],
  ])('are awaited, even if then() %s', async (_, make) => {
    expect(await statuses(make)).toEqual([200, 200, 201, 200, 204])
  })

  it('cause a 500 response if then() throws', async () => {
    const make = () =>
      thenable(() => {
        throw new Error('no')
      })
    expect(await statuses(make)).toEqual([500, 500, 500, 500, 500])
  })
})

it('the timeout of a request includes the time that the store of a rate limit takes', async () => {
  const slow = async <T>(value: T): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, 250))
    return value
  }
  const store = () => ({
    increment: () => slow({ totalHits: 1, resetTime: undefined }),
    decrement: () => {},
    resetKey: () => {},
  })
  const adapter = { read: () => slow([{ value: { id: 1 }, version: 'a' }]), list: () => slow({ items: [], total: 0 }) }
  const service = api({
    timeout: 400,
    onError: () => {},
    rateLimit: rateLimit({ limit: 5, store }),
    versions: { v1: [mount(cosas, adapter as never)] },
  })
  const server = http.createServer(express().use(service)).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/cosas/1`)
  expect(answer.status).toBe(503)
})

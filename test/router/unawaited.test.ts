/**
 * Functions of the service that should be synchronous might return a promise by mistake. If the
 * promise rejects, the process must not end.
 */
import { setImmediate as turn } from 'node:timers/promises'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type ApiOptions, api, defineResource, mount } from '../../src/index.js'
import { observe } from '../../src/observe/observe.js'
import { health } from '../../src/server/index.js'
import { usage } from '../../src/usage/index.js'
import { listen } from '../clauses/fixture.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

const rejects = (async () => {
  throw new Error('nobody waits')
}) as () => never

const throwsOdd = (): never => {
  throw Object.create(null)
}

const resources = [mount(notas, memoryAdapter(notas, { records: [{ id: 1 }] }))]
const served = (options: Partial<ApiOptions>) => api({ versions: { v1: resources }, onError: () => {}, ...options })
const dying = (brownouts: () => never) =>
  served({ versions: { v1: { resources, deprecated: '2026-01-01', brownouts } } })
const counts = () => {
  const made = usage()
  onTestFinished(() => made.close())
  return made
}

const cases: readonly (readonly [name: string, use: () => unknown, path: string, status: number])[] = [
  ['"brownouts" rejects', () => dying(rejects), '/v1/notas/1', 200],
  ['"brownouts" throws a value that is not an error', () => dying(throwsOdd), '/v1/notas/1', 200],
  ['"shape" rejects', () => served({ shape: rejects }), '/v1/notas/2', 404],
  ['"started" of health() rejects', () => health({ started: rejects }), '/ready', 503],
  ['"shows" of health() rejects', () => health({ shows: rejects }), '/ready', 204],
  ['"skip" of observe() rejects', () => [observe({ usage: counts(), skip: rejects }), served({})], '/v1/notas/1', 200],
  [
    '"route" of observe() rejects',
    () => [observe({ usage: counts(), route: rejects }), served({})],
    '/v1/notas/1',
    200,
  ],
]

describe('if a function of the service fails, the request gets a response, and no rejection stays unhandled', () => {
  it.each(cases)('%s', async (_name, use, path, status) => {
    const lost: unknown[] = []
    const note = (error: unknown): void => void lost.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const { send, close } = await listen(express().use(use() as never) as never)
    onTestFinished(close)
    expect((await send('GET', path)).status).toBe(status)
    await turn()
    expect(lost).toEqual([])
  })
})

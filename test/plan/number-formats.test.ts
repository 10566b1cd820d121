/**
 * The number formats of OpenAPI (int32, int64, float, double) have their usual meaning (ERR-2).
 * int64 can also be the format of a string.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'

const properties = {
  id: { type: 'integer', format: 'int64' },
  small: { type: 'integer', format: 'int32' },
  whole: { type: 'number', format: 'int64' },
  single: { type: 'number', format: 'float' },
  wide: { type: 'number', format: 'double' },
  either: { type: ['integer', 'string'], format: 'int64' },
  text: { type: 'string', format: 'int64' },
} as const
const cosas = defineResource({
  collection: 'cosas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties },
  filters: { whole: true, single: true, small: true, wideFrom: { field: 'wide', op: 'gte' } },
  sort: ['whole'],
})

describe('formats of numbers', () => {
  let service: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    service = await listen(express().use(api({ versions: { v1: [mount(cosas, memoryAdapter(cosas))] } })))
  })
  afterAll(() => service.close())

  it('ERR-2: valid numbers are stored and found', async () => {
    const record = {
      id: 1,
      small: -2_147_483_648,
      whole: 9_007_199_254_740_991,
      single: 0.5,
      wide: 1e300,
      either: 7,
      text: '9007199254740993',
    }
    expect((await service.send('POST', '/v1/cosas', {}, record)).status).toBe(201)
    expect((await service.send('GET', '/v1/cosas/1')).json).toEqual(record)
    for (const query of ['whole=9007199254740991', 'single=0.5', 'small=-2147483648', 'wideFrom=1'])
      expect((await service.send('GET', `/v1/cosas?${query}`)).json, query).toEqual([record])
    expect((await service.send('PATCH', '/v1/cosas/1', {}, { either: '+007' })).json).toMatchObject({ either: '7' })
  })

  it.each([
    ['small', 2_147_483_648],
    ['whole', 1.5],
    ['id', 1.5],
    ['either', '1.5'],
    ['either', 1.5],
    ['text', 7],
    ['text', '1.5'],
    ['whole', '7'],
  ])('ERR-2: the member "%s" with the value %j gets 422', async (name, value) => {
    const { status, json } = await service.send('POST', '/v1/cosas', {}, { id: 2, [name]: value })
    const pointers = new Set((json as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer))
    expect([status, [...pointers]]).toEqual([422, [`/${name}`]])
  })
})

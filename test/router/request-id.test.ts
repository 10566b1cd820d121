import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { uuidSeries } from '../../src/router/request-id.js'

describe('uuidSeries', () => {
  it('gives UUIDs of version 8, each once, whatever random one they begin with', () => {
    const seeds = [
      'aaaaaaaa-4bbb-4ccc-9ddd-eeeeeeeeeeee',
      'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
      ...Array.from({ length: 100 }, () => randomUUID()),
    ]
    for (const seed of seeds) {
      const next = uuidSeries(seed)
      const ids = Array.from({ length: 20 }, next)
      expect(new Set(ids).size).toBe(20)
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})

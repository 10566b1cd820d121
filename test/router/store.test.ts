import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { type Adapter, api, defineResource, mount } from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, otraId: { type: ['integer', 'null'] } },
  },
  links: { otra: { to: 'notas', by: 'otraId', show: ['id'] } },
})
const stored = { value: { id: 1, otraId: 2 }, version: 'a' }
let open: Omit<Served, 'data'> | undefined
afterEach(() => open?.close())

async function serve(parts: object) {
  const errors: unknown[] = []
  const reads: Adapter<unknown, unknown> = {
    list: () => ({ items: [stored], total: 1 }),
    read: (keys) => keys.map((key) => (key === 1 ? stored : undefined)),
  }
  const adapter = { ...reads, ...parts } as never
  open = await listen(
    express().use(api({ versions: { v1: [mount(notas, adapter)] }, onError: ({ error }) => void errors.push(error) })),
  )
  return { send: open.send, errors }
}

describe('adapters that deviate from the contract', () => {
  it('read() may return null instead of undefined for an absent record', async () => {
    const { send } = await serve({ read: (keys: number[]) => keys.map((key) => (key === 1 ? stored : null)) })
    expect((await send('GET', '/v1/notas/7')).status).toBe(404)
    const { json } = await send('GET', '/v1/notas/1')
    expect(json.otra).toEqual({ href: expect.stringMatching(/\/v1\/notas\/2$/) })
    expect((await send('GET', '/v1/notas?expand=otra')).json[0].otra).toEqual(json.otra)
  })

  it.each([
    ['DELETE', 'remove', true, "remove(). Allowed are 'removed'"],
    ['DELETE', 'remove', undefined, 'returned nothing from remove()'],
    ['PUT', 'replace', 'notfound', 'a record without a version'],
    ['POST', 'create', undefined, 'returned nothing from create()'],
  ])(
    'ERR-1: %s gets 500 if %s() of the adapter returns %j, and the error names the fault',
    async (method, name, answer, reported) => {
      const { send, errors } = await serve({ [name]: () => answer })
      const path = method === 'POST' ? '/v1/notas' : '/v1/notas/1'
      const body = method === 'DELETE' ? undefined : { id: 1, otra: null }
      expect((await send(method, path, {}, body)).status).toBe(500)
      expect(String(errors[0])).toContain(reported)
    },
  )
})

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
    ['POST', 'create', { value: { id: 1 }, version: 'a' }, "{ value: { id: 1 }, version: 'a' } from create(). Allowed"],
    ['POST', 'create', {}, 'returned {} from create(). Allowed are { created'],
    ['POST', 'create', 'made', "returned 'made' from create(). Allowed"],
    ['POST', 'create', null, 'returned null from create(). Allowed'],
    ['POST', 'create', { created: undefined }, '{ created: undefined } from create(). Allowed'],
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

  it.each([undefined, null, { id: 5 }, [5]])(
    'VERB-13: POST gets 503 if create() of the adapter returns { accepted } with the invalid key %j',
    async (accepted) => {
      const { send, errors } = await serve({ create: () => ({ accepted }) })
      const { status, json, headers } = await send('POST', '/v1/notas', {}, { id: 1, otra: null })
      expect([status, json.detail, headers.location]).toEqual([
        503,
        expect.stringContaining('The change was made'),
        undefined,
      ])
      expect(String(errors[0])).toContain('from create(). "accepted" is the key of the record: a string')
    },
  )

  it('ERR-1: if a request fails, and writing its problem fails too, the client still gets 500', async () => {
    const errors: unknown[] = []
    const adapter = { list: () => ({ items: [] }), read: () => [], create: () => ({}) }
    let faults = 2
    const app = express()
      .use((_req, res, next) => {
        const { writeHead } = res
        res.writeHead = (...given: unknown[]) => {
          faults -= 1
          if (faults >= 0) throw new Error(`fault ${faults}`)
          return Reflect.apply(writeHead, res, given)
        }
        next()
      })
      .use(
        api({
          versions: { v1: [mount(notas, adapter as never)] },
          onError: ({ error }) => void errors.push(String(error)),
        }),
      )
    open = await listen(app)
    const { status, json } = await open.send('POST', '/v1/notas', {}, { id: 1, otra: null })
    expect([status, json]).toMatchObject([
      500,
      { status: 500, code: 'internal', detail: expect.stringContaining('is unknown') },
    ])
    expect(errors).toEqual([expect.stringContaining('from create()'), 'Error: fault 1', 'Error: fault 0'])
  })
})

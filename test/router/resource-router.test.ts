import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { defineResource, mount, problems, resourceRouter } from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'

const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as const
const notas = defineResource({ collection: 'notas', key: 'id', schema })
const avisos = defineResource({ collection: 'avisos', key: 'id', schema })
const records = [{ id: 1 }]
let open: Omit<Served, 'data'> | undefined
const serve = async (app: express.Express) => {
  open = await listen(app)
  return open.send
}
afterEach(() => open?.close())

describe('resourceRouter() next to other routes', () => {
  it('PATH-1: two resource routers in one area work side by side', async () => {
    const app = express()
    for (const definition of [notas, avisos])
      app.use('/v1', resourceRouter(definition, memoryAdapter(definition, { records }), { area: 'tax' }))
    const send = await serve(app.use(problems()))
    expect([(await send('GET', '/v1/tax/notas/1')).status, (await send('GET', '/v1/tax/avisos/1')).status]).toEqual([
      200, 200,
    ])
    expect((await send('GET', '/v1/tax')).status).toBe(404)
  })

  it('lets hand-written routes serve other paths, even below its own paths', async () => {
    const app = express().use('/v1', resourceRouter(notas, memoryAdapter(notas, { records })))
    app.get('/v1/notas/:id/resumen', (req, res) => void res.json({ of: req.params.id }))
    const send = await serve(app.use(problems()))
    expect((await send('GET', '/v1/notas/1/resumen')).json).toEqual({ of: '1' })
    expect((await send('GET', '/v1/notas/01')).json.code).toBe('unknown-path')
    expect((await send('GET', '/v1/notas/%FF')).status).toBe(400)
  })

  it('REP-1: creates no routes for the resources in "related"', async () => {
    const app = express().use(
      '/v1',
      resourceRouter(notas, memoryAdapter(notas, { records }), {
        related: [mount(avisos, memoryAdapter(avisos, { records }))],
      }),
    )
    const send = await serve(app.use(problems()))
    expect((await send('GET', '/v1/avisos/1')).status).toBe(404)
  })
})

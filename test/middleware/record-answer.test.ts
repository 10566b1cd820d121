import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineResource, problems, recordAnswer } from '../../src/index.js'
import { frameworks, listen, type Served } from '../clauses/fixture.js'

const cuentas = defineResource({
  collection: 'cuentas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    patternProperties: { '^x': { type: 'string', writeOnly: true } },
    properties: {
      id: { type: 'integer' },
      clave: { type: 'string', writeOnly: true },
      nota: { type: 'string' },
      tarjetas: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer' }, pin: { type: 'string', writeOnly: true } } },
      },
    },
  },
})
const record = {
  id: 1,
  clave: 'secret',
  xClave: 'secret',
  tarjetas: [{ n: 1, pin: 'secret' }],
  cliente: { href: '/clientes/1' },
  nota: 'n',
}

describe.each(frameworks)('recordAnswer() over %s', (_name, express) => {
  let service: Omit<Served, 'data'>
  beforeAll(async () => {
    const answer = recordAnswer(cuentas)
    const app = express()
    app.get('/cuentas/:id', answer, (req, res) => answer.send(req, res, record as never))
    app.get('/cuentas', answer, (req, res) => answer.send(req, res, [record, { toJSON: () => record }] as never))
    app.use(problems())
    service = await listen(app)
  })
  afterAll(() => service.close())

  it('REP-8: members that are writeOnly never leave, at any depth, in JSON and XML; the rest stays as it is', async () => {
    const shown = { id: 1, tarjetas: [{ n: 1 }], cliente: { href: '/clientes/1' }, nota: 'n' }
    expect((await service.send('GET', '/cuentas/1')).text).toBe(JSON.stringify(shown))
    expect((await service.send('GET', '/cuentas')).json).toEqual([shown, shown])
    for (const path of ['/cuentas/1', '/cuentas']) {
      const { text, headers } = await service.send('GET', path, { Accept: 'application/xml' })
      expect([text.includes('secret'), text.includes('<nota>n</nota>'), headers['content-type']]).toEqual([
        false,
        true,
        'application/xml; charset=utf-8',
      ])
    }
  })
})

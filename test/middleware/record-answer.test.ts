import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { problems } from '../../src/index.js'
import { listQuery } from '../../src/middleware/list-query.js'
import { recordAnswer } from '../../src/middleware/record-answer.js'
import { recordBody } from '../../src/middleware/record-body.js'
import { frameworks, listen, type Served } from '../clauses/fixture.js'
import { type Express, majors, service } from './majors.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      alta: { type: 'string', format: 'local-date-time' },
      clave: { type: 'string', writeOnly: true },
      datos: { type: 'object', properties: { pin: { type: 'string', writeOnly: true }, calle: { type: 'string' } } },
      tarjetas: { type: 'array', items: { type: 'object', properties: { cvv: { type: 'string', writeOnly: true } } } },
    },
  },
})
const ana = {
  id: 1,
  alta: '2024-02-29T10:00:00',
  clave: 's',
  datos: { pin: 's', calle: 'Mayor' },
  tarjetas: [{ cvv: 's' }],
  banco: { href: '/b' },
}

describe.each(majors)('recordAnswer() on %s', (_, express: Express) => {
  const answer = recordAnswer(clientes, 'text/csv')
  const { call, reported } = service(express, (app) => {
    app.use(answer)
    app.get('/clientes', (req, res) => answer.send(req, res, [ana as never]))
    app.get('/clientes/:id', (req, res) => answer.send(req, res, ana as never))
  })

  it('REP-8, REP-4: writeOnly members are omitted at any depth, and date-times have 7 fractional digits', async () => {
    const shown = {
      id: 1,
      alta: '2024-02-29T10:00:00.0000000',
      datos: { calle: 'Mayor' },
      tarjetas: [{}],
      banco: { href: '/b' },
    }
    expect((await call.get('/clientes/1').expect(200)).body).toEqual(shown)
    expect((await call.get('/clientes').expect(200)).body).toEqual([shown])
    expect(ana.clave).toBe('s')
  })

  it('HDR-1: XML shows the same members as JSON, and its elements have the names of the definition', async () => {
    const { text, headers } = await call.get('/clientes').set('Accept', 'application/xml').expect(200)
    expect(headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(text).toContain(
      '<clientes><cliente><id>1</id><alta>2024-02-29T10:00:00.0000000</alta><datos><calle>Mayor</calle></datos>',
    )
    expect(text).not.toContain('s</')
  })

  it('HDR-1: a media type that recordAnswer() cannot write gets 500, and the error explains the fix', async () => {
    await call.get('/clientes').set('Accept', 'text/csv').expect(500)
    expect(String(reported.at(-1)?.error)).toMatch(
      /recordAnswer\(\) does not write text\/csv\. .+ or use a recordAnswer\(\) that does not offer it/,
    )
  })
})

it.each([undefined, null, {}, 'text/csv', { collection: 'clientes' }])(
  'HDR-1: recordAnswer(), recordBody() and listQuery() refuse %j as the definition',
  (definition) => {
    for (const make of [recordAnswer, recordBody, listQuery] as const) {
      expect(() => make(definition as never)).toThrow(
        new RegExp(`${make.name}\\(\\) got no definition\\. Give the result of defineResource\\(\\)`),
      )
    }
  },
)

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

  it('REP-8: JSON and XML omit writeOnly members at any depth, and contain everything else', async () => {
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

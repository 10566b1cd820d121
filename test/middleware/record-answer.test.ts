import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { listQuery } from '../../src/middleware/list-query.js'
import { recordAnswer } from '../../src/middleware/record-answer.js'
import { recordBody } from '../../src/middleware/record-body.js'
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
  const { call, heard } = service(express, (app) => {
    app.use(answer)
    app.get('/clientes', (req, res) => answer.send(req, res, [ana as never]))
    app.get('/clientes/:id', (req, res) => answer.send(req, res, ana as never))
  })

  it('REP-8, REP-4: write-only members stay behind at every depth, date-times have seven digits, all else is as it stands', async () => {
    const shown = { id: 1, alta: '2024-02-29T10:00:00.0000000', datos: { calle: 'Mayor' }, tarjetas: [{}], banco: { href: '/b' } }
    expect((await call.get('/clientes/1').expect(200)).body).toEqual(shown)
    expect((await call.get('/clientes').expect(200)).body).toEqual([shown])
    expect(ana.clave).toBe('s')
  })

  it('HDR-1: the same in XML, under the names of the definition', async () => {
    const { text, headers } = await call.get('/clientes').set('Accept', 'application/xml').expect(200)
    expect(headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(text).toContain('<clientes><cliente><id>1</id><alta>2024-02-29T10:00:00.0000000</alta><datos><calle>Mayor</calle></datos>')
    expect(text).not.toContain('s</')
  })

  it('HDR-1: what only the route can write is a 500 that says so', async () => {
    await call.get('/clientes').set('Accept', 'text/csv').expect(500)
    expect(String(heard.at(-1)?.error)).toMatch(
      /recordAnswer\(\) writes no text\/csv\. .+ or give it a recordAnswer\(\) that does not offer it/,
    )
  })
})

it.each([undefined, null, {}, 'text/csv', { collection: 'clientes' }])(
  'HDR-1: recordAnswer(), recordBody() and listQuery() do not build over %j',
  (definition) => {
    for (const make of [recordAnswer, recordBody, listQuery] as const) {
      expect(() => make(definition as never)).toThrow(
        new RegExp(`${make.name}\\(\\) got no definition\\. Give what defineResource\\(\\) made`),
      )
    }
  },
)

import { parse } from 'csv-parse/sync'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { client } from './client.js'
import { embeddedStores } from './stores.js'

const { stores, fill } = await embeddedStores()
beforeAll(() => fill(generate(60)))
afterAll(() => stores.close())
const { app } = client(stores, 'http://service.example')
const xml = 'application/xml'
const parser = new XMLParser({ parseTagValue: false })

/** The paths of items that a client can read. */
const items = [
  '/v8/pre-piezas/1',
  '/v8/pre-piezas/2?expand=contrato,cpDestinoValidado',
  '/v8/sucursales/ROS',
  '/public/v1/pre-piezas/3',
]

describe('the formats of the example', () => {
  it.each(['pre-piezas', 'contratos', 'clientes', 'codigos-postales', 'sucursales'])(
    'HDR-1: the XML of %s is a list, and each item element has the singular as its name',
    async (name) => {
      const { text, headers } = await app.get(`/v8/${name}?limit=3`).set('Accept', xml).expect(200)
      expect([XMLValidator.validate(text), headers['content-type']]).toEqual([true, 'application/xml; charset=utf-8'])
      const singular = { 'codigos-postales': 'codigo-postal', sucursales: 'sucursal' }[name] ?? name.slice(0, -1)
      expect(parser.parse(text)[name][singular]).toHaveLength(3)
      expect(headers.etag).not.toBe((await app.get(`/v8/${name}?limit=3`)).headers.etag)
    },
  )

  it.each(items)('REP-7: a PUT of the XML from GET %s changes nothing, or gets 405 in the public API', async (path) => {
    const before = (await app.get(path).expect(200)).body
    const { text, headers } = await app.get(path).set('Accept', xml).expect(200)
    const put = await app
      .put(path)
      .set({ 'Content-Type': xml, Accept: xml, 'If-Match': headers.etag as string })
      .send(text)
    // The public API has no PUT.
    if (path.startsWith('/public')) expect(put.status).toBe(405)
    else expect([put.status, put.text]).toEqual([200, text])
    expect((await app.get(path)).body).toEqual(before)
  })

  it('PATH-4: contracts can be exported as a CSV file', async () => {
    const total = Number((await app.get('/v8/contratos?limit=1').expect(200)).headers['x-total-count'])
    const { text, headers } = await app.get('/v8/contratos').set('Accept', 'text/csv').expect(200)
    expect(headers['content-disposition']).toBe('attachment; filename="contratos.csv"')
    const [head, ...rows] = parse(text) as string[][]
    expect(head).toContain('codigoDeContratoInterno')
    expect(rows).toHaveLength(total)
  })

  it('HDR-5, VERB-5: the hand-written router of branches accepts XML, and sends problems as XML', async () => {
    const body = '<sucursal><nomenclatura>XML</nomenclatura><descripcion>A &amp; B</descripcion></sucursal>'
    await app.post('/v8/sucursales').set('Content-Type', xml).send(body).expect(201)
    const patched = await app
      .patch('/v8/sucursales/XML')
      .set('Content-Type', 'text/xml')
      .send('<x><descripcion>C</descripcion></x>')
      .expect(200)
    expect(patched.body).toEqual({ nomenclatura: 'XML', descripcion: 'C' })
    const refused = await app
      .post('/v8/sucursales')
      .set({ 'Content-Type': xml, Accept: xml })
      .send('<sucursal><nomenclatura>a</nomenclatur')
      .expect(400)
    expect([refused.headers['content-type'], parser.parse(refused.text).problem.code]).toEqual([
      'application/problem+xml',
      'malformed-body',
    ])
  })

  it('VERB-5: the private API accepts JSON Patch, in resources and in hand-written routes', async () => {
    const type = 'application/json-patch+json'
    const { body } = await app.get('/v8/pre-piezas/4').expect(200)
    const operations = [
      { op: 'test', path: '/lote', value: body.lote },
      { op: 'replace', path: '/destinoInformado/calle', value: 'Otra' },
    ]
    const patched = await app
      .patch('/v8/pre-piezas/4')
      .set('Content-Type', type)
      .send(JSON.stringify(operations))
      .expect(200)
    expect(patched.body).toEqual({ ...body, destinoInformado: { ...body.destinoInformado, calle: 'Otra' } })
    await app
      .patch('/v8/sucursales/ROS')
      .set('Content-Type', type)
      .send('[{"op":"test","path":"/descripcion","value":"?"}]')
      .expect(422)
    expect((await app.options('/v8/pre-piezas/4').expect(204)).headers['accept-patch']).toContain(type)
  })

  it('PATH-4: postal codes can be requested as CSV, but customers cannot', async () => {
    const { text, headers } = await app
      .get('/v8/codigos-postales?limit=2&sort=codigo')
      .set('Accept', 'text/csv')
      .expect(200)
    expect(text).toMatch(/^codigo,ciudad,idCiudad,idPais,idProvincia\r\n(?:\d+,[^\r]+,\d+,\d+,\d+\r\n){2}$/)
    expect(headers['x-total-count']).toMatch(/^\d+$/)
    await app.get('/v8/clientes').set('Accept', 'text/csv').expect(415)
  })
})

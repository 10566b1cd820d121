import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { noQuery } from '../../src/middleware/no-query.js'
import { recordBody } from '../../src/middleware/record-body.js'
import { ConfigurationError } from '../../src/problem.js'
import { type Express, majors, service } from './majors.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  assigned: true,
  schema: {
    type: 'object',
    required: ['id', 'nombre', 'alta'],
    properties: {
      id: { type: 'integer' },
      nombre: { type: 'string', minLength: 1 },
      nota: { type: ['string', 'null'] },
      tipo: { type: 'string', default: 'normal' },
      desde: { type: 'string', format: 'local-date-time' },
      alta: { type: 'string', readOnly: true },
      clave: { type: 'string', writeOnly: true },
    },
  },
})
const llanas = defineResource({
  collection: 'llanas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, nombre: { type: ['string', 'null'] } },
  },
})
const current = { id: 3, nombre: 'Ana', nota: 'x', tipo: 'otro', alta: 'hoy', clave: 'secreta' }

describe.each(majors)('recordBody() on %s', (_, express: Express) => {
  const body = recordBody(clientes, { id: (req: Request) => req.params.id as string, bodyLimit: 1000, depthLimit: 5 })
  const plain = recordBody(llanas)
  const operated = recordBody(clientes, { jsonPatch: true, bodyLimit: 1000, depthLimit: 5 })
  const { call, reported } = service(express, (app) => {
    app.post('/clientes', noQuery(), body, (req, res) => void res.json(body.of(req)))
    app.put('/clientes/:id', body, (req, res) => void res.json(body.over(req, { ...current })))
    app.all('/de/:id', body, (req, res) => void res.json(body.of(req)))
    app.put('/llanas/:id', plain, (req, res) => void res.json(plain.of(req)))
    app.patch('/clientes/:id', body, (req, res) => void res.json(body.over(req, { ...current })))
    app.patch(
      '/operadas/:id',
      operated,
      (req, res) => void res.json(operated.over(req, { ...current, interno: 1 } as typeof current)),
    )
    app.post('/sin', (req, res) => void res.json(body.of(req)))
    app.post('/despues', express.json(), body, (req, res) => void res.json(body.of(req)))
  })
  const errorsOf = (answer: { body: { errors?: { pointer?: string; code?: string }[] } }) =>
    answer.body.errors?.map(({ pointer, code }) => `${pointer} ${code}`)

  it('REP-8: in the record of a POST, absent members get defaults or null, unless the store sets them', async () => {
    const { body: made } = await call
      .post('/clientes')
      .send({ nombre: 'Bo', desde: '2024-02-29T10:00:00.5' })
      .expect(200)
    expect(made).toEqual({ nombre: 'Bo', desde: '2024-02-29T10:00:00.5000000', tipo: 'normal', nota: null })
  })

  it('ERR-2: reports all errors at once', async () => {
    const answer = await call.post('/clientes').send({ nombre: '', nombr: 1, alta: 'ayer', nota: 5 }).expect(422)
    expect(errorsOf(answer)?.sort()).toEqual(['/alta readOnly', '/nombr unknown', '/nombre minLength', '/nota type'])
  })

  it('VERB-3: a PUT takes its key from the path, and keeps members that the client cannot see', async () => {
    const { body: next } = await call.put('/clientes/3').send({ nombre: 'Eva' }).expect(200)
    expect(next).toEqual({ id: 3, nombre: 'Eva', tipo: 'normal', nota: null, alta: 'hoy', clave: 'secreta' })
    expect(errorsOf(await call.put('/clientes/3').send({ id: 4, nombre: 'Eva' }).expect(422))).toEqual(['/id fixed'])
    expect(errorsOf(await call.put('/clientes/3').send({ nombre: 'Eva', alta: 'ayer' }).expect(422))).toEqual([
      '/alta readOnly',
    ])
    await call.put('/clientes/03').send({ nombre: 'Eva' }).expect(404)
  })

  it('VERB-3, VERB-5: of() refuses a PATCH, and a PUT that must keep stored members', async () => {
    await call.patch('/de/3').send({ nombre: 'Eva' }).expect(500)
    await call.put('/de/3').send({ nombre: 'Eva' }).expect(500)
    for (const { error } of reported.slice(-2))
      expect(String(error)).toMatch(/ConfigurationError.*Use over\(req, current\)/)
    expect((await call.post('/de/3').send({ nombre: 'Eva' }).expect(200)).body.nombre).toBe('Eva')
    expect((await call.put('/llanas/1').send({ id: 1 }).expect(200)).body).toEqual({ id: 1, nombre: null })
  })

  it('VERB-5: a PATCH is merged, null removes a member, and the result is validated', async () => {
    const patch = () => call.patch('/clientes/3').set('Content-Type', 'application/merge-patch+json')
    expect((await patch().send('{"nota":null,"tipo":null}').expect(200)).body).toEqual({
      id: 3,
      nombre: 'Ana',
      nota: null,
      alta: 'hoy',
      clave: 'secreta',
    })
    expect(errorsOf(await patch().send('{"nombre":null}').expect(422))).toEqual(['/nombre required'])
    expect(errorsOf(await patch().send('{"id":5}').expect(422))).toEqual(['/id fixed'])
  })

  it('VERB-5: with "jsonPatch", JSON Patch applies to what a client sees, and its result is validated', async () => {
    const patch = (operations: unknown) =>
      call.patch('/operadas/3').set('Content-Type', 'application/json-patch+json').send(JSON.stringify(operations))
    const answer = await patch([
      { op: 'test', path: '', value: { id: 3, nombre: 'Ana', nota: 'x', tipo: 'otro', alta: 'hoy' } },
      { op: 'move', from: '/nota', path: '/nombre' },
      { op: 'remove', path: '/tipo' },
      { op: 'add', path: '/desde', value: '2024-02-29T10:00:00' },
    ]).expect(200)
    expect(answer.body).toEqual({
      id: 3,
      nombre: 'x',
      nota: null,
      desde: '2024-02-29T10:00:00.0000000',
      alta: 'hoy',
      clave: 'secreta',
      interno: 1,
    })
    expect(errorsOf(await patch([{ op: 'add', path: '/interno', value: null }]).expect(422))).toEqual([
      '/interno unknown',
    ])
    expect(errorsOf(await patch([{ op: 'remove', path: '/alta' }]).expect(422))).toEqual(['/alta readOnly'])
    expect(errorsOf(await patch([{ op: 'replace', path: '/id', value: 4 }]).expect(422))).toEqual(['/id fixed'])
    expect(errorsOf(await patch([{ op: 'test', path: '/clave', value: 'secreta' }]).expect(422))).toEqual([
      '/0/path path-absent',
    ])
    expect(errorsOf(await patch({}).expect(422))).toEqual([' type'])
    const asMerge = await call.patch('/operadas/3').set('Content-Type', 'application/json').send('[]').expect(422)
    expect(asMerge.body.detail).toBe(
      'A merge patch is an object. Send a list of operations as application/json-patch+json.',
    )
    expect(
      (await call.patch('/clientes/3').send('[]').set('Content-Type', 'application/json').expect(422)).body.detail,
    ).toBe('The body must be an object.')
    await call.patch('/clientes/3').set('Content-Type', 'application/json-patch+json').send('[]').expect(415)
    const types =
      'application/merge-patch+json, application/json, application/xml, text/xml, application/json-patch+json'
    expect(
      (await call.patch('/operadas/3').set('Content-Type', 'text/plain').send('x').expect(415)).headers['accept-patch'],
    ).toBe(types)
    expect((await call.patch('/operadas/3').send({ nota: null }).expect(200)).body.nota).toBeNull()
    expect(() => recordBody(clientes, { jsonPatch: 1 } as never)).toThrow(/Give a boolean/)
  })

  it('HDR-5: refuses missing, too large and too deep bodies, duplicate members, and text/plain', async () => {
    await call.post('/clientes').expect(400)
    await call.post('/clientes').set('Content-Type', 'text/plain').send('x').expect(415)
    await call
      .post('/clientes')
      .send({ nombre: 'x'.repeat(2000) })
      .expect(413)
    await call.post('/clientes').set('Content-Type', 'application/json').send('{"nombre":"a","nombre":"b"}').expect(400)
    await call.post('/clientes').set('Content-Type', 'application/json').send('{"nombre":[[[[[[1]]]]]]}').expect(400)
    await call
      .post('/clientes')
      .set('Content-Type', 'application/json')
      .send('{"__proto__":{"x":1},"nombre":"a"}')
      .expect(400)
    await call.post('/clientes').send([]).expect(422)
    const refused = await call.patch('/clientes/3').set('Content-Type', 'text/plain').send('x').expect(415)
    expect(refused.headers['accept-patch']).toBe(
      'application/merge-patch+json, application/json, application/xml, text/xml',
    )
  })

  it('HDR-5: uses the body that an earlier parser has parsed', async () => {
    expect((await call.post('/despues').send({ nombre: 'Bo' }).expect(200)).body.nombre).toBe('Bo')
  })

  it('QUERY-8: noQuery() refuses all parameters, and names each of them', async () => {
    const answer = await call.post('/clientes?a=1&__proto__=2').send({ nombre: 'Bo' }).expect(400)
    expect(answer.body.errors.map((error: { parameter: string }) => error.parameter)).toEqual(['a', '__proto__'])
  })

  it('without recordBody(), the error says where to mount it', async () => {
    await call.post('/sin').send({}).expect(500)
    expect(reported.at(-1)?.error).toBeInstanceOf(ConfigurationError)
    expect(String(reported.at(-1)?.error)).toMatch(/recordBody\(\).*before the handler/)
  })
})

it('REP-7: recordBody() refuses a definition with links to resources, and names the links', () => {
  const contratos = defineResource({
    collection: 'contratos',
    key: 'codigo',
    schema: {
      type: 'object',
      required: ['codigo'],
      properties: { codigo: { type: 'string' }, clienteId: { type: 'integer' } },
    },
    links: { cliente: { to: clientes, by: 'clienteId' } },
  })
  expect(() => recordBody(contratos)).toThrow(/these links of "contratos": cliente/)
})

it.each([
  [{ bodyLimit: Number.NaN }, /"bodyLimit" of recordBody\(\) is NaN/],
  [{ depthLimit: 0 }, /"depthLimit" of recordBody\(\) is 0\. Give a whole number from 1/],
  [{ timeout: '5' }, /"timeout" of recordBody\(\) is '5'\. Give a whole number of milliseconds/],
  [{ bodyLimits: 5 }, /Did you mean "bodyLimit"/],
  [{ id: 'id' }, /"id" of recordBody\(\) is of type string/],
  [null, /The options of recordBody\(\) are null\. Give an object/],
])('HDR-5: recordBody() with %j is refused', (options, message) => {
  const build = () => recordBody(llanas, options as never)
  expect(build).toThrow(ConfigurationError)
  expect(build).toThrow(message)
})

import { afterAll, describe, expect, it } from 'vitest'
import { openStores } from '../../examples/pre-piezas/store/stores.js'
import { freshSchema } from '../servers/databases.js'
import { client } from './client.js'
import { pathOf } from './wire.js'

const place = await freshSchema()
const stores = await openStores({ seedSize: 0, databaseUrl: place.url })
afterAll(async () => {
  await stores.close()
  await place.drop()
})
const serve = () => client(stores).app
const branch = { nomenclatura: 'NVA', descripcion: 'Nueva "sucursal" 🚚' }

describe('the hand-written router of branches', () => {
  it('VERB-1, QUERY-1, QUERY-2, QUERY-4, QUERY-7: returns filtered, sorted, paged lists and totals', async () => {
    const app = serve()
    const { body, headers } = await app.get('/v8/sucursales?sort=-nomenclatura&limit=2&offest=2').expect(200)
    expect(body.map((one: { nomenclatura: string }) => one.nomenclatura)).toEqual(['PRÁ', 'NQN'])
    expect(headers).toMatchObject({
      'x-total-count': '10',
      vary: 'Accept, Authorization',
      'cache-control': 'private, no-cache',
    })
    expect(headers.link).toMatch(/\/v8\/sucursales\?sort=-nomenclatura&limit=2&offest=3>; rel="next"/)
    const some = await app.get('/v8/sucursales?nomenclatura=ROS&nomenclatura=BHI&sort=descripcion').expect(200)
    expect(some.body.map((one: { nomenclatura: string }) => one.nomenclatura)).toEqual(['BHI', 'ROS'])
    expect((await app.get('/v8/sucursales?descripcion=Neuqu%C3%A9n')).body).toHaveLength(1)
    expect((await app.get('/v8/sucursales?offset=2').expect(400)).body.errors[0].suggestion).toBe('offest')
  })

  it('HDR-4: a conditional list request gets 304 until a branch is created', async () => {
    const app = serve()
    const { headers } = await app.get('/v8/sucursales?limit=3').expect(200)
    const etag = headers.etag as string
    expect(etag).toMatch(/^"/)
    await app.get('/v8/sucursales?limit=3').set('If-None-Match', etag).set('Cache-Control', 'no-cache').expect(304)
    await app.get('/v8/sucursales?limit=4').set('If-None-Match', etag).expect(200)
    await app.post('/v8/sucursales').send(branch).expect(201)
    await app.get('/v8/sucursales?limit=3').set('If-None-Match', etag).expect(200)
  })

  it('VERB-2, VERB-3, VERB-6: creates, replaces and deletes branches in both versions over the same data', async () => {
    const app = serve()
    const created = await app.post('/v1/sucursales').send(branch).expect(201)
    expect(created.text).toBe('')
    const path = pathOf(created.headers.location as string)
    expect(path).toBe('/v1/sucursales/NVA')
    const read = await app.get(path).expect(200)
    expect([read.body, read.headers.etag]).toEqual([branch, created.headers.etag])
    await app
      .get(path)
      .set('If-None-Match', read.headers.etag as string)
      .expect(304)
    const replaced = await app.put('/v8/sucursales/NVA').send({ descripcion: 'Otra' }).expect(200)
    expect(replaced.body).toEqual({ nomenclatura: 'NVA', descripcion: 'Otra' })
    expect(replaced.headers.etag).not.toBe(created.headers.etag)
    expect(pathOf(replaced.headers['content-location'] as string)).toBe('/v8/sucursales/NVA')
    const bare = await app
      .put('/v8/sucursales/NVA')
      .set('Prefer', 'return=minimal')
      .send({ descripcion: 'Otra' })
      .expect(200)
    expect([bare.text, bare.headers['content-location']]).toEqual(['', undefined])
    const shown = await app
      .post('/v1/sucursales')
      .set('Prefer', 'return=representation')
      .send({ ...branch, nomenclatura: 'N/W' })
      .expect(201)
    expect([shown.body.nomenclatura, shown.headers['content-location']]).toEqual(['N/W', shown.headers.location])
    expect((await app.delete(path).expect(204)).text).toBe('')
    await app.get(path).expect(404)
    await app.put(path).send(branch).expect(404)
    await app.delete(path).expect(404)
  })

  it('HDR-3: of several concurrent writers with the same Etag, exactly one succeeds', async () => {
    const app = serve()
    const { headers } = await app.get('/v8/sucursales/ROS').expect(200)
    const etag = headers.etag as string
    const put = (descripcion: string) => app.put('/v8/sucursales/ROS').set('If-Match', etag).send({ descripcion })
    const answers = await Promise.all([put('a'), put('b'), put('c')])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412])
    await app.delete('/v8/sucursales/ROS').set('If-Match', etag).expect(412)
    await app.delete('/v8/sucursales/ROS').set('If-Match', '*').expect(204)
  })

  it('VERB-7..9: responds to HEAD and OPTIONS, and with 405 to methods that the path does not have', async () => {
    const app = serve()
    const head = await app.head('/v8/sucursales/ROS').redirects(0).expect(302)
    expect(head.headers).not.toHaveProperty('location')
    expect(head.headers.etag).toMatch(/^"/)
    await app.head('/v8/sucursales/NONE').expect(404)
    expect((await app.head('/v8/sucursales').expect(200)).headers['x-total-count']).toBe('10')
    expect((await app.delete('/v8/sucursales').expect(405)).headers.allow).toBe('GET, HEAD, POST, OPTIONS')
    expect((await app.post('/v8/sucursales/ROS').send({}).expect(405)).headers.allow).toBe(
      'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
    )
    expect((await app.options('/v8/sucursales/ROS').expect(204)).headers.allow).toBe(
      'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
    )
  })

  it('VERB-5: PATCH merges, keeps the key, and checks If-Match and If-None-Match', async () => {
    const app = serve()
    const { headers } = await app.get('/v8/sucursales/ROS').expect(200)
    const changed = await app
      .patch('/v8/sucursales/ROS')
      .set('If-Match', headers.etag as string)
      .send({ descripcion: 'Otra' })
      .expect(200)
    expect(changed.body).toEqual({ nomenclatura: 'ROS', descripcion: 'Otra' })
    await app
      .patch('/v8/sucursales/ROS')
      .set('If-Match', headers.etag as string)
      .send({ descripcion: 'Tarde' })
      .expect(412)
    await app
      .patch('/v8/sucursales/ROS')
      .set('If-None-Match', changed.headers.etag as string)
      .send({})
      .expect(412)
    expect((await app.patch('/v8/sucursales/ROS').send({ nomenclatura: 'X' }).expect(422)).body.errors[0].pointer).toBe(
      '/nomenclatura',
    )
    await app.patch('/v8/sucursales/ROS').send({ descripcion: null }).expect(422)
    await app.patch('/v8/sucursales/NONE').send({}).expect(404)
    expect((await app.get('/v8/sucursales/ROS').expect(200)).body.descripcion).toBe('Otra')
  })

  it('HDR-1, HDR-5, ERR-2: responds to invalid requests with problems', async () => {
    const app = serve()
    const post = (type: string, body: string) => app.post('/v8/sucursales').set('Content-Type', type).send(body)
    const problems = [
      [415, await app.get('/v8/sucursales').set('Accept', 'image/png')],
      [415, await post('text/plain', 'x')],
      [400, await post('application/json', '{"nomenclatura":')],
      [400, await app.post('/v8/sucursales')],
      [400, await app.get('/v8/sucursales/ROS?x=1')],
      [400, await app.get('/v8/sucursales/%FF')],
      [422, await post('application/json', '[]')],
      [422, await post('application/json', '"x"')],
      [422, await app.post('/v8/sucursales').send({ nomenclatura: '..', descripcion: 1, otra: 2 })],
      [422, await app.post('/v8/sucursales').send({ ...branch, nomenclatura: 'ROS' })],
      [422, await app.put('/v8/sucursales/ROS').send(branch)],
      [404, await app.get('/v8/Sucursales')],
      [404, await app.get('/v8/sucursales/ROS/nada')],
    ] as const
    for (const [status, answer] of problems) {
      expect(answer.status).toBe(status)
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    }
    expect(problems[8][1].body.errors).toHaveLength(3)
  })

  it('PATH-11: the key of a branch can contain special characters', async () => {
    const app = serve()
    const nomenclatura = 'Ñ/50%, "x"=1 🚚'
    const { headers } = await app
      .post('/v8/sucursales')
      .send({ ...branch, nomenclatura })
      .expect(201)
    const { body } = await app.get(pathOf(headers.location as string)).expect(200)
    expect(body.nomenclatura).toBe(nomenclatura)
  })

  it('VER-3: responses in v1 announce its deprecation and its successor', async () => {
    const { headers } = await serve().get('/v1/sucursales/ROS').expect(200)
    expect(headers.deprecation).toBe('@1767225600')
    expect(headers.link).toMatch(/rel="successor-version"/)
  })
})

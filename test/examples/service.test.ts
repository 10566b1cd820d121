import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { HttpProblem } from '../../src/index.js'
import { client } from './client.js'
import { embeddedStores } from './stores.js'
import { pathOf, typesOf } from './wire.js'

const data = generate(200)
const { stores, fill } = await embeddedStores()
beforeEach(() => fill(data))
afterAll(() => stores.close())
// supertest uses a new port for each request, so the links have a fixed base URL.
const { app: served } = client(stores, 'http://service.example')
const serve = () => served

const party = {
  apellido: 'string',
  documento: 'string',
  email: 'string',
  nombre: 'string',
  nombreCompleto: 'string',
  telefonos: ['string'],
  tipoDocumento: 'string',
}
const unknownParty = {
  apellido: 'null',
  documento: 'null',
  email: 'null',
  nombre: 'null',
  nombreCompleto: 'null',
  telefonos: [],
  tipoDocumento: 'null',
}
const ciclo = { href: 'string', permiteEntregaEnMostrador: 'boolean', permiteReenvio: 'boolean' }
const piece = {
  componentes: { href: 'string' },
  contrato: {
    href: 'string',
    esCorporativo: 'boolean',
    esRecanalizable: 'boolean',
    esUrgente: 'boolean',
    estaActivo: 'boolean',
  },
  cpDestinoValidado: {
    ciudad: 'string',
    codigo: 'integer',
    href: 'string',
    idCiudad: 'integer',
    idPais: 'integer',
    idProvincia: 'integer',
  },
  destinatario: party,
  remitente: party,
  destinoInformado: {
    calle: 'string',
    ciudad: 'string',
    codigoPostal: 'string',
    numero: 'string',
    pais: 'string',
    provincia: 'string',
  },
  fechaDeEntrada: 'string',
  lote: 'string',
  subLote: 'string',
  numero: 'integer',
  numeroDeEnvio: 'string',
  sucursalDeDistribucion: 'integer',
  sucursalDeImposicion: 'integer',
  valorACobrar: 'number',
  valorDeclarado: 'number',
}
const contract = {
  cicloDeDistribucion: ciclo,
  cicloDeReenvio: ciclo,
  cicloDeRendicionParaEntrega: ciclo,
  cicloDeRendicionParaNoEntrega: ciclo,
  cliente: { href: 'string' },
  codigoDeContratoInterno: 'string',
  descripcion: 'string',
  direccionPostal: {
    href: 'string',
    idLocalidad: 'integer',
    idPais: 'integer',
    idProvincia: 'integer',
    iditg: 'string',
  },
  esCorporativo: 'boolean',
  esRecanalizable: 'boolean',
  esUrgente: 'boolean',
  estaActivo: 'boolean',
  iditg: 'string',
  tipoDeServicio: 'string',
}

/**
 * Whether a person has a value in every member. In the piece `complete`, both persons do. In the
 * piece `unknown`, the addressee has no name.
 */
const isComplete = (person: { [member: string]: unknown; telefonos?: string[] }): boolean =>
  Object.values(person).every((value) => value !== null) && (person.telefonos?.length ?? 0) > 0
const complete = data.prePiezas.find(
  (one) =>
    isComplete(one.destinatario) &&
    isComplete(one.remitente) &&
    !Number.isInteger(one.valorACobrar) &&
    !Number.isInteger(one.valorDeclarado),
)
const unknown = data.prePiezas.find((one) => one.destinatario.nombre === null)

describe('REP-6: the worked example', () => {
  it.each(['v1', 'v8', 'public/v1'])(
    'GET /%s/pre-piezas/{numero} returns exactly the members and types of the worked example',
    async (version) => {
      const { body } = await serve().get(`/${version}/pre-piezas/${complete?.numero}`).expect(200)
      expect(typesOf(body)).toEqual(piece)
      const other = await serve().get(`/${version}/pre-piezas/${unknown?.numero}`).expect(200)
      expect(typesOf(other.body.destinatario)).toEqual(unknownParty)
    },
  )

  it('expand=contrato embeds the full contract, whose own associations are still links', async () => {
    const app = serve()
    const { body } = await app.get('/v8/pre-piezas?expand=contrato&limit=100').expect(200)
    const contracts = (body as { contrato: Record<string, unknown> }[]).map((one) => one.contrato)
    expect(new Set(contracts.map((one) => Object.keys(one).sort().join()))).toEqual(
      new Set([Object.keys(contract).sort().join()]),
    )
    const full = contracts.find((one) => one.codigoDeContratoInterno === 'C-0001')
    expect(typesOf(full)).toMatchObject({
      ...contract,
      cicloDeRendicionParaEntrega: { ...ciclo, permiteEntregaEnMostrador: 'null' },
    })
    expect(contracts.some((one) => one.cliente === null)).toBe(true)
    const addresses = contracts.map((one) => typesOf(one.direccionPostal))
    expect(addresses).toContainEqual({
      href: 'null',
      idLocalidad: 'null',
      idPais: 'null',
      idProvincia: 'null',
      iditg: 'null',
    })
  })

  it('REP-1: the links of pieces, contracts and customers resolve', async () => {
    const app = serve()
    const { body } = await app.get('/v8/pre-piezas?limit=20').expect(200)
    for (const { componentes, contrato, cpDestinoValidado } of body) {
      for (const { href } of [componentes, contrato, cpDestinoValidado]) await app.get(pathOf(href)).expect(200)
      const { body: contract } = await app.get(pathOf(contrato.href))
      if (contract.cliente === null) continue
      const { body: client } = await app.get(pathOf(contract.cliente.href)).expect(200)
      await app.get(pathOf(client.contratos.href)).expect(200)
    }
  })

  it('PATH-11: contract keys with special characters can be used in URLs', async () => {
    const app = serve()
    for (const key of ['C-0001/ñ', '50% desc,uento=1', 'C "3" 🚚 #?']) {
      const { body } = await app.get(`/v8/contratos/${encodeURIComponent(key)}`).expect(200)
      expect(body.codigoDeContratoInterno).toBe(key)
    }
  })

  it('REP-7: PUT accepts the response of GET, plain and expanded, and nothing changes', async () => {
    const app = serve()
    for (const { numero } of data.prePiezas.slice(0, 25)) {
      const plain = await app.get(`/v8/pre-piezas/${numero}`).expect(200)
      for (const query of ['', '?expand=contrato', '?expand=contrato,cpDestinoValidado']) {
        const { body } = await app.get(`/v8/pre-piezas/${numero}${query}`).expect(200)
        const answer = await app.put(`/v8/pre-piezas/${numero}`).send(body)
        expect([answer.status, answer.body]).toEqual([200, plain.body])
      }
    }
  })

  it('POST accepts the response of GET without "numero", and a link that has a key in place of "href"', async () => {
    const app = serve()
    const { body } = await app.get('/v8/pre-piezas/3').expect(200)
    const { numero: _, ...rest } = body
    const sent = { ...rest, contrato: { codigoDeContratoInterno: 'C-0001' }, destinatario: {} }
    const created = await app.post('/v8/pre-piezas').send(sent).expect(201)
    const location = created.headers.location as string
    expect(location).toMatch(/\/v8\/pre-piezas\/201$/)
    const { body: made } = await app.get(pathOf(location)).expect(200)
    expect(made.contrato.href).toMatch(/\/contratos\/C-0001$/)
    expect(typesOf(made.destinatario)).toEqual(unknownParty)
    await app
      .post('/v8/pre-piezas')
      .send({ ...sent, valorDeclarado: -1 })
      .expect(422)
    await app
      .post('/v8/pre-piezas')
      .send({ ...sent, contrato: { codigoDeContratoInterno: 'none' } })
      .expect(422)
  })
})

describe('lists of pre-pieces', () => {
  const ids = async (query: string): Promise<number[]> => {
    const { body } = await serve().get(`/v8/pre-piezas?limit=100&${query}`).expect(200)
    return body.map((one: { numero: number }) => one.numero)
  }
  const numbers = (keep: (one: (typeof data.prePiezas)[number]) => boolean): number[] =>
    data.prePiezas
      .filter(keep)
      .map((one) => one.numero)
      .slice(0, 100)

  it.each<[string, string, (one: (typeof data.prePiezas)[number]) => boolean]>([
    ['equality', 'lote=L-0003', (one) => one.lote === 'L-0003'],
    [
      'any of several values',
      'sucursalDeDistribucion=1&sucursalDeDistribucion=2',
      (one) => one.sucursalDeDistribucion <= 2,
    ],
    ['a link', `contrato=${encodeURIComponent('50% desc,uento=1')}`, (one) => one.contratoId === '50% desc,uento=1'],
    ['a nested member', 'destinoInformado.ciudad=Paran%C3%A1', (one) => one.destinoInformado.ciudad === 'Paraná'],
    ['a range of times', 'fechaDesde=2026-06-01T00:00:00', (one) => one.fechaDeEntrada >= '2026-06-01T00:00:00'],
    [
      'a range of values',
      'valorMinimo=250000.5&valorMaximo=500000',
      (one) => one.valorDeclarado >= 250_000.5 && one.valorDeclarado <= 500_000,
    ],
    ['a member that is null', 'sinEmail=true', (one) => one.destinatario.email === null],
  ])('QUERY-1: can be filtered by %s', async (_, query, keep) => {
    const expected = numbers(keep)
    expect(expected.length).toBeGreaterThan(0)
    expect(await ids(`${query}&sort=numero`)).toEqual(expected)
  })

  it('QUERY-1: can be filtered by a telephone number', async () => {
    const owner = data.prePiezas.find((one) => one.destinatario.telefonos?.length === 2)
    const telephone = owner?.destinatario.telefonos?.[1] ?? ''
    expect(await ids(`telefono=${encodeURIComponent(telephone)}`)).toContain(owner?.numero)
  })

  it('QUERY-2, QUERY-7: are sorted and counted', async () => {
    const { body, headers } = await serve().get('/v8/pre-piezas?sort=-fechaDeEntrada&limit=3').expect(200)
    const latest = data.prePiezas.map((one) => one.fechaDeEntrada).sort()
    expect(body.map((one: { fechaDeEntrada: string }) => one.fechaDeEntrada)).toEqual(latest.reverse().slice(0, 3))
    expect(headers['x-total-count']).toBe('200')
  })
})

describe('sub-resources', () => {
  it('PATH-9: components belong to a piece, and the store gives them numbers within their piece', async () => {
    const app = serve()
    const { body } = await app.get('/v8/pre-piezas/4/componentes').expect(200)
    expect(body.map((one: { secuencia: number }) => one.secuencia)).toEqual([1, 2, 3])
    expect(typesOf(body[0])).toEqual({
      descripcion: 'string',
      numeroDeCabecera: 'integer',
      peso: 'number',
      prePieza: { href: 'string' },
      secuencia: 'integer',
    })
    const created = await app.post('/v8/pre-piezas/4/componentes').send({ descripcion: 'Caja', peso: 1.5 }).expect(201)
    expect(created.headers.location).toMatch(/\/v8\/pre-piezas\/4\/componentes\/numeroDeCabecera=4,secuencia=4$/)
    await app.get(pathOf(created.headers.location as string)).expect(200)
    await app.get('/v8/pre-piezas/5/componentes/numeroDeCabecera=4,secuencia=4').expect(404)
  })

  it('PATH-7: deleting a piece deletes its components, and POST below an absent piece gets 404', async () => {
    const app = serve()
    const path = '/v8/pre-piezas/4/componentes/numeroDeCabecera=4,secuencia=1'
    await app.get(path).expect(200)
    const { body } = await app.get('/v8/pre-piezas/4').expect(200)
    await app.delete('/v8/pre-piezas/4').expect(204)
    await app.post('/v8/pre-piezas/4/componentes').send({ descripcion: 'Caja', peso: 1 }).expect(404)
    await app.post('/v8/pre-piezas').send(body).expect(201)
    expect((await app.get('/v8/pre-piezas/4/componentes').expect(200)).body).toEqual([])
  })

  it('PATH-8: PUT and DELETE of the flag "activo" get 204, and DELETE unsets "estaActivo"', async () => {
    const app = serve()
    await app.put('/v8/contratos/C-0001/activo').expect(204)
    await app.delete('/v8/contratos/C-0001/activo').expect(204)
    await app.get('/v8/contratos/C-0001/activo').expect(404)
    expect((await app.get('/v8/contratos/C-0001')).body.estaActivo).toBe(false)
  })

  it('VERB-4: PUT attaches a contract to a customer, and DELETE detaches the contract', async () => {
    const app = serve()
    await app.put('/v8/clientes/2/contratos/C-0001').expect(204)
    expect((await app.get('/v8/contratos/C-0001')).body.cliente.href).toMatch(/\/v8\/clientes\/2$/)
    await app.get('/v1/clientes/2/contratos/C-0001').expect(200)
    await app.delete('/v1/clientes/2/contratos/C-0001').expect(204)
    expect((await app.get('/v8/contratos/C-0001')).body.cliente).toBeNull()
  })
})

describe('versions', () => {
  it('VER-1: the name of a customer is "nombre" in v1 and "razonSocial" in v8, over the same data', async () => {
    const app = serve()
    const v8 = (await app.get('/v8/clientes/1').expect(200)).body
    const v1 = (await app.get('/v1/clientes/1').expect(200)).body
    expect(Object.keys(v8).sort()).toEqual(['contratos', 'cuit', 'email', 'id', 'razonSocial'])
    expect(Object.keys(v1).sort()).toEqual(['contratos', 'cuit', 'email', 'id', 'nombre'])
    expect(v1.nombre).toBe(v8.razonSocial)
    await app.patch('/v1/clientes/1').send({ nombre: 'Otra «razón»' }).expect(200)
    expect((await app.get('/v8/clientes/1')).body.razonSocial).toBe('Otra «razón»')
    const { body } = await app.get(`/v1/clientes?nombre=${encodeURIComponent('Otra «razón»')}&sort=-nombre`).expect(200)
    expect(body).toHaveLength(1)
    await app.get('/v8/clientes?nombre=x').expect(400)
    await app.post('/v1/clientes').send({ nombre: 'Nueva', cuit: v1.cuit }).expect(422)
    await app.post('/v1/clientes').send({ nombre: 'Nueva', cuit: '30-12345678-9' }).expect(201)
  })

  it('VER-2, VER-3: v1 is deprecated, v0 is retired, other versions are unknown', async () => {
    const app = serve()
    const { headers } = await app.get('/v1/pre-piezas/1').expect(200)
    expect(headers).toMatchObject({ deprecation: '@1767225600', sunset: 'Fri, 31 Dec 2027 00:00:00 GMT' })
    expect(headers.link).toMatch(/\/v8\/pre-piezas\/1>; rel="successor-version"/)
    expect((await app.get('/v8/pre-piezas/1')).headers).not.toHaveProperty('deprecation')
    expect((await app.get('/v0/pre-piezas').expect(410)).text).toBe('')
    await app.get('/v7/pre-piezas').expect(404)
  })
})

describe('VERB-12: pre-pieces that are sent twice', () => {
  it('are created once in each API if the Idempotency-Key is the same', async () => {
    const app = serve()
    const key = '8e03978e-40d5-43dd-bc93-6894a57f9324'
    const sent = { 'Idempotency-Key': key, Prefer: 'return=representation' }
    const made: string[] = []
    for (const path of ['/v8/pre-piezas', '/public/v1/pre-piezas']) {
      const { body } = await app.get(`${path}/3`).expect(200)
      const { numero: _, ...rest } = body
      const first = await app.post(path).set(sent).send(rest).expect(201)
      const again = await app.post(path).set(sent).send(rest).expect(201)
      expect([again.headers.location, again.headers.etag, again.text]).toEqual([
        first.headers.location,
        first.headers.etag,
        first.text,
      ])
      const other = await app
        .post(path)
        .set(sent)
        .send({ ...rest, lote: 'otro' })
        .expect(422)
      expect(other.body.code).toBe('idempotency-mismatch')
      made.push(first.body.numero)
    }
    expect(made).toEqual([201, 202])
  })
})

describe('VERB-11: the public API', () => {
  it('creates, returns and deletes pieces, and refuses lists and PUT', async () => {
    const app = serve()
    const { body } = await app.get('/public/v1/pre-piezas/1').expect(200)
    const { numero: _, ...rest } = body
    const created = await app.post('/public/v1/pre-piezas').send(rest).expect(201)
    const path = pathOf(created.headers.location as string)
    expect(path).toBe('/public/v1/pre-piezas/201')
    await app.get(path).expect(200)
    expect((await app.get('/public/v1/pre-piezas').expect(405)).headers.allow).toBe('POST, OPTIONS')
    expect((await app.put(path).send(body).expect(405)).headers.allow).toBe('GET, HEAD, DELETE, OPTIONS')
    await app.delete(path).expect(204)
    await app.get(path).expect(404)
    await app.get('/v8/pre-piezas/201').expect(404)
  })

  it('serves the targets of its links, read-only', async () => {
    const app = serve()
    const { body } = await app.get('/public/v1/pre-piezas/2').expect(200)
    for (const name of ['componentes', 'contrato', 'cpDestinoValidado'])
      await app.get(pathOf(body[name].href)).expect(200)
    const contract = pathOf(body.contrato.href)
    expect(contract).toMatch(/^\/public\/v1\/contratos\//)
    for (const path of [
      contract,
      `${contract}/activo`,
      '/public/v1/clientes/1/contratos/C-0001',
      '/public/v1/codigos-postales/5000',
    ]) {
      for (const method of ['put', 'delete'] as const) await app[method](path).expect(405)
    }
    await app.get('/public/v1/contratos').expect(405)
    await app.get('/public/v1/sucursales').expect(404)
  })
})

describe('search', () => {
  it('PATH-8: finds records of several collections, each with its URL', async () => {
    const app = serve()
    const { body } = await app.get('/v8/search').query({ q: 'urgente or "san martín" or rápida', limit: 3 }).expect(200)
    const found = body as { coleccion: string; href: string; titulo: string }[]
    expect(new Set(found.map((one) => one.coleccion))).toEqual(new Set(['clientes', 'contratos', 'pre-piezas']))
    for (const { href } of found) await app.get(pathOf(href)).expect(200)
    for (const name of ['clientes', 'contratos', 'pre-piezas']) {
      expect(found.filter((one) => one.coleccion === name).length).toBeLessThanOrEqual(3)
    }
    const { body: odd } = await app.get('/v1/search').query({ q: 'desc' }).expect(200)
    expect(odd).toContainEqual(
      expect.objectContaining({ href: expect.stringMatching(/\/v1\/contratos\/50%25%20desc,uento=1$/) }),
    )
  })

  it.each(['', '?q=a&limit=0', '?q=a&limit=101', '?q=a&limit=x', '?q=a&x=1'])(
    'QUERY-8: the query %j gets 400',
    async (query) => {
      await serve().get(`/v8/search${query}`).expect(400)
    },
  )
})

describe('probes', () => {
  it('respond with 204 while the database responds', async () => {
    for (const path of ['/ready', '/live']) {
      const { headers } = await serve().get(path).expect(204)
      expect(headers['cache-control']).toBe('no-store')
      await serve().head(path).expect(204)
    }
  })

  it('readiness is 503 if the database is down, and concurrent probes query the database only once', async () => {
    let asked = 0
    const away = () => {
      asked++
      return Promise.reject(new HttpProblem('unavailable'))
    }
    const app = client({ ...stores, ask: away }).app
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    const answers = await Promise.all([1, 2, 3].map(() => app.get('/ready')))
    await app.get('/live').expect(204)
    report.mockRestore()
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      [1, 2, 3].map(() => [503, '1']),
    )
    expect(asked).toBe(1)
  })
})

describe('the service', () => {
  it.each(['/', '/health', '/v8', '/v8/nada', '/public', '/public/nada'])(
    'responds to an unknown path with a 404 problem: %s',
    async (path) => {
      const { headers } = await serve().get(path).expect(404)
      expect(headers['content-type']).toMatch(/^application\/problem\+json/)
      expect(headers).not.toHaveProperty('x-powered-by')
    },
  )

  it('REP-5: links start with BASE_URL if it is set', async () => {
    const app = client(stores, 'https://api.example.com/private').app
    expect((await app.get('/v1/pre-piezas/1')).body.contrato.href).toMatch(
      /^https:\/\/api\.example\.com\/private\/v1\/contratos\//,
    )
    expect((await app.get('/public/v1/pre-piezas/1')).body.contrato.href).toMatch(
      /^https:\/\/api\.example\.com\/private\/public\/v1\/contratos\//,
    )
    const created = await app.post('/v1/sucursales').send({ nomenclatura: 'X/1', descripcion: '' }).expect(201)
    expect(created.headers.location).toBe('https://api.example.com/private/v1/sucursales/X%2F1')
  })

  it('starts without data', async () => {
    await fill(generate(0))
    const { app, ready } = client(stores)
    await ready()
    const { body, headers } = await app.get('/v8/pre-piezas').expect(200)
    expect([body, headers['x-total-count']]).toEqual([[], '0'])
  })
})

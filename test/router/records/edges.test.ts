/** Tests of records(): callers, values, adapters, and the errors for invalid arguments. */
import express from 'express'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import type { Permission } from '../../../src/auth/index.js'
import {
  type Adapter,
  type Api,
  adapterView,
  api,
  defineResource,
  endpoint,
  mount,
  type RecordsOf,
} from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'

const zonas = defineResource({
  collection: 'zonas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, de: { type: 'string' } } },
  scope: (principal) => (principal === 'root' ? {} : { de: String(principal) }),
})
const rutas = defineResource({
  collection: 'rutas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'zonaId'],
    properties: {
      id: { type: 'integer' },
      zonaId: { type: 'integer' },
      n: { type: 'integer', default: 0 },
      otraId: { type: ['integer', 'null'] },
    },
  },
  parent: { of: zonas, by: 'zonaId' },
})
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      texto: { type: 'string', default: '' },
      anteriorId: { type: ['integer', 'null'] },
      zonaId: { type: ['integer', 'null'] },
    },
  },
  links: { anterior: { to: 'notas', by: 'anteriorId' }, zona: { to: zonas, by: 'zonaId' } },
})
const notasV1 = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, cuerpo: { type: 'string', maxLength: 3 } },
  },
})

interface Parts {
  readonly permission?: Permission
  readonly notas?: Adapter<never, never>
  readonly act?: (records: RecordsOf) => unknown
}

function serve({ permission, notas: given, act = () => {} }: Parts = {}): Api {
  const data = memoryAdapter(notas)
  const all = {
    zonas: memoryAdapter(zonas, {
      records: [
        { id: 1, de: 'ana' },
        { id: 2, de: 'blas' },
      ],
    }),
    rutas: memoryAdapter(rutas, {
      records: [
        { id: 1, zonaId: 1, n: 0 },
        { id: 2, zonaId: 2, n: 0 },
      ],
    }),
  }
  return api({
    principal: () => 'ana',
    onError: () => {},
    ...(permission === undefined ? {} : { permission }),
    versions: {
      v2: [
        mount(zonas, all.zonas),
        mount(rutas, all.rutas, { item: ['GET'] }),
        mount(notas, (given ?? data) as never),
        endpoint('hechos', {
          description: 'Does what a test asks for.',
          methods: {
            GET: { handle: ({ records }) => act(records) },
            POST: { describe: { problems: ['invalid-body'] }, handle: ({ records }) => act(records) },
          },
        }),
      ],
      v1: [mount(notasV1, adapterView(data, { rename: { cuerpo: 'texto' }, hides: ['anteriorId', 'zonaId'] }))],
    },
  })
}
const ana = { principal: 'ana', version: 'v2' } as const
const errors = (result: object) =>
  'problem' in result
    ? (result.problem as { errors: readonly { pointer?: string; code?: string }[] }).errors.map(
        ({ pointer, code }) => `${pointer} ${code}`,
      )
    : result

describe('records(): the caller', () => {
  it('AUTH-4: a permission refuses a call as it refuses a request: with 403, or with 405 and Allow', async () => {
    const permission: Permission = (_, action) =>
      action === 'remove' ? 'forbidden' : action === 'patch' ? 'method-not-allowed' : 'allow'
    const own = serve({ permission }).records(notas, ana)
    await own.create({ id: 1 })
    expect(await own.remove(1)).toMatchObject({ problem: { status: 403, code: 'forbidden' } })
    expect(await own.patch(1, { texto: 'x' })).toMatchObject({
      problem: { status: 405, headers: { Allow: 'GET, HEAD, PUT, OPTIONS' } },
    })
    const trusted = serve({ permission }).records(notas, { ...ana, permission: false })
    await trusted.create({ id: 1 })
    expect(await trusted.patch(1, { texto: 'x' })).toMatchObject({ record: { texto: 'x' } })
    expect(await trusted.remove(1)).toEqual({ removed: true })
  })

  it('a scope applies to the record, its parent and its linked records', async () => {
    const service = serve()
    expect(errors(await service.records(rutas, ana).create({ id: 3, zonaId: 2 }))).toEqual(['/zonaId reference'])
    expect(await service.records(rutas, ana).patch(2, { n: 1 })).toMatchObject({ problem: { code: 'absent' } })
    expect(errors(await service.records(notas, ana).create({ id: 3, zonaId: 2 }))).toEqual(['/zona reference'])
    expect(await service.records(rutas, { ...ana, principal: 'root' }).patch(2, { n: 1 })).toMatchObject({
      record: { n: 1 },
      href: '/v2/zonas/2/rutas/2',
    })
    expect(await service.records(rutas, ana).patch(1, { zonaId: 2 })).toMatchObject({
      problem: { errors: [{ pointer: '/zonaId', code: 'fixed' }] },
    })
  })

  it("the service's own code can patch a record, even if the mount allows no PATCH for clients", async () => {
    expect(await serve().records(rutas, ana).patch(1, { n: 5 })).toMatchObject({ record: { n: 5 } })
  })

  it('throws if the caller gives no principal, no version, no definition or an invalid option', () => {
    const { records } = serve()
    expect(() => records(notas, { version: 'v2' } as never)).toThrow(/has no principal.*Pass the option "principal"/)
    expect(() => records(notas, { principal: 1 })).toThrow(/Allowed: v2, v1\./)
    expect(() => records(notas, { principal: 1, version: 'v3' })).toThrow(/names the version "v3"/)
    expect(() => records(notas, { ...ana, timout: 5 } as never)).toThrow(/Did you mean "timeout"/)
    expect(() => records(notas, { ...ana, timeout: -1 })).toThrow(
      /"timeout" of records\("notas"\) is -1\. Give a number of milliseconds above 0/,
    )
    expect(() => records(notas, { ...ana, permission: 'no' as never })).toThrow(
      /"permission" of records\("notas"\) is 'no'\. Give a boolean/,
    )
    expect(() => records(undefined as never, ana)).toThrow(/no definition/)
  })

  it('a definition that is not mounted in the version causes an error with a suggestion', () => {
    const { records } = serve()
    const otra = defineResource({
      collection: 'rutass',
      key: 'id',
      allow: { rutass: 'x' },
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    })
    expect(() => records(otra, ana)).toThrow(/"rutass", which is not mounted in v2.*Did you mean "rutas"/)
    expect(() => records(notasV1, ana)).toThrow(/Another definition of "notas" is mounted/)
  })

  it('VER-1: an older version that is mounted with a view has its own member names and rules', async () => {
    const service = serve()
    const old = service.records(notasV1, { principal: 'ana', version: 'v1' })
    expect(errors(await old.create({ id: 1, cuerpo: 'largo' }))).toEqual(['/cuerpo maxLength'])
    expect(await old.create({ id: 1, cuerpo: 'sí' })).toMatchObject({
      record: { id: 1, cuerpo: 'sí' },
      href: '/v1/notas/1',
    })
    expect(await service.records(notas, ana).patch(1, {})).toMatchObject({ record: { texto: 'sí' } })
  })
})

describe('records(): values', () => {
  it('have the types of the definition, and a link can be given by its own name or by the stored member', async () => {
    const own = serve().records(notas, ana)
    // @ts-expect-error: txeto is neither a member nor a link
    expect(errors(await own.create({ id: 1, txeto: 'x' }))).toEqual(['/txeto unknown'])
    // @ts-expect-error: texto is not a number
    expect(errors(await own.create({ id: 1, texto: 5 }))).toEqual(['/texto type'])
    expect(await own.create({ id: 1, texto: undefined, anteriorId: null })).toMatchObject({
      record: { id: 1, texto: '', anteriorId: null },
    })
    expect(await own.create({ id: 2, anterior: { id: 1 } })).toMatchObject({ record: { anteriorId: 1 } })
    expect(await own.patch(2, { anterior: null })).toMatchObject({ record: { anteriorId: null } })
    expect(errors(await own.create({ id: 3, anterior: { id: 1 }, anteriorId: 2 }))).toEqual(['/anteriorId unknown'])
    expect(errors(await own.create({ id: 3, anteriorId: 'x' as never }))).toEqual(['/anterior link'])
  })

  it('a value that does not exist in JSON causes an exception, because it is a programming error', async () => {
    const own = serve().records(notas, ana)
    const circle: Record<string, unknown> = {}
    circle.texto = circle
    for (const texto of [new Date(0), 1n, Number.NaN, () => 1, new Map(), circle]) {
      await expect(own.create({ id: 1, texto: texto as never })).rejects.toThrow(/records\("notas"\)/)
    }
    await expect(own.patch(undefined as never, {})).rejects.toThrow(/got no key/)
    await expect(own.patch(1, {}, { expected: 5 as never })).rejects.toThrow(
      /"expected" of records\("notas"\) is 5\. Give a string/,
    )
    for (const key of ['1', 1.5, -0.1])
      expect(await own.patch(key as never, {})).toMatchObject({ problem: { code: 'absent' } })
  })
})

describe('records(): many records', () => {
  it('are checked with one read per link and one read of their own keys, and can link to earlier records', async () => {
    const data = memoryAdapter(notas)
    const reads: number[] = []
    const counted = {
      ...data,
      read(keys: readonly number[], call: never) {
        reads.push(keys.length)
        return data.read(keys, call)
      },
    }
    const own = serve({ notas: counted as never }).records(notas, ana)
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, anteriorId: id === 0 ? null : id - 1, zonaId: 1 }))
    expect(await own.checkAll(rows)).toHaveProperty('records.length', 2_000)
    expect(reads).toEqual([1_999, 2_000])
    expect(
      errors(await own.createAll([{ id: 1, anteriorId: 2 }, { id: 2 }, { id: 2, zonaId: 2 }, {}], { from: 7 })),
    ).toEqual(['/7/anterior reference', '/9/zona reference', '/9/id duplicate', '/10/id required'])
    expect(await own.createAll([])).toEqual({ made: [] })
  })

  it('a record that the store refuses is reported with its index, and the other records are written', async () => {
    const data = memoryAdapter(notas)
    const refusing = {
      ...data,
      create: (value: { id: number }, call: never) =>
        value.id === 2 ? { refused: 'duplicate', members: ['texto'] } : data.create(value as never, call),
    }
    const result = await serve({ notas: refusing as never })
      .records(notas, ana)
      .createAll([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(result).toMatchObject({
      problem: { errors: [{ pointer: '/1/texto', code: 'duplicate' }] },
      made: [{ key: 1 }, undefined, { key: 3 }],
    })
  })
})

describe('records() over other data', () => {
  it('the option "within" needs adapter.within(), and the option "adapter" replaces the mounted adapter', async () => {
    const service = serve()
    expect(() => service.records(notas, { ...ana, within: {} })).toThrow(
      /"notas" has no within\(\).*the option "adapter"/,
    )
    expect(() => service.records(notas, { ...ana, adapter: {} as never })).toThrow(
      /"adapter" of records\("notas"\) is of type object\. Give an adapter, which has list\(\) and read\(\)/,
    )
    const other = memoryAdapter(notas)
    expect(await service.records(notas, { ...ana, adapter: other }).create({ id: 1 })).toMatchObject({ key: 1 })
    expect(await service.records(notas, ana).patch(1, {})).toMatchObject({ problem: { code: 'absent' } })
    const { replace: _, ...readable } = other
    await expect(service.records(notas, { ...ana, adapter: readable }).patch(1, {})).rejects.toThrow(/no replace\(\)/)
  })

  it('a stale write is not retried if reading again returns the same version', async () => {
    const stored = { value: { id: 1, texto: '', anteriorId: null, zonaId: null }, version: 'a' }
    let tries = 0
    const replace = () => {
      tries += 1
      return 'stale'
    }
    const snapshot = { list: () => ({ items: [] }), read: () => [stored], replace }
    const own = serve().records(notas, { ...ana, adapter: snapshot as never })
    await expect(own.patch(1, { texto: 'x' })).rejects.toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('Roll back the transaction'),
    })
    expect(tries).toBe(1)
  })
})

describe('VERB-13: an endpoint that throws after it has called records()', () => {
  it.each(['GET', 'POST'])('responds to %s with 500, and says that the outcome is unknown', async (method) => {
    const act = async (records: RecordsOf) => {
      await records(notas).create({ id: 1 })
      throw new TypeError('late')
    }
    const { send, close } = await listen(express().use(serve({ act })))
    const { status, json } = await send(method, '/v2/hechos')
    await close()
    expect(status).toBe(500)
    expect(json.detail).toContain('whether the change took place is unknown')
  })

  it('ERR-3: responds with the params of the thrown problem, in JSON and in XML', async () => {
    const act = async (records: RecordsOf) => {
      const result = await records(notas).create({ id: 1, anteriorId: 5 })
      if ('problem' in result) throw result.problem
    }
    const { send, close } = await listen(express().use(serve({ act })))
    const json = await send('POST', '/v2/hechos')
    const xml = await send('POST', '/v2/hechos', { accept: 'application/xml' })
    await close()
    expect(json).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: '/anterior', code: 'reference', params: { collection: 'notas' } }] },
    })
    expect(xml.text).toMatch(/<params><collection[^>]*>notas<\/collection><\/params>/)
  })
})

import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { type Express, frameworks, listen, problem } from './fixture.js'

const text = { type: 'string' } as const
const fichas = defineResource({
  collection: 'fichas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'nombre', 'sello'],
    properties: {
      id: { type: 'integer' },
      nombre: text,
      alias: { type: ['string', 'null'] },
      tipo: { type: 'string', default: 'normal' },
      sello: { type: 'string', readOnly: true },
      visto: { type: ['string', 'null'], readOnly: true },
      clave: { type: 'string', writeOnly: true },
      pista: { type: ['string', 'null'], writeOnly: true },
      libre: {},
      datos: {
        type: 'object',
        properties: {
          alta: { type: 'string', readOnly: true },
          nota: text,
          clave: { type: 'string', writeOnly: true },
        },
      },
    },
  },
})

const record = {
  id: 1,
  nombre: 'Ana',
  alias: 'A',
  tipo: 'raro',
  sello: 's',
  visto: 'v',
  clave: 'c',
  pista: 'p',
  libre: { a: 1 },
  datos: { alta: 'hoy', nota: 'n', clave: 'd' },
}

describe.each(frameworks)('VERB-5: merge patches on %s', (_, express: Express) => {
  let service: Awaited<ReturnType<typeof listen>>
  let store: ReturnType<typeof memoryAdapter<typeof record, number>>
  const stored = async () =>
    (await store.read([1], { principal: undefined, requestId: '', scope: {} } as never))[0]?.value
  const patch = async (body: unknown, type = 'application/merge-patch+json') => {
    store = memoryAdapter(fichas as never, { records: [record] }) as never
    service = await listen(express().use(api({ versions: { v1: [mount(fichas, store as never)] }, onError: () => {} })))
    const answer = await service.send('PATCH', '/v1/fichas/1', { 'Content-Type': type }, body)
    await service.close()
    return answer
  }

  it.each([
    [
      'a member sent as null becomes null if it is nullable, and is otherwise removed',
      { alias: null, tipo: null, libre: null },
      { alias: null, tipo: undefined, libre: undefined },
    ],
    [
      'a write-only member sent as null becomes null if it is nullable, and is otherwise removed',
      { clave: null, pista: null },
      { clave: undefined, pista: null },
    ],
    [
      'a nested member sent as null is removed if it is not nullable',
      { datos: { clave: null, nota: null } },
      { datos: { alta: 'hoy' } },
    ],
    ['members that the patch does not contain are kept', { nombre: 'Bea' }, { nombre: 'Bea' }],
    ['unchanged read-only members are accepted', { sello: 's', visto: 'v', datos: { alta: 'hoy' } }, {}],
    ['a member without a type in the schema is merged', { libre: { b: { c: null } } }, { libre: { a: 1, b: {} } }],
    ['a list is replaced as a whole', { libre: [null, { a: null }] }, { libre: [null, { a: null }] }],
  ])('%s', async (_title, body, changed) => {
    for (const type of ['application/merge-patch+json', 'application/json']) {
      expect((await patch(body, type)).status).toBe(200)
      const expected: Record<string, unknown> = { ...record, ...changed }
      for (const name of Object.keys(expected)) if (expected[name] === undefined) delete expected[name]
      expect(await stored()).toStrictEqual(expected)
    }
  })

  it.each<[string, unknown, string[]]>([
    [
      'REP-8: a changed read-only member',
      { sello: 't', visto: null, datos: { alta: 'ayer' } },
      ['/sello', '/visto', '/datos/alta'],
    ],
    ['REP-8: a removed read-only member', { sello: null, datos: { alta: null } }, ['/sello', '/datos/alta']],
    ['VERB-3: a changed key', { id: 2 }, ['/id']],
    ['VERB-3: a removed key', { id: null }, ['/id']],
    ['a removed required member', { nombre: null }, ['/nombre']],
    ['an unknown member, even as null', { nombe: null }, ['/nombe']],
    ['a patch that is a list', [], ['']],
    ['a patch that is null', 'null', ['']],
    ['a patch that is a string', '"x"', ['']],
  ])('ERR-2: %s gets 422', async (_title, body, named) => {
    const answer = await patch(body)
    expect(problem(answer)).toEqual({ status: 422, code: 'invalid-body', named: expect.arrayContaining(named) })
    expect(problem(answer).named).toHaveLength(named.length)
    expect(await stored()).toStrictEqual(record)
  })
})

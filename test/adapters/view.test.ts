import { describe, expect, it } from 'vitest'
import type { Adapter, AdapterCall, ListRequest, Stored } from '../../src/adapters/contract.js'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { postgresAdapter } from '../../src/adapters/postgres/index.js'
import { type AdapterViewOptions, adapterView } from '../../src/adapters/view.js'
import { defineResource } from '../../src/definition/resource.js'
import { mount } from '../../src/plan/mount.js'
import { ConfigurationError } from '../../src/problem.js'

type Row = Record<string, unknown>

/**
 * The store has the newer version of the resource, with cents and a list of codes. The view shows
 * the older version, with a decimal amount and labels in lower case.
 */
const nuevos = defineResource({
  collection: 'envios',
  key: ['cabecera', 'secuencia'],
  schema: {
    type: 'object',
    required: ['cabecera', 'secuencia'],
    properties: {
      cabecera: { type: 'integer' },
      secuencia: { type: 'integer' },
      centavos: { type: ['integer', 'null'] },
      codigos: { type: 'array', items: { type: 'string' } },
      canal: { type: 'string' },
      interno: { type: 'string' },
      inquilino: { type: 'string' },
    },
  },
})
const options: AdapterViewOptions = {
  rename: { numero: 'cabecera', importe: 'centavos', etiquetas: 'codigos', empresa: 'inquilino' },
  toWire: {
    importe: (cents: number | null) => cents && cents / 100,
    etiquetas: (codes?: string[]) => codes?.map((code) => code.toLowerCase()),
  },
  fromWire: {
    importe: (amount: number | null) => (amount === null ? null : amount === 13 ? undefined : Math.round(amount * 100)),
    etiquetas: (labels?: string[]) => labels?.map((label) => label.toUpperCase()),
    empresa: (name: string) => `e-${name}`,
  },
  hides: ['canal', 'interno'],
  defaults: { canal: 'v1', interno: 'x' },
}
const records = [
  { cabecera: 1, secuencia: 1, centavos: 500, codigos: ['A', 'B'], canal: 'web', interno: 'p' },
  { cabecera: 1, secuencia: 2, centavos: 1250, codigos: ['B'], canal: 'app', interno: 'q' },
  { cabecera: 2, secuencia: 1, centavos: null, codigos: [], canal: 'app', interno: 'r' },
]
const under = () => memoryAdapter(nuevos, { records: records as never }) as unknown as Required<Adapter<Row, Row>>
const over = (adapter: object = under(), given = options) =>
  adapterView(adapter as Adapter<unknown, Row>, given) as Required<Adapter<Row, Row>>
const call = (scope: AdapterCall['scope'] = {}): AdapterCall => ({
  principal: 'ana',
  scope,
  requestId: 'r',
  signal: new AbortController().signal,
})
const first = { numero: 1, secuencia: 1 }
/** Returns a method that records one of its arguments and always returns the same result. */
const recording =
  <A, R>(recorded: A[], answer: R, argument = 0) =>
  (...args: unknown[]): R => {
    recorded.push(args[argument] as A)
    return answer
  }
const stored = { cabecera: 1, secuencia: 1 }

const request = (more: Partial<ListRequest> = {}): ListRequest => ({
  where: [],
  sort: [
    { field: 'numero', path: ['numero'], descending: false },
    { field: 'secuencia', path: ['secuencia'], descending: false },
  ],
  page: 1,
  size: 10,
  offset: 0,
  ...more,
})
const listed = async (more: Partial<ListRequest>) =>
  (await over().list(request(more), call())).items.map(({ value }) => `${value.numero}/${value.secuencia}`)

describe('VER-1: reading through a view', () => {
  it('members are renamed and converted, and hidden members are omitted', async () => {
    const [found, none] = await over().read([first, { numero: 9, secuencia: 9 }], call())
    expect(found?.value).toEqual({ numero: 1, secuencia: 1, importe: 5, etiquetas: ['a', 'b'] })
    expect(none).toBeUndefined()
  })

  it('filter conditions are renamed, and their values are converted', async () => {
    const where = (field: string, op: string, value: unknown) => ({
      where: [{ field, path: field.split('.'), op, value } as ListRequest['where'][number]],
    })
    expect(await listed(where('numero', 'eq', 1))).toEqual(['1/1', '1/2'])
    expect(await listed(where('importe', 'eq', 12.5))).toEqual(['1/2'])
    expect(await listed(where('importe', 'gte', 6))).toEqual(['1/2'])
    expect(await listed(where('importe', 'in', [5, 12.5]))).toEqual(['1/1', '1/2'])
    expect(await listed(where('importe', 'null', true))).toEqual(['2/1'])
    expect(await listed(where('etiquetas', 'contains', 'a'))).toEqual(['1/1'])
  })

  it('a filter value that fromWire converts to undefined matches nothing', async () => {
    const where = (op: string, value: unknown) => ({
      where: [{ field: 'importe', path: ['importe'], op, value } as ListRequest['where'][number]],
    })
    expect(await listed(where('eq', 13))).toEqual([])
    expect(await listed(where('in', [13, 5]))).toEqual(['1/1'])
    expect(await listed(where('in', [13]))).toEqual([])
  })

  it('sort terms and filter conditions are renamed, including nested paths', async () => {
    expect(await listed({ sort: [{ field: 'importe', path: ['importe'], descending: true }] })).toEqual([
      '2/1',
      '1/2',
      '1/1',
    ])
    const asked: ListRequest[] = []
    const spy = { list: recording(asked, { items: [], total: 0 }), read: () => [] }
    await over(spy).list(
      request({ where: [{ field: 'importe.neto', path: ['importe', 'neto'], op: 'eq', value: 5 }], search: 'x' }),
      call(),
    )
    expect(asked[0]).toMatchObject({
      search: 'x',
      where: [{ field: 'centavos.neto', path: ['centavos', 'neto'], value: 5 }],
      sort: [{ field: 'cabecera' }, {}],
    })
  })

  it('a page has the total that the store returns', async () => {
    expect(await over().list(request({ size: 1 }), call())).toMatchObject({ total: 3, items: [{ value: first }] })
  })

  it('a stored member is hidden if the view uses its name for another member', async () => {
    const adapter = {
      list: () => ({ items: [] }),
      read: () => [{ value: { nombre: 'viejo', razonSocial: 'nuevo' }, version: '1' }],
    }
    const [found] = await over(adapter, { rename: { nombre: 'razonSocial' } }).read([first], call())
    expect(found?.value).toEqual({ nombre: 'nuevo' })
  })

  it('two members can swap their names', async () => {
    const adapter = { list: () => ({ items: [] }), read: () => [{ value: { a: 1, b: 2 }, version: '1' }] }
    const [found] = await over(adapter, { rename: { a: 'b', b: 'a' } }).read([first], call())
    expect(found?.value).toEqual({ a: 2, b: 1 })
  })
})

describe('VER-1: writing through a view', () => {
  it('a create sets the defaults of members that the view hides', async () => {
    const adapter = under()
    const made = await over(adapter).create({ numero: 3, secuencia: 1, importe: 7.5, etiquetas: ['z'] }, call())
    expect(made).toMatchObject({ created: { value: { numero: 3, secuencia: 1, importe: 7.5, etiquetas: ['z'] } } })
    const [below] = await adapter.read([{ cabecera: 3, secuencia: 1 }], call())
    expect(below?.value).toEqual({
      cabecera: 3,
      secuencia: 1,
      centavos: 750,
      codigos: ['Z'],
      canal: 'v1',
      interno: 'x',
    })
  })

  it('each created record gets its own copy of the defaults', async () => {
    const seen: Row[] = []
    const adapter = { list: () => ({ items: [] }), read: () => [], create: recording(seen, { nothing: true }) }
    const made = over(adapter, { defaults: { lista: [] } })
    await made.create({}, call())
    await made.create({}, call())
    expect(seen[0]?.lista).toEqual([])
    expect(seen[0]?.lista).not.toBe(seen[1]?.lista)
  })

  it('the results "accepted" and "refused" of a create use the member names of the view too', async () => {
    const answering = (answer: unknown) =>
      over({ list: () => ({ items: [] }), read: () => [], create: () => answer }).create({}, call())
    expect(await answering({ accepted: stored })).toEqual({ accepted: first })
    expect(await answering({ nothing: true })).toEqual({ nothing: true })
    expect(await answering({ refused: 'duplicate', members: ['cabecera', 'secuencia'] })).toEqual({
      refused: 'duplicate',
      members: ['numero', 'secuencia'],
    })
    await expect(answering(undefined)).rejects.toThrow('returned undefined from create()')
  })

  it('hidden members survive a replace', async () => {
    const adapter = under()
    const made = await over(adapter).replace(first, { ...first, importe: 1 }, undefined, call())
    expect(made).toMatchObject({ value: { ...first, importe: 1 } })
    const [below] = await adapter.read([stored], call())
    expect(below?.value).toEqual({ ...stored, centavos: 100, canal: 'web', interno: 'p' })
  })

  it('HDR-3: of several writers with the same version, exactly one succeeds', async () => {
    const made = over()
    const [{ version }] = (await made.read([first], call())) as [Stored<Row>]
    const results = await Promise.all(
      [1, 2, 3].map((importe) => made.replace(first, { ...first, importe }, version, call())),
    )
    expect(results.filter((result) => result === 'stale')).toHaveLength(2)
    expect(await made.replace(first, first, 'no version', call())).toBe('stale')
    expect(await made.replace({ numero: 9, secuencia: 9 }, first, undefined, call())).toBe('absent')
  })

  /**
   * A store in which another writer changes the record just before each of the first `times` calls
   * of `replace()`.
   */
  const contended = (times: number, adapter = under()) => {
    let left = times
    return {
      ...adapter,
      list: adapter.list.bind(adapter),
      read: adapter.read.bind(adapter),
      async replace(key: Row, value: Row, expected: string | undefined, given: AdapterCall) {
        if (left > 0) {
          left -= 1
          await adapter.replace(key, { ...stored, canal: `carrera-${left}` }, undefined, given)
        }
        return adapter.replace(key, value, expected, given)
      },
    }
  }

  it('HDR-3: a write without an expected version returns "stale" if it loses a race, and can be retried', async () => {
    const adapter = under()
    const busy = over(contended(1, adapter))
    expect(await busy.replace(first, first, undefined, call())).toBe('stale')
    expect(await busy.replace(first, first, undefined, call())).toMatchObject({ value: first })
    const [below] = await adapter.read([stored], call())
    expect(below?.value).toMatchObject({ canal: 'carrera-0' })
  })

  it('HDR-3: a write with an expected version returns "stale" if it loses a race', async () => {
    const adapter = under()
    const [{ version }] = (await adapter.read([stored], call())) as [Stored<Row>]
    expect(await over(contended(1, adapter)).replace(first, first, version, call())).toBe('stale')
  })

  it('a view without hidden members does not read before a write', async () => {
    const adapter = {
      list: () => ({ items: [] }),
      read: () => Promise.reject(new Error('read')),
      replace: (_: Row, value: Row) => ({ value, version: '2' }),
    }
    const made = over(adapter, {
      fromWire: { a: (value: number) => value * 2 },
      toWire: { a: (value: number) => value / 2 },
    })
    expect(await made.replace(first, { a: 4 }, undefined, call())).toEqual({ value: { a: 4 }, version: '2' })
  })

  it('remove, attach and detach use the key of the store, and their refusals use the names of the view', async () => {
    const keys: Row[] = []
    const refused = { refused: 'reference', members: ['centavos'] }
    const parent = { collection: 'rutas', key: 5, as: 'piezas' }
    const made = over({
      list: () => ({ items: [] }),
      read: () => [],
      remove: recording(keys, refused),
      attach: recording(keys, refused, 1),
      detach: recording(keys, refused, 1),
    })
    const shown = { refused: 'reference', members: ['importe'] }
    expect(await made.remove(first, undefined, call())).toEqual(shown)
    expect(await made.attach(parent, first, undefined, call())).toEqual(shown)
    expect(await made.detach(parent, first, undefined, call())).toEqual(shown)
    expect(keys).toEqual([stored, stored, stored])
  })
})

describe('VER-1: keys', () => {
  it('members of a composite key are renamed, and their values are not converted', async () => {
    const keys: (readonly unknown[])[] = []
    const adapter = { list: () => ({ items: [] }), read: recording(keys, []) }
    const doubled = { rename: { numero: 'cabecera' }, fromWire: { numero: (value: number) => value * 2 } }
    await over(adapter, doubled).read([first, 'simple' as never, 5 as never], call())
    expect(keys).toEqual([[stored, 'simple', 5]])
  })
})

describe('VER-1: the call that a view passes to the store', () => {
  const seen: AdapterCall[] = []
  const spy = { list: recording(seen, { items: [] }, 1), read: () => [] }

  it('the scope is renamed and converted, and the rest of the call is unchanged', async () => {
    /**
     * As in the calls that the router creates, `principal` and `signal` are getters, which a spread
     * of the object would not copy.
     */
    class Lazy implements AdapterCall {
      readonly #principal = 'ana'
      readonly scope = { empresa: 'uno' }
      readonly attachTo = { collection: 'rutas', key: 5, as: 'piezas' }
      readonly requestId = 'r'
      readonly #signal = new AbortController().signal
      get principal() {
        return this.#principal
      }
      get signal() {
        return this.#signal
      }
    }
    const given = new Lazy()
    await over(spy).list(request(), given)
    const [below] = seen.splice(0)
    expect(below?.scope).toEqual({ inquilino: 'e-uno' })
    expect([below?.principal, below?.requestId, below?.attachTo]).toEqual(['ana', 'r', given.attachTo])
    expect(below?.signal).toBe(given.signal)
  })

  it('a call whose scope needs no conversion is passed on as the same object', async () => {
    const given = call({ secuencia: 1 })
    await over(spy).list(request(), given)
    expect(seen.splice(0)[0]).toBe(given)
  })
})

describe('VER-1: the view itself', () => {
  it('a conversion that returns a promise causes an error with the name of the conversion', async () => {
    const late = () => Promise.reject(new Error('late'))
    const shown = over(under(), { ...options, toWire: { importe: late } })
    await expect(shown.read([first], call())).rejects.toThrow(
      'toWire of "importe" in adapterView() returned a promise.',
    )
    const taken = over(under(), { ...options, fromWire: { importe: late } })
    await expect(taken.create({ numero: 9, secuencia: 9, importe: 1 }, call())).rejects.toThrow(
      'fromWire of "importe" in adapterView() returned a promise.',
    )
  })

  it('VERB-9: a view has the same methods as its store', () => {
    const methodsOf = (adapter: object) =>
      Object.entries(adapter).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
    expect(methodsOf(over({ list: () => 0, read: () => 0 }))).toEqual(['list', 'read'])
    expect(methodsOf(over()).toSorted()).toEqual(methodsOf(adapterView(under() as never)).toSorted())
  })

  it('ready() of a view calls ready() of its store', async () => {
    await expect(
      over({ list: () => 0, read: () => 0, ready: () => Promise.reject(new Error('not yet')) }).ready(),
    ).rejects.toThrow('not yet')
  })

  it.each<[string, AdapterViewOptions]>([
    ['two members that map to the same stored member', { rename: { a: 'c', b: 'c' } }],
    ['a member that is both shown and hidden', { rename: { a: 'c' }, hides: ['c'] }],
  ])('adapterView() throws a ConfigurationError for %s', (_, given) => {
    expect(() => over(under(), given)).toThrow(ConfigurationError)
  })

  it('a misspelt option causes a ConfigurationError that suggests the closest name', () => {
    expect(() => adapterView(memoryAdapter(nuevos), { renam: { nombre: 'razonSocial' } } as never)).toThrow(
      /"renam".*"rename"/,
    )
  })
})

describe('names in the options of adapterView()', () => {
  const schema = (members: object) => ({
    type: 'object' as const,
    required: ['id' as const],
    properties: { id: { type: 'integer' as const }, ...members },
  })
  const nullable = { type: ['string', 'null'] as const }
  const clientes = defineResource({
    collection: 'clientes',
    key: 'id',
    schema: schema({ nombre: nullable, email: nullable }),
  })
  const clientesV1 = defineResource({ collection: 'clientes', key: 'id', schema: schema({ name: nullable }) })
  const mounted = (given: AdapterViewOptions, adapter: object = memoryAdapter(clientes)) =>
    mount(clientesV1, adapterView(adapter as never, given) as never)

  it.each<[string, AdapterViewOptions, RegExp]>([
    ['rename', { rename: { name: 'nombree' } }, /"nombree" in "rename".*Did you mean "nombre"/],
    ['hides', { hides: ['emial'] }, /"emial" in "hides".*Did you mean "email"/],
    ['defaults', { defaults: { emial: '' } }, /"emial" in "defaults".*Did you mean "email"/],
  ])('if a name of the store in "%s" is misspelt, adapterView() throws', (_, given, message) => {
    expect(() => adapterView(memoryAdapter(clientes), given)).toThrow(message)
    expect(() => adapterView(memoryAdapter(clientes), given)).toThrow(
      expect.objectContaining({ code: 'unknown-member' }),
    )
  })

  it.each<[string, AdapterViewOptions, RegExp]>([
    ['rename', { rename: { nmae: 'nombre' } }, /"nmae" in "rename".*Did you mean "name"/],
    ['toWire', { toWire: { nmae: String } }, /"nmae" in "toWire".*Did you mean "name"/],
    ['fromWire', { fromWire: { nmae: String } }, /"nmae" in "fromWire".*Did you mean "name"/],
  ])('if a name of the view in "%s" is misspelt, mount() throws', (_, given, message) => {
    expect(() => mounted(given)).toThrow(message)
    expect(() => mounted(given, { list: () => ({ items: [] }), read: () => [] })).toThrow(message)
  })

  it('if a view has another view as its store, the names of the store are those of the other view', () => {
    const view = adapterView(memoryAdapter(clientes), { rename: { name: 'nombre' }, hides: ['email'] })
    expect(() => adapterView(view, { rename: { title: 'name' } })).not.toThrow()
    expect(() => adapterView(view, { rename: { title: 'nombre' } })).toThrow(/"nombre".*It has: id, name\./)
    expect(() => adapterView(view, { hides: ['email'] })).toThrow(/"email" in "hides"/)
  })

  it('an open schema, which allows members that it does not name, accepts all names', () => {
    const open = defineResource({
      collection: 'clientes',
      key: 'id',
      schema: { ...schema({}), additionalProperties: true },
    })
    const view = adapterView(memoryAdapter(open), { rename: { name: 'nombre' }, hides: ['otro'] })
    expect(() => mount(open, view as never)).not.toThrow()
    expect(() => adapterView(view, { hides: ['mas'] })).not.toThrow()
    expect(() => adapterView(view, { hides: ['nombre'] })).toThrow(/"nombre" in "hides"/)
  })

  it('an adapter that has not declared its members accepts all names of the store', () => {
    const own = { list: () => ({ items: [] }), read: () => [] }
    expect(() => mounted({ rename: { name: 'any' }, hides: ['other'], defaults: { third: 1 } }, own)).not.toThrow()
  })

  it('an unbound adapter is refused, because a view cannot bind it to a resource', () => {
    expect(() => adapterView(postgresAdapter({ query: () => undefined } as never, { table: 'c' }) as never)).toThrow(
      /has no resource yet.*"resource"/,
    )
    expect(() => adapterView(undefined as never)).toThrow(/lacks list\(\) or read\(\)/)
  })
})

import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Adapter, Stored } from '../../../src/adapters/contract.js'
import { type MemoryAdapter, memoryAdapter } from '../../../src/adapters/memory/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { ConfigurationError } from '../../../src/problem.js'
import { type Pieza, piezas, rutas } from './pieces.js'
import { call, callOf, listRequest } from './requests.js'

function created<T>(answer: { readonly created: Stored<T> } | object): Stored<T> {
  if (!('created' in answer)) throw new Error(JSON.stringify(answer))
  return answer.created as Stored<T>
}

describe('memoryAdapter', () => {
  it('has the record and key types of the definition, and no members except adapter methods and `stats`', () => {
    const adapter = memoryAdapter(rutas)
    expectTypeOf(adapter).toExtend<
      Omit<
        Required<Adapter<{ zona: string; dia: number }, { readonly zona: string; readonly dia: number }>>,
        'recall' | 'within' | 'computes' | 'readsLinks' | 'cached'
      >
    >()
    expectTypeOf(memoryAdapter(piezas)).toEqualTypeOf<MemoryAdapter<Pieza, number>>()
    expect(Object.keys(adapter).sort()).toEqual([
      'attach',
      'create',
      'detach',
      'list',
      'read',
      'ready',
      'remove',
      'replace',
      'stats',
    ])
  })

  it('throws if records repeat or lack a key, or if the option "unique" names an undeclared member', () => {
    expect(() => memoryAdapter(piezas, { records: [{ numero: 1 }, { numero: 1 }] })).toThrow(ConfigurationError)
    expect(() => memoryAdapter(rutas, { records: [{ zona: 'n' } as { zona: string; dia: number }] })).toThrow(
      /has no value, or a value of the wrong type, in at least one of: zona, dia/,
    )
    expect(() => memoryAdapter(piezas, { unique: [['lotr']] })).toThrow(/Did you mean "lote"/)
  })

  it('compares keys as strings, regardless of their type', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 0 }, { numero: 5 }, { numero: 1e21 }] as Pieza[] })
    const given = [5, '5', 5n, -0, 0, '0', 1e21, '1e+21', '05', '', ' 5', '5.0', null, true, Number.NaN]
    const known = new Set(['0', '5', '1e+21'])
    const found = adapter.read(given as number[], call).map((stored) => stored?.value.numero)
    expect(found).toEqual(given.map((key) => (known.has(String(key)) ? Number(key) + 0 : undefined)))
  })

  it('throws for an unknown option, and for a missing definition', () => {
    expect(() => memoryAdapter(piezas, { record: [] } as never)).toThrow(
      /memoryAdapter\(\) has no option "record"\. Did you mean "records"/,
    )
    for (const definition of [undefined, {}, { records: [] }]) {
      expect(() => memoryAdapter(definition as never)).toThrow(
        /memoryAdapter\(\) got no definition\. Give the result of defineResource\(\)/,
      )
    }
  })

  it('returns records in the order of the requested keys, with undefined for unknown keys', () => {
    const adapter = memoryAdapter(rutas, {
      records: [
        { zona: 'a,b', dia: 1 },
        { zona: 'a', dia: 2 },
      ],
    })
    const found = adapter.read(
      [
        { zona: 'a', dia: 2 },
        { zona: 'a', dia: 9 },
        { zona: 'a,b', dia: 1 },
        { zona: 'a', dia: 2 },
      ],
      call,
    )
    expect(found.map((one) => one?.value)).toEqual([
      { zona: 'a', dia: 2 },
      undefined,
      { zona: 'a,b', dia: 1 },
      { zona: 'a', dia: 2 },
    ])
  })
})

describe('stored values', () => {
  it('are private: later changes of the given value have no effect', () => {
    const adapter = memoryAdapter(piezas)
    const value: Pieza = { numero: 1, destino: { cp: 1 }, etiquetas: ['a'] }
    adapter.create(value, call)
    value.destino = { cp: 2 }
    value.etiquetas?.push('b')
    expect(adapter.read([1], call)[0]?.value).toEqual({ numero: 1, destino: { cp: 1 }, etiquetas: ['a'] })
  })

  it('are deeply frozen, and every read returns the same object', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 1, destino: { cp: 1 }, etiquetas: ['a'] }] })
    const [stored] = adapter.read([1], call)
    expect(() => Object.assign(stored as object, { version: 'x' })).toThrow(TypeError)
    expect(() => Object.assign(stored?.value.destino as object, { cp: 2 })).toThrow(TypeError)
    expect(() => stored?.value.etiquetas?.push('b')).toThrow(TypeError)
    expect(adapter.read([1], call)[0]).toBe(stored)
    expect(adapter.list(listRequest({ sort: 'numero' }), call).items[0]).toBe(stored)
  })

  it('keep an own __proto__ as a member without polluting prototypes', () => {
    const adapter = memoryAdapter(piezas)
    const value = JSON.parse(
      '{"numero":1,"__proto__":{"polluted":true},"destino":{"__proto__":{"polluted":true},"constructor":1}}',
    )
    const stored = created(adapter.create(value, call))
    adapter.replace(1, value, undefined, call)
    expect(JSON.stringify(adapter.read([1], call)[0]?.value)).toBe(JSON.stringify(value))
    expect(Object.getPrototypeOf(stored.value)).toBe(Object.prototype)
    expect((stored.value as { polluted?: unknown }).polluted).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('versions', () => {
  it('HDR-2: are never used twice for one key, even after a delete or by another adapter', () => {
    const seen: string[] = []
    for (let process = 0; process < 2; process++) {
      const adapter = memoryAdapter(piezas)
      for (let round = 0; round < 50; round++) {
        seen.push(created(adapter.create({ numero: 1 }, call)).version)
        const replaced = adapter.replace(1, { numero: 1 }, undefined, call)
        seen.push((replaced as Stored<Pieza>).version)
        adapter.remove(1, undefined, call)
      }
    }
    expect(new Set(seen).size).toBe(200)
    for (const version of seen) expect(version).toMatch(/^[\w-]+$/)
  })
})

describe('create', () => {
  it('REP-8: assigns a missing numeric key from a sequence, and never reuses a number after a delete', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 7 }, {} as Pieza] })
    const next = () => created<Pieza>(adapter.create({ numero: undefined } as unknown as Pieza, call)).value.numero
    expect(next()).toBe(9)
    adapter.remove(9, undefined, call)
    expect(next()).toBe(10)
    adapter.create({ numero: 11 }, call)
    adapter.remove(11, undefined, call)
    expect(next()).toBe(12)
  })

  it('REP-8: a client that sends a huge key does not exhaust the sequence', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 7 }] })
    const next = () => created<Pieza>(adapter.create({} as Pieza, call)).value.numero
    adapter.create({ numero: Number.MAX_SAFE_INTEGER }, call)
    adapter.create({ numero: 9 }, call)
    expect([next(), next(), next()]).toEqual([8, 10, 11])
  })

  it('REP-8: refuses a create if no number is left', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: Number.MAX_SAFE_INTEGER }] })
    expect(adapter.create({} as Pieza, call)).toEqual({ refused: 'rule', members: ['numero'] })
  })

  it('REP-8: assigns a random UUID if a string key is missing', () => {
    const avisos = defineResource({
      collection: 'avisos',
      key: 'id',
      assigned: true,
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    })
    const adapter = memoryAdapter(avisos)
    const ids = [1, 2].map(() => created<{ id: string }>(adapter.create({} as { id: string }, call)).value.id)
    expect(ids[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(2)
    expect(created<{ id: string }>(adapter.create({ id: 'mine' }, call)).value.id).toBe('mine')
  })

  it('PATH-9, REP-8: the last part of a composite key has one sequence for each value of the other parts', () => {
    const componentes = defineResource({
      collection: 'componentes',
      key: ['cabecera', 'secuencia'],
      assigned: ['secuencia'],
      schema: {
        type: 'object',
        required: ['cabecera', 'secuencia'],
        properties: { cabecera: { type: 'string' }, secuencia: { type: 'integer' } },
      },
    })
    type Componente = NonNullable<typeof componentes.types>['record']
    const adapter = memoryAdapter(componentes)
    const next = (cabecera: string) =>
      created<Componente>(adapter.create({ cabecera } as Componente, call)).value.secuencia
    expect([next('a'), next('a'), next('b'), next('a')]).toEqual([1, 2, 1, 3])
    adapter.remove({ cabecera: 'a', secuencia: 3 }, undefined, call)
    expect([next('a'), next('b')]).toEqual([4, 2])
  })

  it('memoryAdapter() throws if it would have to assign a boolean key', () => {
    const raros = defineResource({
      collection: 'raros',
      key: 'si',
      assigned: true,
      schema: { type: 'object', required: ['si'], properties: { si: { type: 'boolean' } } },
    })
    expect(() => memoryAdapter(raros)).toThrow(ConfigurationError)
  })

  it('ERR-2: refuses an existing key, and names its members', () => {
    const adapter = memoryAdapter(rutas, { records: [{ zona: 'a', dia: 1 }] })
    expect(adapter.create({ zona: 'a', dia: 1 }, call)).toEqual({ refused: 'duplicate', members: ['zona', 'dia'] })
  })

  it('refuses a record that lacks a part of its key', () => {
    const adapter = memoryAdapter(rutas)
    expect(adapter.create({ zona: 'a' } as { zona: string; dia: number }, call)).toEqual({
      refused: 'rule',
      members: ['zona', 'dia'],
    })
  })

  it('ERR-2: a create or replace that violates a unique constraint is refused; nulls never conflict', () => {
    const adapter = memoryAdapter(piezas, {
      records: [{ numero: 1, lote: 'a', destino: { cp: 1 } }, { numero: 2 }],
      unique: [['lote', 'destino.cp'], ['peso']],
    })
    const refused = { refused: 'duplicate', members: ['lote', 'destino.cp'] }
    expect(adapter.create({ numero: 3, lote: 'a', destino: { cp: 1 } }, call)).toEqual(refused)
    expect(adapter.create({ numero: 1, lote: 'a', destino: { cp: 1 } }, call)).toMatchObject({ members: ['numero'] })
    expect(adapter.replace(2, { numero: 2, lote: 'a', destino: { cp: 1 } }, undefined, call)).toEqual(refused)
    expect(adapter.read([2], call)[0]?.value).toEqual({ numero: 2 })
    expect(adapter.create({ numero: 3, lote: 'a' }, call)).toHaveProperty('created')
    expect(adapter.create({ numero: 4, lote: 'a', destino: { cp: null } }, call)).toHaveProperty('created')
    expect(adapter.replace(1, { numero: 1, lote: 'a', destino: { cp: 1 } }, undefined, call)).toHaveProperty('version')
    adapter.replace(1, { numero: 1, lote: 'b' }, undefined, call)
    expect(adapter.create({ numero: 5, lote: 'a', destino: { cp: 1 } }, call)).toHaveProperty('created')
    adapter.remove(5, undefined, call)
    expect(adapter.create({ numero: 6, lote: 'a', destino: { cp: 1 } }, call)).toHaveProperty('created')
  })

  it('lets onCreate and onUpdate set members, but not those of the scope; onUpdate cannot change the key', () => {
    const adapter = memoryAdapter(piezas, {
      onCreate: (value) => ({ ...value, lote: `n${value.numero}`, inquilino: 'x' }),
      onUpdate: (value, current) => ({ ...value, numero: 99, inquilino: 'x', peso: (current.peso ?? 0) + 1 }),
    })
    const mine = callOf({ scope: { inquilino: 'T1' } })
    expect(created(adapter.create({} as Pieza, mine)).value).toEqual({ numero: 1, lote: 'n1', inquilino: 'T1' })
    expect(adapter.replace(1, { numero: 1, peso: 70 }, undefined, mine)).toMatchObject({
      value: { numero: 1, inquilino: 'T1', peso: 1 },
    })
    expect(adapter.attach({ collection: 'clientes', key: 5, as: 'piezas' }, 1, undefined, mine)).toBe('attached')
    expect(adapter.read([1], mine)[0]?.value).toMatchObject({ clienteId: 5, peso: 2 })
  })

  it('a replace throws if onUpdate writes the same record through the adapter', () => {
    const adapter: MemoryAdapter<Pieza, number> = memoryAdapter(piezas, {
      records: [{ numero: 1 }],
      onUpdate: (value) => {
        adapter.remove(1, undefined, call)
        return value
      },
    })
    expect(() => adapter.replace(1, { numero: 1 }, undefined, call)).toThrow(/onUpdate/)
  })
})

describe('compare-and-set', () => {
  it('HDR-3: of 1,000 writes with the same version, exactly one succeeds', async () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 1, peso: -1 }] })
    const version = adapter.read([1], call)[0]?.version
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async (_, peso) => {
        await Promise.resolve()
        return adapter.replace(1, { numero: 1, peso }, version, call)
      }),
    )
    const won = answers.filter((answer) => answer !== 'stale')
    expect(won).toHaveLength(1)
    expect(adapter.read([1], call)).toEqual(won)
  })

  it('HDR-3: compares versions only if the caller gives a version; a missing record is "absent", never "stale"', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 1 }] })
    expect(adapter.replace(1, { numero: 1, peso: 1 }, undefined, call)).toMatchObject({ value: { peso: 1 } })
    expect(adapter.replace(1, { numero: 1 }, 'other', call)).toBe('stale')
    expect(adapter.replace(2, { numero: 2 }, 'other', call)).toBe('absent')
    expect(adapter.remove(1, 'other', call)).toBe('stale')
    expect(adapter.remove(2, 'other', call)).toBe('absent')
    expect(adapter.remove(1, adapter.read([1], call)[0]?.version, call)).toBe('removed')
    expect(adapter.remove(1, undefined, call)).toBe('absent')
  })

  it('HDR-2: after a delete and a create with the same key, the version of the deleted record is stale', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 1 }] })
    const before = adapter.read([1], call)[0]?.version
    adapter.remove(1, before, call)
    adapter.create({ numero: 1 }, call)
    expect(adapter.replace(1, { numero: 1 }, before, call)).toBe('stale')
  })

  it('VERB-3: replace keeps the key of the record if the new value contains another key', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 1 }] })
    expect(adapter.replace(1, { numero: 2, peso: 5 }, undefined, call)).toMatchObject({ value: { numero: 1, peso: 5 } })
    expect(adapter.read([2], call)).toEqual([undefined])
  })
})

describe('scope', () => {
  const mine = callOf({ scope: { inquilino: 'T1' } })
  const theirs = callOf({ scope: { inquilino: 'T2' } })
  const shared = () =>
    memoryAdapter(piezas, {
      records: [{ numero: 1, inquilino: 'T1', lote: 'a' }, { numero: 2, inquilino: 'T2', lote: 'a' }, { numero: 3 }],
    })

  it('limits lists and reads, in addition to the filters', () => {
    const adapter = shared()
    const { total, items } = adapter.list(
      listRequest({ sort: 'numero', where: [{ field: 'lote', op: 'eq', value: 'a' }] }),
      mine,
    )
    expect({ total, numbers: items.map(({ value }) => value.numero) }).toEqual({ total: 1, numbers: [1] })
    expect(
      adapter.list(listRequest({ sort: 'numero', where: [{ field: 'inquilino', op: 'eq', value: 'T2' }] }), mine).total,
    ).toBe(0)
    expect(adapter.read([1, 2, 3], mine).map((one) => one?.value.numero)).toEqual([1, undefined, undefined])
  })

  it('hides records outside the scope from every write', () => {
    const adapter = shared()
    const parent = { collection: 'carteras', key: 'k', as: 'piezas' }
    adapter.attach(parent, 2, undefined, theirs)
    expect(adapter.replace(2, { numero: 2 }, undefined, mine)).toBe('absent')
    expect(adapter.remove(2, undefined, mine)).toBe('absent')
    expect(adapter.attach(parent, 2, undefined, mine)).toBe('absent')
    expect(adapter.detach(parent, 2, undefined, mine)).toBe('absent')
    expect(adapter.list(listRequest({ sort: 'numero', parent }), mine).total).toBe(0)
    expect(adapter.list(listRequest({ sort: 'numero', parent }), theirs).total).toBe(1)
  })

  it('is set on created records, and a replace cannot move a record out of it', () => {
    const adapter = shared()
    expect(created(adapter.create({ numero: 4, inquilino: 'T2' }, mine)).value).toEqual({ numero: 4, inquilino: 'T1' })
    expect(adapter.replace(4, { numero: 4, inquilino: 'T2' }, undefined, mine)).toMatchObject({
      value: { inquilino: 'T1' },
    })
    expect(adapter.read([4], theirs)).toEqual([undefined])
  })

  it('a create with the key of a record outside the scope is refused as a duplicate', () => {
    expect(shared().create({ numero: 2 }, mine)).toEqual({ refused: 'duplicate', members: ['numero'] })
  })

  it('attach, detach and a create below a parent cannot put a record outside the scope', () => {
    const adapter = memoryAdapter(piezas, { records: [{ numero: 1, clienteId: 5 }] })
    const client = callOf({ scope: { clienteId: 5 } })
    expect(adapter.attach({ collection: 'clientes', key: 6, as: 'piezas' }, 1, undefined, client)).toEqual({
      refused: 'rule',
      members: ['clienteId'],
    })
    expect(
      adapter.create({ numero: 2 }, { ...client, attachTo: { collection: 'clientes', key: 6, as: 'piezas' } }),
    ).toEqual({
      refused: 'rule',
      members: ['clienteId'],
    })
    expect(adapter.detach({ collection: 'clientes', key: 5, as: 'piezas' }, 1, undefined, client)).toBe('absent')
    expect(adapter.read([1, 2], call).map((one) => one?.value)).toEqual([{ numero: 1, clienteId: 5 }, undefined])
  })
})

describe('REP-4: local date-times from the service', () => {
  const turnos = defineResource({
    collection: 'turnos',
    key: 'dia',
    schema: {
      type: 'object',
      required: ['dia'],
      properties: {
        dia: { type: 'string', format: 'local-date-time' },
        alta: { type: 'string', format: 'local-date-time' },
      },
    },
    filters: { alta: true },
  })
  const full = '2024-01-31T08:30:00.0000000'

  it('are stored with seven fractional digits, in initial records and in results of onCreate and onUpdate', () => {
    const short = '2024-01-31T08:30:00'
    const stamp = <V>(value: V): V => ({ ...value, alta: short })
    const adapter = memoryAdapter(turnos, { records: [{ dia: short, alta: short }], onCreate: stamp, onUpdate: stamp })
    const kept = () =>
      adapter.list(listRequest({ where: [{ field: 'alta', op: 'eq', value: full }], sort: 'dia' }), call).items
    expect(kept().map(({ value }) => value)).toEqual([{ dia: full, alta: full }])
    adapter.create({ dia: '2024-02-01T00:00:00.0000000' }, call)
    adapter.replace(full, { dia: full }, undefined, call)
    expect(kept()).toHaveLength(2)
  })
})

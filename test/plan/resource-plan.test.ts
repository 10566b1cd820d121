import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { checkKey, compileResource, keyOf, onWire } from '../../src/plan/resource-plan.js'

const define = defineResource as unknown as (
  options: unknown,
) => ReturnType<ReturnType<typeof defineResource<Record<string, unknown>>>>
const text = { type: 'string' }

const schema = {
  type: 'object',
  required: ['lote'],
  properties: {
    numero: { type: 'integer' },
    lote: text,
    rutaZona: { type: ['string', 'null'] },
    contratoId: text,
    rutaDia: { type: ['integer', 'null'] },
    alta: { type: 'string', format: 'local-date-time', readOnly: true },
    pin: { type: 'string', writeOnly: true },
    mapa: { type: ['object', 'null'], properties: { href: text } },
    alias: { type: ['string', 'null'] },
    clienteId: text,
  },
}
const options = {
  collection: 'piezas',
  key: 'numero',
  schema,
  parent: { of: 'clientes', by: 'clienteId' },
  links: {
    componentes: { sub: 'componentes' },
    contrato: { to: 'contratos', by: 'contratoId' },
    ruta: { to: 'rutas', by: ['rutaZona', 'rutaDia'] },
    cliente: { to: 'clientes', by: 'clienteId' },
    mapa: { external: true },
  },
}
const plan = compileResource(define(options))
const pointers = (found: readonly { pointer?: string }[]) => found.map(({ pointer }) => pointer)

describe('the fields of a representation', () => {
  it('REP-1: fields are in schema order after the sub-collection links. A link is at its first member', () => {
    expect(plan.fields.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'link componentes',
      'member numero',
      'member lote',
      'link ruta',
      'link contrato',
      'member alta',
      'link mapa',
      'member alias',
      'member clienteId',
      'link cliente',
    ])
  })

  it('REP-1: members that a link replaces are hidden, unless they are part of the key or refer to the parent', () => {
    expect([...plan.hidden]).toEqual([
      ['contratoId', 'contrato'],
      ['rutaZona', 'ruta'],
      ['rutaDia', 'ruta'],
    ])
    expect([...plan.fixed]).toEqual(['numero', 'clienteId'])
  })

  it('REP-8: writeOnly members have no output conversion', () => {
    expect([plan.present.has('pin'), plan.present.has('alta'), plan.presentOther('pin')]).toEqual([
      false,
      true,
      undefined,
    ])
    const open = compileResource(
      define({ ...options, schema: { ...schema, additionalProperties: { type: 'string', writeOnly: true } } }),
    )
    expect([open.open, open.presentOther('otra')]).toEqual([true, undefined])
  })

  it('REP-8: members that only additionalProperties allows are converted by its schema', () => {
    const open = compileResource(
      define({
        ...options,
        schema: { ...schema, additionalProperties: { type: 'string', format: 'local-date-time' } },
      }),
    )
    expect(open.presentOther('otra')?.('2024-01-31T08:30:00')).toBe('2024-01-31T08:30:00.0000000')
    expect([plan.open, plan.presentOther('otra')]).toEqual([false, undefined])
    expect(open.presentOther('lote')).toBeUndefined()
  })

  it('REP-8: an absent member is sent as null only if every record can have the member', () => {
    const union = {
      ...schema,
      anyOf: [{ properties: { a: { type: ['string', 'null'] } } }, { properties: { b: text } }],
    }
    const { fields } = compileResource(define({ ...options, schema: union }))
    const nullable = fields.filter((field) => field.kind === 'member' && field.nullable).map(({ name }) => name)
    expect(nullable).toEqual(['alias'])
  })
})

describe('the violations of a record', () => {
  it('REP-8: a key is optional if the store assigns it. Otherwise it is required, whatever the schema says', () => {
    expect(pointers(plan.validate({ lote: 'x' }))).toEqual(['/numero'])
    const assigned = compileResource(define({ ...options, assigned: true }))
    expect(assigned.validate({ lote: 'x' })).toEqual([])
  })

  it('REP-8: readOnly members are never required, and validateSent() requires no writeOnly members', () => {
    const inner = {
      type: 'object',
      required: ['id', 'pin'],
      properties: { id: { type: 'integer', readOnly: true }, pin: { type: 'string', writeOnly: true } },
    }
    const nested = compileResource(
      define({
        collection: 'cosas',
        key: 'n',
        schema: {
          type: 'object',
          required: ['a', 'pin'],
          properties: { n: { type: 'integer' }, a: inner, pin: inner.properties.pin },
        },
      }),
    )
    expect(pointers(nested.validate({ n: 1, a: {} })).toSorted()).toEqual(['/a/pin', '/pin'])
    expect(nested.validateSent({ n: 1, a: {} })).toEqual([])
  })

  it('REP-7: use the member names that clients see', () => {
    const found = [
      {
        pointer: '/contratoId',
        detail: '"contratoId" is required.',
        code: 'required',
        params: { member: 'contratoId' },
      },
      { pointer: '/rutaDia', detail: '"rutaDia" must be a whole number or null.', code: 'type' },
      { pointer: '/lote', detail: '"lote" is required.', code: 'required' },
      { detail: 'all wrong' },
    ]
    expect(onWire(plan, found)).toEqual([
      { pointer: '/contrato', detail: '"contrato" is required.', code: 'required', params: { member: 'contrato' } },
      { pointer: '/ruta', detail: '"ruta" must be a whole number or null.', code: 'type' },
      found[2],
      found[3],
    ])
  })

  it('REP-8: a default that violates its own schema is a configuration error', () => {
    const withDefault = (member: object) =>
      compileResource(define({ ...options, schema: { ...schema, properties: { ...schema.properties, tipo: member } } }))
    expect(() => withDefault({ type: 'boolean', default: 'yes' })).toThrow(
      /default of "tipo".*must be true or false.*invalid-schema/,
    )
    expect(() => withDefault({ type: 'array', items: { type: 'integer' }, default: [1, 'x'] })).toThrow(
      /default of "tipo"/,
    )
    expect(() => withDefault({ type: ['string', 'null'], default: null })).not.toThrow()
    expect(() =>
      withDefault({ type: 'string', format: 'local-date-time', default: '2024-01-01T00:00:00' }),
    ).not.toThrow()
  })

  it('REP-7: a refused link is reported once, and the members that it leaves unset are not reported as missing', () => {
    const link = { pointer: '/contrato', detail: 'It leads nowhere.', code: 'link' }
    const required = { pointer: '/contratoId', detail: '"contratoId" is required.', code: 'required' }
    const other = { pointer: '/rutaDia', detail: '"rutaDia" is required.', code: 'required' }
    expect(onWire(plan, [link, required, other]).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/contrato', 'link'],
      ['/ruta', 'required'],
    ])
  })

  it('REP-8: allowed names and suggestions are names that clients see', () => {
    const [stray] = onWire(plan, plan.validate({ numero: 1, lote: 'x', contrat: 1 }))
    expect(stray).toMatchObject({
      pointer: '/contrat',
      suggestion: 'contrato',
      detail: '"contrat" is not a member here. Did you mean "contrato"?',
    })
    expect(stray?.allowed).toEqual(plan.fields.map(({ name }) => name))
    const sent = {
      pointer: '/contratoId',
      detail: '"contratoId" is not a member here.',
      code: 'unknown',
      suggestion: 'contrato',
    }
    expect(onWire(plan, [sent])).toEqual([sent])
  })
})

describe('keys', () => {
  const codec = (key: unknown) =>
    compileResource(
      define({
        collection: 'cosas',
        key,
        schema: { type: 'object', properties: { 'a/b': text, n: { type: 'integer' } } },
      }),
    )

  it.each(['', '.', '..', '\ud800'])('PATH-11: %j cannot be a simple key', (value) => {
    expect(checkKey(codec('a/b'), { 'a/b': value })).toMatchObject([
      { pointer: '/a~1b', code: 'unaddressable', clause: 'PATH-11' },
    ])
  })

  it('PATH-9: a part of a composite key may be empty or consist of dots, but must not contain a lone surrogate', () => {
    for (const value of ['', '.', '..', 'a,b=c'])
      expect(checkKey(codec(['a/b', 'n']), { 'a/b': value, n: 1 })).toEqual([])
    expect(checkKey(codec(['a/b', 'n']), { 'a/b': '\udc00', n: 1 })).toHaveLength(1)
  })

  it('a stored record without its key is an error of the service', () => {
    expect(keyOf(plan, { numero: 5 })).toBe(5)
    expect(() => keyOf(plan, { numero: '5' })).toThrow(
      'The adapter of "piezas" returned a record without its key (numero).',
    )
    expect(() => keyOf(plan, null)).toThrow('without its key')
  })
})

describe('the digest of a resource', () => {
  it('HDR-2: changes with the schema and the links, but not with the filters', () => {
    const digest = (more: object) => compileResource(define({ ...options, ...more })).digest
    const others = [
      digest({}),
      digest({ schema: { ...schema, properties: { ...schema.properties, otra: text } } }),
      digest({ links: { ...options.links, contrato: { to: 'contratos', by: 'contratoId', show: ['activo'] } } }),
      digest({ links: { ...options.links, contrato: { to: 'otros', by: 'contratoId' } } }),
    ]
    expect(new Set(others).size).toBe(4)
    expect(digest({ filters: { lote: true } })).toBe(others[0])
  })
})

import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { ConfigurationError } from '../../src/problem.js'

/** `defineResource` without its types, as JavaScript callers use it. */
const define = defineResource as unknown as (
  options: unknown,
) => ReturnType<ReturnType<typeof defineResource<Record<string, unknown>>>>

const contratos = define({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    properties: {
      codigo: { type: 'string' },
      esUrgente: { type: 'boolean' },
      clave: { type: 'string', writeOnly: true },
      href: { type: 'string' },
    },
  },
})

const schema = {
  type: 'object',
  required: ['numero'],
  properties: {
    numero: { type: 'integer' },
    lote: { type: 'string' },
    contratoId: { type: 'string' },
    contrato: { type: 'string' },
    urgente: { type: 'boolean' },
    cp: { type: 'object', properties: { codigo: { type: 'integer' }, pin: { type: 'string', writeOnly: true } } },
    secreto: { type: 'object', writeOnly: true, properties: { pin: { type: 'string' }, activo: { type: 'boolean' } } },
    oculto: { type: 'boolean', writeOnly: true },
    etiquetas: { type: 'array', items: { type: 'string' } },
    bultos: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
    mapa: { type: ['object', 'null'], properties: { href: { type: 'string' } } },
    clave: { type: ['string', 'null'] },
  },
}
const pin = { type: 'string', writeOnly: true }
const base = { collection: 'piezas', key: 'numero', schema }
const piezas = (more: object) => define({ ...base, ...more })

/** The code and message of the configuration error that a declaration throws. */
function fault(options: unknown): { code: string; message: string } {
  try {
    define(options)
  } catch (error) {
    if (error instanceof ConfigurationError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('It was accepted.')
}

describe('a valid declaration', () => {
  it('is completed with defaults', () => {
    const made = piezas({
      filters: { lote: true, desde: { field: 'cp.codigo', op: 'gte' } },
      links: { contratos: { to: contratos, by: 'contratoId' } },
    })
    expect(made.filters.get('lote')).toEqual({ name: 'lote', field: 'lote', path: ['lote'], op: 'eq', many: false })
    expect(made.filters.get('desde')).toEqual({
      name: 'desde',
      field: 'cp.codigo',
      path: ['cp', 'codigo'],
      op: 'gte',
      many: false,
    })
    expect(made.links.get('contratos')).toEqual({
      kind: 'to',
      name: 'contratos',
      to: contratos,
      by: ['contratoId'],
      show: [],
      expand: true,
    })
    expect(made.key.members).toEqual(['numero'])
    expect([made.assigned.size, made.sort, made.search, made.parent, made.attachedTo, made.flags.size]).toEqual([
      0,
      [],
      undefined,
      undefined,
      [],
      0,
    ])
  })

  it('PATH-9: a key that is given as a list is composite, even with one member', () => {
    expect([piezas({ key: ['numero'] }).key.composite, piezas({}).key.composite]).toEqual([true, false])
    expect([...piezas({ key: ['numero', 'lote'], assigned: true }).assigned]).toEqual(['numero', 'lote'])
    expect([...piezas({ key: ['numero', 'lote'], assigned: ['lote'] }).assigned]).toEqual(['lote'])
  })

  it('QUERY-1: a filter named like a link is accepted if its option "field" names the foreign key', () => {
    const made = piezas({
      links: { contratos: { to: contratos, by: 'contratoId' } },
      filters: { contratos: { field: 'contratoId' } },
    })
    expect(made.filters.get('contratos')?.path).toEqual(['contratoId'])
  })

  it('REP-1: a link may have the name of its own "by" member, and then replaces that member', () => {
    expect(piezas({ links: { contrato: { to: contratos, by: 'contrato' } } }).links.get('contrato')).toMatchObject({
      by: ['contrato'],
    })
  })

  it('PATH-7: "as" sets the path segment of an association; the default is the name of the declared collection', () => {
    const made = piezas({
      attachedTo: [
        { of: 'rutas', by: 'clave' },
        { of: contratos, as: 'envios' },
      ],
    })
    expect(made.attachedTo).toEqual([
      { of: 'rutas', by: ['clave'], as: 'piezas' },
      { of: contratos, by: undefined, as: 'envios' },
    ])
  })

  it('is frozen, and later changes to the options have no effect', () => {
    const mine = structuredClone(schema)
    const sort = ['lote']
    const made = define({
      ...base,
      schema: mine,
      sort,
      page: { size: 5 },
      attachedTo: [{ of: contratos }],
      parent: { of: contratos, by: 'contratoId' },
    })
    mine.properties.lote.type = 'integer'
    sort.push('nada')
    expect(made.shape.at(['lote'])?.types).toEqual(new Set(['string']))
    expect(made.sort).toEqual(['lote'])
    const parts = [
      made,
      made.schema,
      made.schema.properties,
      made.sort,
      made.page,
      made.attachedTo,
      made.attachedTo[0],
      made.parent,
      made.key,
    ]
    expect(parts.map(Object.isFrozen)).toEqual(parts.map(() => true))
    expect(Object.isFrozen(piezas({ filters: { lote: true } }).filters.get('lote'))).toBe(true)
  })

  it('can have a schema without literal types, such as imported JSON, if the record type is given', () => {
    const make = defineResource<{ numero: number }>()
    expect(make({ collection: 'piezas', key: 'numero', schema }).collection).toBe('piezas')
  })
})

describe('an invalid declaration', () => {
  it.each<[string, unknown, string]>([
    ['a singular collection name', { ...base, collection: 'pieza' }, 'name-not-plural'],
    ['a verb in the collection name', { ...base, collection: 'crear-piezas' }, 'name-is-verb'],
    ['a format in the collection name', { ...base, collection: 'piezas.pdf' }, 'name-has-format'],
    ['a slash in the collection name', { ...base, collection: 'piezas/rotas' }, 'name-malformed'],
    [
      'an exception in "allow" without a reason',
      { ...base, collection: 'pieza', allow: { pieza: '' } },
      'invalid-option',
    ],
    ['a verb as the name of a flag', { ...base, flags: { activar: 'urgente' } }, 'name-is-verb'],
    [
      'an association whose "as" is singular',
      { ...base, attachedTo: [{ of: contratos, as: 'pieza' }] },
      'name-not-plural',
    ],
    ['an unknown key', { ...base, key: 'nummero' }, 'unknown-member'],
    ['a filter of an unknown member', { ...base, filters: { lotte: true } }, 'unknown-member'],
    ['an unknown field of a filter', { ...base, filters: { desde: { field: 'cp.codgo' } } }, 'unknown-member'],
    ['an unknown member to sort by', { ...base, sort: ['lotte'] }, 'unknown-member'],
    ['an unknown member to search in', { ...base, search: ['lotte'] }, 'unknown-member'],
    [
      'an unknown member in the "by" of a link',
      { ...base, links: { a: { to: contratos, by: 'contratId' } } },
      'unknown-member',
    ],
    [
      'an unknown member in the "show" of a link',
      { ...base, links: { a: { to: contratos, by: 'contratoId', show: ['esUrgent'] } } },
      'unknown-member',
    ],
    ['an external link of an unknown member', { ...base, links: { mappa: { external: true } } }, 'unknown-member'],
    ['a flag of an unknown member', { ...base, flags: { urgente: 'urgent' } }, 'unknown-member'],
    [
      'an unknown member in the "by" of the parent',
      { ...base, parent: { of: contratos, by: 'contratId' } },
      'unknown-member',
    ],
    [
      'an unknown member in the "by" of an association',
      { ...base, attachedTo: [{ of: contratos, by: 'contratId' }] },
      'unknown-member',
    ],
    [
      'an association whose "by" names a member of the key',
      { ...base, attachedTo: [{ of: contratos, by: 'numero' }] },
      'unsuitable-member',
    ],
    ['an unknown member in "required"', { ...base, schema: { ...schema, required: ['lotte'] } }, 'unknown-member'],
    ['a nested key', { ...base, key: 'cp.codigo' }, 'unknown-member'],
    ['the inherited member "constructor" in "sort"', { ...base, sort: ['constructor'] }, 'unknown-member'],
    ['a key that is an object', { ...base, key: 'cp' }, 'unsuitable-member'],
    ['a key that is an array', { ...base, key: 'etiquetas' }, 'unsuitable-member'],
    ['a nullable key', { ...base, key: 'clave' }, 'unsuitable-member'],
    ['an assigned member that is not part of the key', { ...base, assigned: ['lote'] }, 'unsuitable-member'],
    ['a sort member that is an object', { ...base, sort: ['cp'] }, 'unsuitable-member'],
    ['a filter that compares an array', { ...base, filters: { etiquetas: true } }, 'unsuitable-member'],
    ['a filter that compares an object', { ...base, filters: { cp: true } }, 'unsuitable-member'],
    [
      'the op "contains" on a member other than an array',
      { ...base, filters: { lote: { op: 'contains' } } },
      'unsuitable-member',
    ],
    [
      'the op "contains" on an array of objects',
      { ...base, filters: { bultos: { op: 'contains' } } },
      'unsuitable-member',
    ],
    ['a flag on a member other than a boolean', { ...base, flags: { urgente: 'lote' } }, 'unsuitable-member'],
    ['an object in the "by" of a link', { ...base, links: { a: { to: contratos, by: 'cp' } } }, 'unsuitable-member'],
    [
      'an external link on a member that is not an object',
      { ...base, links: { lote: { external: true } } },
      'unsuitable-member',
    ],
    [
      'a link with the name of a member',
      { ...base, links: { lote: { to: contratos, by: 'contratoId' } } },
      'unsuitable-member',
    ],
    [
      'a link with the name of the key',
      { ...base, links: { numero: { to: contratos, by: 'numero' } } },
      'unsuitable-member',
    ],
    ['a sub-collection with the name of a member', { ...base, links: { lote: { sub: 'lotes' } } }, 'unsuitable-member'],
    [
      '"href" in the "show" of a link',
      { ...base, links: { a: { to: contratos, by: 'contratoId', show: ['href'] } } },
      'unsuitable-member',
    ],
    ['a writeOnly key', { ...base, key: 'oculto' }, 'exposes-write-only'],
    ['a filter of a writeOnly member', { ...base, filters: { oculto: true } }, 'exposes-write-only'],
    [
      'a filter that asks whether a writeOnly member is null',
      { ...base, filters: { oculto: { op: 'null' } } },
      'exposes-write-only',
    ],
    ['a filter of a nested writeOnly member', { ...base, filters: { 'cp.pin': true } }, 'exposes-write-only'],
    ['a filter within a writeOnly member', { ...base, filters: { 'secreto.pin': true } }, 'exposes-write-only'],
    ['a writeOnly member to sort by', { ...base, sort: ['secreto.pin'] }, 'exposes-write-only'],
    ['a writeOnly member to search in', { ...base, search: ['secreto.pin'] }, 'exposes-write-only'],
    ['an object with a writeOnly member to search in', { ...base, search: ['cp'] }, 'exposes-write-only'],
    [
      'a list of objects with a writeOnly member to search in',
      {
        ...base,
        schema: {
          ...schema,
          properties: { ...schema.properties, hojas: { type: 'array', items: { properties: { pin } } } },
        },
        search: ['hojas'],
      },
      'exposes-write-only',
    ],
    [
      'a list with a writeOnly item to search in',
      {
        ...base,
        schema: { ...schema, properties: { ...schema.properties, hojas: { type: 'array', prefixItems: [{}, pin] } } },
        search: ['hojas'],
      },
      'exposes-write-only',
    ],
    [
      'a map with writeOnly values to search in',
      {
        ...base,
        schema: {
          ...schema,
          properties: { ...schema.properties, mapa: { type: 'object', additionalProperties: pin } },
        },
        search: ['mapa'],
      },
      'exposes-write-only',
    ],
    ['a flag of a writeOnly member', { ...base, flags: { oculto: 'oculto' } }, 'exposes-write-only'],
    [
      'a writeOnly member in the "by" of a link',
      { ...base, links: { a: { to: contratos, by: 'oculto' } } },
      'exposes-write-only',
    ],
    [
      'a writeOnly member in the "show" of a link',
      { ...base, links: { a: { to: contratos, by: 'contratoId', show: ['clave'] } } },
      'exposes-write-only',
    ],
    ['a filter named like a parameter', { ...base, filters: { offest: { field: 'lote' } } }, 'reserved-parameter'],
    [
      'a filter named like the cursor parameter',
      { ...base, filters: { after: { field: 'lote' } } },
      'reserved-parameter',
    ],
    ['a schema of type string', { ...base, schema: { type: 'string' } }, 'invalid-schema'],
    ['a reference without a target', { ...base, schema: { ...schema, $ref: '#/$defs/nada' } }, 'invalid-schema'],
    [
      'a member named __proto__',
      { ...base, schema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') },
      'invalid-schema',
    ],
    [
      'the option "many" of a filter with the op "gt"',
      { ...base, filters: { lote: { op: 'gt', many: true } } },
      'invalid-option',
    ],
    ['a page size above the maximum', { ...base, page: { size: 50, max: 10 } }, 'invalid-option'],
    ['a page size of 0', { ...base, page: { size: 0 } }, 'invalid-option'],
    ['a fractional page size', { ...base, page: { max: 2.5 } }, 'invalid-option'],
    ['a first page other than 0 and 1', { ...base, page: { first: 2 } }, 'invalid-option'],
    ['a duplicate key member', { ...base, key: ['numero', 'numero'] }, 'invalid-option'],
    ['an empty key', { ...base, key: [] }, 'invalid-option'],
  ])('%s is a configuration error', (_, options, code) => {
    expect(fault(options).code).toBe(code)
  })

  const cyclic: Record<string, unknown> = { type: 'object' }
  cyclic.properties = { a: cyclic }

  it.each<[string, unknown, string]>([
    ['null', null, 'invalid-option'],
    ['a string', 'piezas', 'invalid-option'],
    ['an empty object', {}, 'invalid-option'],
    ['a number for the collection', { ...base, collection: 5 }, 'invalid-option'],
    ['an empty collection', { ...base, collection: '' }, 'name-malformed'],
    ['no schema', { ...base, schema: undefined }, 'invalid-schema'],
    ['a string for the schema', { ...base, schema: 'x' }, 'invalid-schema'],
    ['a schema that contains itself', { ...base, schema: cyclic }, 'invalid-schema'],
    ['a schema with a function', { ...base, schema: { ...schema, format: () => true } }, 'invalid-schema'],
    ['a schema with a Date', { ...base, schema: { ...schema, default: new Date(0) } }, 'invalid-schema'],
    ['a schema with a RegExp', { ...base, schema: { ...schema, pattern: /a/ } }, 'invalid-schema'],
    ['no key', { ...base, key: undefined }, 'invalid-option'],
    ['a number for the key', { ...base, key: 5 }, 'invalid-option'],
    ['a number in the key', { ...base, key: ['numero', 5] }, 'invalid-option'],
    ['a string for "sort"', { ...base, sort: 'lote' }, 'invalid-option'],
    ['a number in "sort"', { ...base, sort: [5] }, 'invalid-option'],
    ['false for "search"', { ...base, search: false }, 'invalid-option'],
    ['a list for "filters"', { ...base, filters: ['lote'] }, 'invalid-option'],
    ['false for a filter', { ...base, filters: { lote: false } }, 'invalid-option'],
    ['null for a filter', { ...base, filters: { lote: null } }, 'invalid-option'],
    ['an unknown "op" of a filter', { ...base, filters: { lote: { op: 'like' } } }, 'invalid-option'],
    ['a number for the "field" of a filter', { ...base, filters: { lote: { field: 5 } } }, 'invalid-option'],
    ['a list for "links"', { ...base, links: [] }, 'invalid-option'],
    ['null for a link', { ...base, links: { a: null } }, 'invalid-option'],
    ['a link without "by"', { ...base, links: { a: { to: contratos } } }, 'invalid-option'],
    [
      'a link to undefined, as with circular imports',
      { ...base, links: { a: { to: undefined, by: 'contratoId' } } },
      'unresolved-link',
    ],
    [
      'undefined in the "of" of the parent',
      { ...base, parent: { of: undefined, by: 'contratoId' } },
      'unresolved-link',
    ],
    ['an association without "of"', { ...base, attachedTo: [{}] }, 'unresolved-link'],
    ['associations that are not a list', { ...base, attachedTo: { of: contratos } }, 'invalid-option'],
    ['a list for "flags"', { ...base, flags: ['urgente'] }, 'invalid-option'],
    ['true for a flag', { ...base, flags: { urgente: true } }, 'invalid-option'],
    ['a string for "rules"', { ...base, rules: 'x' }, 'invalid-option'],
    ['an object for "scope"', { ...base, scope: {} }, 'invalid-option'],
    ['a number for "page"', { ...base, page: 5 }, 'invalid-option'],
    ['a number for "cacheControl"', { ...base, cacheControl: 60 }, 'invalid-option'],
    ['a list for "allow"', { ...base, allow: [] }, 'invalid-option'],
  ])('a JavaScript caller who gives %s gets a configuration error', (_, options, code) => {
    expect(fault(options).code).toBe(code)
  })

  it.each([
    [{ ...base, filter: {} }, 'Did you mean "filters"?'],
    [{ ...base, filters: { lote: { feild: 'lote' } } }, 'Did you mean "field"?'],
    [{ ...base, links: { a: { to: contratos, by: 'contratoId', shows: [] } } }, 'Did you mean "show"?'],
    [{ ...base, page: { sise: 5 } }, 'Did you mean "size"?'],
    [
      { ...base, sort: ['lotte'] },
      '"piezas" names "lotte" in "sort", but its schema has no such member. Did you mean "lote"?',
    ],
    [{ ...base, sort: ['cp.codgo'] }, 'Did you mean "cp.codigo"?'],
    [{ ...base, sort: ['x'] }, 'It has: numero, lote,'],
    [
      { ...base, links: { a: { to: contratos, by: 'contratoId', show: ['esUrgent'] } } },
      'but "contratos" has no such member. Did you mean "esUrgente"?',
    ],
    [
      { ...base, links: { a: { to: undefined, by: 'contratoId' } } },
      'the name of a collection if two definitions refer to each other',
    ],
    [{ ...base, filters: { limit: { field: 'lote' } } }, "{ other: { field: 'lote' } }"],
    [{ ...base, filters: { etiquetas: true } }, "Set op: 'contains'"],
    [{ ...base, sort: ['cp'] }, 'but only strings, numbers and booleans can be compared. Name a member inside it.'],
    [{ ...base, sort: ['etiquetas'] }, 'can be compared. Name another member.'],
    [{ ...base, sort: ['bultos'] }, 'can be compared. Name another member.'],
    [{ ...base, links: { a: { to: contratos, by: 'cp' } } }, 'booleans can be part of a key. Name another member.'],
    [{ ...base, parent: { of: contratos, by: 'etiquetas' } }, 'booleans can be part of a key. Name another member.'],
    [{ ...base, attachedTo: [{ of: contratos, by: 'cp' }] }, 'booleans can be part of a key. Name another member.'],
  ])('the message for an invalid declaration contains the fix $1', (options, fix) => {
    expect(fault(options).message).toContain(fix)
  })
})

import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { collectionPath, itemPath, lineageOf } from '../../src/plan/addresses.js'
import { endpoint } from '../../src/plan/endpoint.js'
import { type AnyAdapter, type Mount, mount } from '../../src/plan/mount.js'
import type { Mounted, RouteTable } from '../../src/plan/routes.js'
import { ConfigurationError } from '../../src/problem.js'
import { routeTable } from '../../src/router/route-table.js'

const define = defineResource as unknown as (
  options: unknown,
) => ReturnType<ReturnType<typeof defineResource<Record<string, unknown>>>>
const never = () => {
  throw new Error('An adapter was called, but the route table must not call adapters.')
}
const reads = { list: never, read: never }
const all = { ...reads, create: never, replace: never, remove: never, attach: never, detach: never }

/** A resource whose members have the types in `members`. */
const resource = (collection: string, key: string | string[], members: Record<string, string>, more: object = {}) =>
  define({
    collection,
    key,
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(members).map(([name, type]) => [name, { type }])),
    },
    ...more,
  })
const on = (definition: ReturnType<typeof define>, adapter: object = all, options: object = {}): Mount =>
  mount(definition, adapter as AnyAdapter as never, options)

const clientes = resource('clientes', 'id', { id: 'integer' })
const contratos = resource(
  'contratos',
  'codigo',
  { codigo: 'string', clienteId: 'integer', activo: 'boolean' },
  { attachedTo: [{ of: clientes, by: 'clienteId' }], flags: { activo: 'activo' } },
)
const piezas = resource(
  'piezas',
  'numero',
  { numero: 'integer', contratoId: 'string' },
  {
    links: { contrato: { to: contratos, by: 'contratoId' }, componentes: { sub: 'componentes' } },
  },
)
const componentes = resource(
  'componentes',
  ['numeroDeCabecera', 'secuencia'],
  { numeroDeCabecera: 'integer', secuencia: 'integer' },
  {
    parent: { of: piezas, by: 'numeroDeCabecera' },
  },
)
const search = endpoint('search', { description: 'Looks for a text.', methods: { GET: { handle: never } } })

const table = routeTable([on(componentes), on(piezas), search, on(contratos), on(clientes)])
const at = (routes: RouteTable, path: string) => {
  const found = routes.match(path.split('/').slice(1))
  return found && [found.route.kind, ...found.keys]
}
const resourceOf = (routes: RouteTable, collection: string) =>
  routes.resources.find(({ plan }) => plan.collection === collection) as Mounted

function fault(build: () => unknown): { code: string; message: string } {
  try {
    build()
  } catch (error) {
    if (error instanceof ConfigurationError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('The configuration was accepted, but must be refused.')
}

describe('matching', () => {
  it.each([
    ['/piezas', ['collection']],
    ['/piezas/3', ['item', 3]],
    ['/piezas/3/componentes', ['collection', 3]],
    ['/piezas/3/componentes/numeroDeCabecera=3,secuencia=1', ['item', 3, { numeroDeCabecera: 3, secuencia: 1 }]],
    ['/contratos/C-1', ['item', 'C-1']],
    ['/contratos/C-1.json', ['item', 'C-1.json']],
    ['/contratos/activo', ['item', 'activo']],
    ['/contratos/C-1/activo', ['flag', 'C-1']],
    ['/clientes/7/contratos', ['members', 7]],
    ['/clientes/7/contratos/C-1', ['member', 7, 'C-1']],
    ['/search', ['endpoint']],
  ])('PATH-1: %s is found', (path, expected) => {
    expect(at(table, path)).toEqual(expected)
  })

  it.each([
    '/',
    '//',
    '/Piezas',
    '/pieza',
    '/__proto__',
    '/constructor',
    '/piezas/',
    '/piezas/03',
    '/piezas/+3',
    '/piezas/3.0',
    '/piezas/x',
    '/piezas//componentes',
    '/piezas/3/',
    '/piezas/3/nada',
    '/piezas/3/__proto__',
    '/piezas/3/componentes/3,1',
    '/piezas/3/componentes/secuencia=1,numeroDeCabecera=3',
    '/piezas/3/componentes/numeroDeCabecera=3,secuencia=1/mas',
    '/componentes',
    '/componentes/numeroDeCabecera=3,secuencia=1',
    '/contratos/',
    '/contratos/.',
    '/contratos/..',
    '/contratos/C-1/activo/mas',
    '/clientes/7/contratos/',
    '/clientes/7/contratos/C-1/activo',
    '/search/mas',
  ])('PATH-11: %s is not found', (path) => {
    expect(at(table, path)).toBeUndefined()
  })

  it('PATH-1: an area adds one segment to the path', () => {
    const routes = routeTable([
      on(clientes, all, { area: 'ui' }),
      on(contratos),
      endpoint('search', { description: 'x', area: 'tax', methods: { GET: { handle: never } } }),
    ])
    expect(
      ['/ui/clientes', '/ui/clientes/7', '/ui/clientes/7/contratos', '/contratos', '/tax/search'].map(
        (path) => at(routes, path)?.[0],
      ),
    ).toEqual(['collection', 'item', 'members', 'collection', 'endpoint'])
    expect(
      ['/clientes', '/ui', '/ui/contratos', '/ui/ui/clientes', '/tax', '/search'].map((path) => at(routes, path)),
    ).toEqual(Array(6).fill(undefined))
    expect(itemPath(resourceOf(routes, 'clientes'), [7])).toBe('/ui/clientes/7')
  })

  it('PATH-5: a path of three levels is found, and a longer path is not', () => {
    const notas = resource(
      'notas',
      'id',
      { id: 'integer', cabecera: 'integer', secuencia: 'integer' },
      { parent: { of: 'componentes', by: ['cabecera', 'secuencia'] } },
    )
    const routes = routeTable([on(notas), on(componentes), on(piezas), on(contratos)])
    const path = '/piezas/3/componentes/numeroDeCabecera=3,secuencia=1/notas'
    const component = { numeroDeCabecera: 3, secuencia: 1 }
    expect(at(routes, path)).toEqual(['collection', 3, component])
    expect(at(routes, `${path}/9`)).toEqual(['item', 3, component, 9])
    expect(at(routes, `${path}/9/x`)).toBeUndefined()
    expect(itemPath(resourceOf(routes, 'notas'), [3, component, 9])).toBe(`${path}/9`)
    expect(resourceOf(routes, 'notas').item.template).toBe(
      '/piezas/{numero}/componentes/{numeroDeCabecera+secuencia}/notas/{id}',
    )
    expect(at(routes, '/x'.repeat(10_000))).toBeUndefined()
  })

  it('REP-1: if a path is built from keys, matching the path returns the same keys', () => {
    const component = { numeroDeCabecera: 3, secuencia: 1 }
    const mounted = resourceOf(table, 'componentes')
    expect(collectionPath(mounted, [3])).toBe('/piezas/3/componentes')
    expect(at(table, itemPath(mounted, [3, component]))).toEqual(['item', 3, component])
    expect(itemPath(resourceOf(table, 'contratos'), ['a/b c'])).toBe('/contratos/a%2Fb%20c')
  })
})

describe('methods', () => {
  const allow = (path: string, routes = table) => routes.match(path.split('/').slice(1))?.route.allow

  it('VERB-9: Allow lists exactly the offered methods', () => {
    expect(allow('/piezas')).toBe('GET, HEAD, POST, OPTIONS')
    expect(allow('/piezas/3')).toBe('GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
    expect(allow('/contratos/C/activo')).toBe('GET, HEAD, PUT, DELETE, OPTIONS')
    expect(allow('/clientes/7/contratos')).toBe('GET, HEAD, POST, OPTIONS')
    expect(allow('/clientes/7/contratos/C')).toBe('GET, HEAD, PUT, DELETE, OPTIONS')
    expect(allow('/search')).toBe('GET, HEAD, OPTIONS')
  })

  it('VERB-9: with a read-only adapter, the paths of a resource offer only GET, HEAD and OPTIONS', () => {
    const routes = routeTable([on(clientes), on(contratos, reads)])
    const paths = [
      '/contratos',
      '/contratos/C',
      '/contratos/C/activo',
      '/clientes/7/contratos',
      '/clientes/7/contratos/C',
    ]
    expect(paths.map((path) => allow(path, routes))).toEqual(Array(5).fill('GET, HEAD, OPTIONS'))
  })

  it('PATH-7: if the adapter has no attach(), the collection below a parent does not offer POST', () => {
    const routes = routeTable([on(clientes), on(contratos, { ...reads, create: never, detach: never })])
    expect(allow('/clientes/7/contratos', routes)).toBe('GET, HEAD, OPTIONS')
    expect(allow('/clientes/7/contratos/C', routes)).toBe('GET, HEAD, DELETE, OPTIONS')
  })

  it('VERB-11: methods can be restricted, even to none', () => {
    const routes = routeTable([
      on(clientes, all, { collection: ['POST'], item: ['GET', 'DELETE'] }),
      on(contratos, reads, { collection: ['POST'], item: [] }),
    ])
    expect(['/clientes', '/clientes/7', '/contratos', '/contratos/C'].map((path) => allow(path, routes))).toEqual([
      'POST, OPTIONS',
      'GET, HEAD, DELETE, OPTIONS',
      'OPTIONS',
      'OPTIONS',
    ])
  })

  it('VERB-11: a restriction also applies to collections below parents, and to flags', () => {
    const routes = routeTable([on(clientes), on(contratos, all, { collection: ['GET'], item: ['GET', 'DELETE'] })])
    expect(allow('/clientes/7/contratos', routes)).toBe('GET, HEAD, OPTIONS')
    expect(allow('/clientes/7/contratos/C', routes)).toBe('GET, HEAD, DELETE, OPTIONS')
    const avisos = resource('avisos', 'id', { id: 'integer', visto: 'boolean' }, { flags: { leido: 'visto' } })
    const flagged = (item?: readonly string[]) => routeTable([on(avisos, all, item === undefined ? {} : { item })])
    expect(allow('/avisos/1/leido', flagged())).toBe('GET, HEAD, PUT, DELETE, OPTIONS')
    expect(allow('/avisos/1/leido', flagged(['GET', 'PUT', 'DELETE']))).toBe('GET, HEAD, OPTIONS')
    expect(allow('/avisos/1/leido', flagged(['PATCH']))).toBe('PUT, DELETE, OPTIONS')
  })

  it('VERB-8: HEAD uses the operation of GET', () => {
    const operations = table.match(['piezas', '3'])?.route.operations
    expect(['HEAD', 'GET', 'POST'].map((method) => operations?.get(method)?.name)).toEqual(['read', 'read', undefined])
  })
})

describe('relations between resources', () => {
  it('PATH-5: a child may be listed before its parent, and may refer to it by name', () => {
    expect(resourceOf(table, 'componentes').parent?.mounted).toBe(resourceOf(table, 'piezas'))
  })

  it('REP-1: links lead to the resource that is mounted under the name of their target, even in cycles', () => {
    const autores = resource(
      'autores',
      'id',
      { id: 'integer', mejorLibro: 'integer' },
      { links: { mejor: { to: 'libros', by: 'mejorLibro', show: ['titulo'] } } },
    )
    const libros = resource(
      'libros',
      'id',
      { id: 'integer', autorId: 'integer', titulo: 'string' },
      { links: { autor: { to: autores, by: 'autorId' } } },
    )
    const routes = routeTable([on(autores), on(libros)])
    expect(resourceOf(routes, 'autores').targets.get('mejor')).toBe(resourceOf(routes, 'libros'))
    expect(resourceOf(routes, 'libros').targets.get('autor')).toBe(resourceOf(routes, 'autores'))
  })

  it('REP-1: a link may lead to an associated sub-collection, in any order of declaration', () => {
    const carteras = resource('carteras', 'id', { id: 'integer' }, { links: { fondos: { sub: 'fondos' } } })
    const fondos = resource('fondos', 'id', { id: 'integer' }, { attachedTo: [{ of: 'carteras' }] })
    expect(at(routeTable([on(carteras), on(fondos)]), '/carteras/1/fondos')).toEqual(['members', 1])
    expect(at(routeTable([on(fondos), on(carteras)]), '/carteras/1/fondos')).toEqual(['members', 1])
  })

  it('REP-1: a resource in "related" can be the target of links, but has routes only below a mounted parent', () => {
    const routes = routeTable([on(piezas)], [on(contratos), on(componentes)])
    expect([at(routes, '/contratos/C'), routes.locate(['contratos', 'C'])?.keys]).toEqual([undefined, ['C']])
    expect(at(routes, '/piezas/3/componentes')).toEqual(['collection', 3])
  })

  it('REP-1: the key of a contained resource includes the keys of its parents, under any member names', () => {
    const cajas = resource(
      'cajas',
      ['pieza', 'caja'],
      { pieza: 'integer', caja: 'integer' },
      { parent: { of: piezas, by: 'pieza' } },
    )
    const bultos = resource(
      'bultos',
      ['p', 'c', 'b'],
      { p: 'integer', c: 'integer', b: 'integer' },
      { parent: { of: cajas, by: ['p', 'c'] } },
    )
    const avisos = resource(
      'avisos',
      'id',
      { id: 'integer', x: 'integer', y: 'integer', z: 'integer' },
      { links: { bulto: { to: bultos, by: ['x', 'y', 'z'] } } },
    )
    const routes = routeTable([on(piezas), on(contratos), on(componentes), on(cajas), on(bultos), on(avisos)])
    const target = resourceOf(routes, 'avisos').targets.get('bulto') as Mounted
    expect(lineageOf(target, { p: 1, c: 2, b: 3 })).toEqual([1, { pieza: 1, caja: 2 }, { p: 1, c: 2, b: 3 }])
  })

  const links = (by: string | string[], to: unknown, more: object = {}) =>
    resource('avisos', 'id', { id: 'integer', texto: 'string', otro: 'integer' }, { links: { a: { to, by, ...more } } })
  const lost = resource(
    'lineas',
    'id',
    { id: 'integer', cliente: 'integer' },
    { parent: { of: clientes, by: 'cliente' } },
  )

  it.each<[string, () => unknown, string, string]>([
    [
      'a link to an unmounted resource',
      () => [on(piezas), on(componentes)],
      'unresolved-link',
      'Mount it, or pass it in the option "related"',
    ],
    [
      'a link to an unmounted sub-collection',
      () => [on(piezas), on(contratos)],
      'unresolved-link',
      'sub-collection "componentes"',
    ],
    [
      'a link to a sub-collection that is a flag',
      () => [
        on(
          resource(
            'cosas',
            'id',
            { id: 'integer', rota: 'boolean' },
            { flags: { rota: 'rota' }, links: { a: { sub: 'rota' } } },
          ),
        ),
      ],
      'unresolved-link',
      '"rota"',
    ],
    [
      'a link with too few members in "by"',
      () => [on(links('otro', 'componentes')), on(componentes), on(piezas), on(contratos)],
      'unresolved-link',
      'consists of numeroDeCabecera, secuencia. Name one member for each part',
    ],
    [
      'a link whose "by" is a member of another type',
      () => [on(links('texto', 'clientes')), on(clientes)],
      'unresolved-link',
      'they are never equal',
    ],
    [
      'a link to a resource whose key does not include the key of its parent',
      () => [on(links('otro', 'lineas')), on(lost), on(clientes)],
      'unresolved-link',
      'does not include cliente',
    ],
    [
      'a link that shows a member that its target lacks',
      () => [on(links('otro', 'clientes', { show: ['nombre'] })), on(clientes)],
      'unknown-member',
      'but "clientes" has no such member',
    ],
    ['a parent that is not mounted', () => [on(componentes)], 'unmounted-parent', 'Mount "piezas" in the same version'],
    [
      'parents in a cycle',
      () => [
        on(resource('huevos', 'id', { id: 'integer', g: 'integer' }, { parent: { of: 'gallinas', by: 'g' } })),
        on(resource('gallinas', 'id', { id: 'integer', h: 'integer' }, { parent: { of: 'huevos', by: 'h' } })),
      ],
      'unmounted-parent',
      'The parents form a cycle: "huevos" is contained in "gallinas", which is contained in "huevos".',
    ],
    [
      'a child of parents in a cycle',
      () => [
        on(resource('plumas', 'id', { id: 'integer', h: 'integer' }, { parent: { of: 'huevos', by: 'h' } })),
        on(resource('huevos', 'id', { id: 'integer', g: 'integer' }, { parent: { of: 'gallinas', by: 'g' } })),
        on(resource('gallinas', 'id', { id: 'integer', h: 'integer' }, { parent: { of: 'huevos', by: 'h' } })),
      ],
      'unmounted-parent',
      'The parents form a cycle: "huevos" is contained in "gallinas", which is contained in "huevos".',
    ],
    [
      'a grandparent that is not mounted',
      () => [
        on(resource('plumas', 'id', { id: 'integer', h: 'integer' }, { parent: { of: 'huevos', by: 'h' } })),
        on(resource('huevos', 'id', { id: 'integer', g: 'integer' }, { parent: { of: 'gallinas', by: 'g' } })),
      ],
      'unmounted-parent',
      '"huevos" is contained in "gallinas", which is not mounted in the same version.',
    ],
    [
      'a parent with too many members in "by"',
      () => [
        on(clientes),
        on(
          resource(
            'lineas',
            'id',
            { id: 'integer', a: 'integer', b: 'integer' },
            { parent: { of: clientes, by: ['a', 'b'] } },
          ),
        ),
      ],
      'unresolved-link',
      "names 2 of the record's members",
    ],
    [
      'a parent whose "by" is a member of another type',
      () => [
        on(clientes),
        on(resource('lineas', 'id', { id: 'integer', a: 'string' }, { parent: { of: clientes, by: 'a' } })),
      ],
      'unresolved-link',
      'they are never equal',
    ],
    [
      'an association whose "by" is a member of another type',
      () => [
        on(clientes),
        on(resource('lineas', 'id', { id: 'integer', a: 'string' }, { attachedTo: [{ of: clientes, by: 'a' }] })),
      ],
      'unresolved-link',
      'they are never equal',
    ],
    [
      'an association of a resource whose key does not include the key of its parent',
      () => [
        on(clientes),
        on(
          resource(
            'lineas',
            'id',
            { id: 'integer', a: 'integer' },
            { parent: { of: clientes, by: 'a' }, attachedTo: [{ of: clientes, as: 'filas' }] },
          ),
        ),
      ],
      'unresolved-link',
      "can't find the parent",
    ],
    [
      'an area of a contained resource',
      () => [on(piezas), on(contratos), on(componentes, all, { area: 'ui' })],
      'invalid-option',
      'Leave the area "ui" out',
    ],
    ['one resource twice', () => [on(clientes), on(clientes, all, { area: 'ui' })], 'path-taken', 'mounted twice'],
    [
      'an endpoint at the path of a collection',
      () => [on(clientes), endpoint('clientes', { description: 'x', methods: { GET: { handle: never } } })],
      'path-taken',
      '"/clientes"',
    ],
    [
      'an area at the path of a collection',
      () => [on(resource('cajas', 'id', { id: 'integer' })), on(clientes, all, { area: 'cajas' })],
      'path-taken',
      '"/cajas/clientes"',
    ],
    [
      'a collection at the path of an area',
      () => [on(clientes, all, { area: 'cajas' }), on(resource('cajas', 'id', { id: 'integer' }))],
      'path-taken',
      '"/cajas"',
    ],
    [
      'a flag at the path of a sub-collection',
      () => [
        on(resource('clientes', 'id', { id: 'integer', contratos: 'boolean' }, { flags: { contratos: 'contratos' } })),
        on(contratos),
      ],
      'path-taken',
      '/contratos',
    ],
    [
      'two associations at one path',
      () => [
        on(clientes),
        on(resource('lineas', 'id', { id: 'integer' }, { attachedTo: [{ of: clientes }, { of: 'clientes' }] })),
      ],
      'path-taken',
      '/lineas',
    ],
  ])('%s is a configuration error', (_, entries, code, words) => {
    const found = fault(() => routeTable(entries() as Mount[]))
    expect(found.code).toBe(code)
    expect(found.message).toContain(words)
  })

  it('an association with a parent definition is accepted even if the parent is not mounted', () => {
    expect(at(routeTable([on(contratos)]), '/contratos/C')).toEqual(['item', 'C'])
  })

  it('a thousand resources can be mounted, and each is found', () => {
    const many = Array.from({ length: 1000 }, (_, i) =>
      resource(
        `cosas-${i}`,
        'id',
        { id: 'integer', otra: 'integer' },
        i === 0 ? {} : { links: { otra: { to: `cosas-${i - 1}`, by: 'otra' } } },
      ),
    )
    const routes = routeTable(many.map((definition) => on(definition)))
    for (let i = 0; i < 1000; i += 1) expect(routes.match([`cosas-${i}`, '5'])?.keys).toEqual([5])
  })
})

describe('mount()', () => {
  const put = mount as unknown as (...args: unknown[]) => unknown
  it.each<[string, unknown[], string]>([
    ['no definition', [undefined, all], 'invalid-option'],
    ['a value that is not a definition', [{ collection: 'clientes' }, all], 'invalid-option'],
    ['no adapter', [clientes], 'adapter-incomplete'],
    ['an adapter that cannot list', [clientes, { read: never }], 'adapter-incomplete'],
    ['an adapter that cannot read', [clientes, { list: never }], 'adapter-incomplete'],
    ['a misspelt option', [clientes, all, { items: [] }], 'invalid-option'],
    ['a method that collections do not have', [clientes, all, { collection: ['DELETE'] }], 'invalid-option'],
    ['a method that items do not have', [clientes, all, { item: ['POST'] }], 'invalid-option'],
    ['an area whose name is a verb', [clientes, all, { area: 'crear' }], 'name-is-verb'],
  ])('%s is a configuration error', (_, args, code) => {
    expect(fault(() => put(...args)).code).toBe(code)
  })

  it('returns a frozen value', () => {
    const made = mount(clientes, all as never, { area: 'ui' })
    expect([made, made.options].map(Object.isFrozen)).toEqual([true, true])
  })
})

describe('parents of associations', () => {
  const attached = (of: unknown) =>
    resource('piezas', 'numero', { numero: 'integer', clienteId: 'integer' }, { attachedTo: [{ of, by: 'clienteId' }] })

  it('PATH-7: an unknown parent name is refused, and the message suggests the closest name', () => {
    expect(fault(() => routeTable([on(clientes), on(attached('clintes'))]))).toMatchObject({
      code: 'unmounted-parent',
      message: expect.stringContaining(
        '"piezas" is attached to "clintes", which is not mounted in the same version. Did you mean "clientes"?',
      ),
    })
    expect(fault(() => routeTable([on(attached('clientes'))])).message).toContain('Mount "clientes" in this version.')
    expect(at(routeTable([on(clientes), on(attached('clientes'))]), '/clientes/7/piezas')).toEqual(['members', 7])
  })

  it('VER-1: a resource can be attached to a definition that its version does not mount', () => {
    expect(at(routeTable([on(attached(clientes))]), '/piezas/1')).toEqual(['item', 1])
  })
})

/**
 * REP-1..3: one statement reads a record and its link targets (the records that its links point
 * to), if the response is the same as with separate statements.
 */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Served } from '../../clauses/fixture.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { size } from '../../size.js'
import { type Asker, linkingDdl, linkingService, linkNames } from './linking.js'

type Service = Omit<Served, 'data'>

let place: Place
const pools: pg.Pool[] = []
/** The statements that the services `joined` and `joinedAsked` have sent. */
let sent: string[] = []

class Traced extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: tracers override the method like this
  override query(given: any, ...more: any[]): any {
    sent.push(typeof given === 'string' ? given : given.text)
    return super.query(given, ...more)
  }
}

const services: Record<'joined' | 'alone' | 'joinedAsked' | 'aloneAsked', Service> = {} as never

beforeAll(async () => {
  place = await freshSchema()
  await place.sql('CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public').catch(() => undefined)
  await place.sql(linkingDdl)
  const [joined, alone] = [
    new pg.Pool({ connectionString: place.url, max: 3, Client: Traced } as pg.PoolConfig),
    new pg.Pool({ connectionString: place.url, max: 3 }),
  ]
  pools.push(joined, alone)
  services.joined = await linkingService(joined)
  services.alone = await linkingService(alone, { alone: true })
  services.joinedAsked = await linkingService(joined, { permission: true })
  services.aloneAsked = await linkingService(alone, { alone: true, permission: true })
})
afterAll(async () => {
  for (const service of Object.values(services)) await service.close()
  for (const pool of pools) await pool.end()
  await place.drop()
})

const tables = ['clientes', 'zonas', 'etiquetas', 'marcas', 'saldos', 'vistas', 'grandes', 'pedidos'] as const
type Rows = Readonly<Record<(typeof tables)[number], readonly object[]>>
const emptyTables: Rows = {
  clientes: [],
  zonas: [],
  etiquetas: [],
  marcas: [],
  saldos: [],
  vistas: [],
  grandes: [],
  pedidos: [],
}

async function fill(rows: Rows): Promise<void> {
  await place.sql(`TRUNCATE ${tables.join(', ')}`)
  for (const table of tables) {
    const columns = [...new Set(rows[table].flatMap((one) => Object.keys(one)))].join(', ')
    if (columns === '') continue
    await place.sql(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ` +
        '$1::text::json)',
      [JSON.stringify(rows[table])],
    )
  }
}

const few = fc.integer({ min: 1, max: 5 })
const maybe = fc.option
const owner = maybe(fc.constantFrom('uno', 'dos'))
const note = maybe(fc.constantFrom('a', 'b', 'oculta', 'ñandú', ''))
/** Names, some of which differ only in case. */
const spelt = fc.constantFrom('Rojo', 'rojo', 'ROJO', 'verde', 'Verde', 'straße', ' ')
const huge = fc.constantFrom('9007199254740993', '9007199254740992', '1', '-9223372036854775808')
const unique = <T>(one: fc.Arbitrary<T>, selector: (row: T) => unknown) =>
  fc.uniqueArray(one, { maxLength: 5, selector })
const folded = (row: { readonly nombre?: string }) => row.nombre?.toLowerCase().replace('ß', 'ss')
const amount = maybe(fc.constantFrom('1.10', '1.1', '12345678901234567890.5'))
const removed = fc.constantFrom(null, null, '2026-01-01T00:00:00Z')

const data: fc.Arbitrary<Rows> = fc.record({
  clientes: unique(
    fc.record({ id: few, nombre: note, saldo: amount, duenyo: owner, jefe_id: maybe(few), deleted_at: removed }),
    ({ id, deleted_at }) => `${id}${deleted_at}`,
  ),
  zonas: fc
    .uniqueArray(
      fc.record({
        pais: fc.constantFrom('ar', 'AR', 'uy,numero=1'),
        numero: few,
        nombre: note,
        datos: maybe(fc.dictionary(fc.constantFrom('a', '__proto__'), fc.integer())),
      }),
      { maxLength: 8, selector: ({ pais, numero }) => `${pais} ${numero}` },
    )
    .map((all) => all.map((one) => ({ ...one, version: randomVersion() }))),
  etiquetas: unique(fc.record({ nombre: spelt, color: note }), folded),
  marcas: unique(fc.record({ nombre: spelt, color: note }), folded),
  saldos: unique(fc.record({ id: few, mitad: maybe(few), nota: note }), ({ id }) => id),
  vistas: unique(fc.record({ id: few, nota: note }), ({ id }) => id).map((all) =>
    all.map((one) => ({ ...one, version: randomVersion() })),
  ),
  grandes: unique(fc.record({ id: huge, nota: note }), ({ id }) => id),
  pedidos: fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 9 }),
      n: maybe(few),
      nota: note,
      duenyo: owner,
      cliente_id: maybe(few),
      pagador_id: maybe(few),
      zona_pais: maybe(fc.constantFrom('ar', 'AR', 'uy,numero=1', 'none')),
      zona_numero: maybe(few),
      etiqueta_nombre: maybe(spelt),
      marca_nombre: maybe(spelt),
      padre_id: maybe(fc.integer({ min: 1, max: 9 })),
      saldo_id: maybe(few),
      vista_id: maybe(few),
      grande_id: maybe(huge),
      urgente: maybe(fc.boolean()),
    }),
    { maxLength: 9, selector: ({ id }) => id },
  ),
})

let versions = 0
const randomVersion = (): string => `00000000-0000-4000-8000-${String(++versions).padStart(12, '0')}`

const asker: fc.Arbitrary<Asker> = fc.constantFrom({}, {}, { duenyo: 'uno' }, { hides: 2 }, { duenyo: 'dos', hides: 1 })
const expand = fc
  .subarray([...linkNames], { maxLength: 4 })
  .map((names) => (names.length === 0 ? '' : `&expand=${names.join(',')}`))
const list = fc
  .record({
    sort: fc.constantFrom('', '&sort=n', '&sort=-n', '&sort=nota,-n', '&sort=-id'),
    limit: fc.constantFrom('1', '2', '3', '25'),
    page: fc.constantFrom('', '&offest=1', '&offest=2', '&offest=400'),
    filter: fc.constantFrom('', '', '&n=2', '&duenyo=uno', '&q=a', '&n=1'),
    expand,
  })
  .map(({ sort, limit, page, filter, expand: shown }) => `/v1/pedidos?limit=${limit}${sort}${page}${filter}${shown}`)
const item = fc
  .record({ id: fc.integer({ min: 1, max: 9 }), expand })
  .map(({ id, expand: shown }) => `/v1/pedidos/${id}${shown.replace('&', '?')}`)
const flag = fc.integer({ min: 1, max: 9 }).map((id) => `/v1/pedidos/${id}/urgente`)

/**
 * Sends a GET request, and returns the parts of the response that are compared. The body of an
 * error is not compared.
 */
async function responseOf(service: Service, path: string, who: Asker) {
  const { status, headers, text } = await service.send('GET', path, { 'x-asker': JSON.stringify(who) })
  const { etag, link, 'x-total-count': total, 'cache-control': caching, vary } = headers
  return { path, status, etag, link, total, caching, vary, text: status < 400 ? text : status }
}

describe('a link target', () => {
  it('is the same whether it was joined or read by a separate statement (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        data,
        fc.array(fc.tuple(fc.oneof(list, list, item, flag), asker), { minLength: 8, maxLength: 16 }),
        async (rows, asked) => {
          await fill(rows)
          for (const [path, who] of asked) {
            const expected = await responseOf(services.alone, path, who)
            expect(await responseOf(services.joined, path, who)).toEqual(expected)
            // The second request of a list uses a cached statement.
            expect(await responseOf(services.joined, path, who)).toEqual(expected)
            expect(await responseOf(services.joinedAsked, path, who)).toEqual(
              await responseOf(services.aloneAsked, path, who),
            )
            const next = /<http:\/\/pedidos\.test([^>]*)>; rel="?next/.exec(String(expected.link ?? ''))?.[1]
            if (next !== undefined)
              expect(await responseOf(services.joined, next, who)).toEqual(await responseOf(services.alone, next, who))
          }
        },
      ),
      { numRuns: size(25, 400) },
    )
  }, 600_000)
})

describe('a read of a resource with links', () => {
  const one = {
    id: 1,
    n: 1,
    cliente_id: 1,
    zona_pais: 'ar',
    zona_numero: 1,
    etiqueta_nombre: 'rojo',
    padre_id: 1,
    saldo_id: 1,
  }
  const full: Rows = {
    clientes: [{ id: 1, nombre: 'Ana' }],
    zonas: [{ pais: 'ar', numero: 1, nombre: 'Sur', version: randomVersion() }],
    etiquetas: [{ nombre: 'rojo', color: 'a' }],
    marcas: [],
    saldos: [{ id: 1, mitad: 2 }],
    vistas: [],
    grandes: [],
    pedidos: [one, { ...one, id: 2 }, { ...one, id: 3, cliente_id: null }, { ...one, id: 4, cliente_id: 404 }],
  }
  beforeEach(() => fill(full))

  const asked = async (path: string, who: Asker = {}) => {
    await responseOf(services.joined, path, who)
    await responseOf(services.joined, path, who)
    sent = []
    const { status } = await responseOf(services.joined, path, who)
    return { status, statements: sent.length }
  }

  it.each([
    ['an item', '/v1/pedidos/1'],
    ['an item with a dangling link', '/v1/pedidos/4'],
    ['an item with expanded links', '/v1/pedidos/2?expand=cliente,zona,etiqueta,pagador'],
    ['a page', '/v1/pedidos'],
    ['a page with expanded links', '/v1/pedidos?limit=2&sort=-n&expand=zona,etiqueta'],
    ['a page that is sorted by rank', '/v1/pedidos?q='],
  ])('takes one statement: %s', async (_what, path) => {
    expect(await asked(path)).toEqual({ status: 200, statements: 1 })
  })

  it('takes one statement for a caller with a scope', async () => {
    await place.sql(`UPDATE pedidos SET duenyo = 'uno'; UPDATE clientes SET duenyo = 'uno'`)
    expect(await asked('/v1/pedidos/1', { duenyo: 'uno' })).toEqual({ status: 200, statements: 1 })
    expect(await asked('/v1/pedidos', { duenyo: 'uno' })).toEqual({ status: 200, statements: 1 })
  })

  it('takes one statement if permissions are checked, and shows members only of permitted targets', async () => {
    const path = '/v1/pedidos/1'
    await responseOf(services.joinedAsked, path, { hides: 1 })
    sent = []
    const { json } = await services.joinedAsked.send('GET', path, { 'x-asker': '{"hides":1}' })
    expect(json).toMatchObject({ cliente: { href: 'http://pedidos.test/v1/clientes/1' }, etiqueta: { color: 'a' } })
    expect(json.cliente).not.toHaveProperty('nombre')
    expect(sent).toHaveLength(1)
  })

  it('reads the link targets of expanded records by a separate statement', async () => {
    await place.sql('UPDATE clientes SET jefe_id = 7')
    expect(await asked('/v1/pedidos/1?expand=cliente')).toEqual({ status: 200, statements: 2 })
  })
})

describe('a record and its link target that are changed in one transaction', () => {
  it('are never shown with only one of the two changes, in items and pages', async () => {
    await fill({ ...emptyTables, clientes: [{ id: 1, nombre: '0' }], pedidos: [{ id: 1, n: 0, cliente_id: 1 }] })
    let writes = 0
    const writing = (async () => {
      for (; writes < 150; writes++)
        await place.sql(`BEGIN; UPDATE clientes SET nombre = '${writes}'; UPDATE pedidos SET n = ${writes}; COMMIT`)
    })()
    const seen = new Set<number>()
    while (writes < 150) {
      const [item, list] = await Promise.all([
        services.joined.send('GET', '/v1/pedidos/1'),
        services.joined.send('GET', '/v1/pedidos'),
      ])
      for (const { n, cliente } of [item.json, list.json[0]]) {
        expect(cliente.nombre).toBe(String(n))
        seen.add(n)
      }
    }
    await writing
    expect(seen.size).toBeGreaterThan(3)
  })
})

describe('a statement that the database rejects', () => {
  const rows: Rows = {
    ...emptyTables,
    clientes: [{ id: 1, nombre: 'Ana' }],
    pedidos: [
      { id: 1, n: 1, cliente_id: 1 },
      { id: 2, n: 2 },
    ],
  }
  const paths = ['/v1/pedidos/1', '/v1/pedidos/2', '/v1/pedidos', '/v1/pedidos?n=2', '/v1/pedidos/1?expand=cliente']
  const same = async () => {
    const statuses: number[] = []
    for (const path of paths) {
      const expected = await responseOf(services.alone, path, {})
      expect(await responseOf(services.joined, path, {})).toEqual(expected)
      statuses.push(expected.status)
    }
    return statuses
  }

  it('is sent again without the links if the columns or the name of the linked table have changed', async () => {
    await fill(rows)
    expect(await same()).toEqual([200, 200, 200, 200, 200])
    await place.sql('ALTER TABLE clientes RENAME COLUMN nombre TO apellido')
    expect(await same()).toEqual([500, 200, 500, 200, 500])
    await place.sql('ALTER TABLE clientes RENAME COLUMN apellido TO nombre')
    expect(await same()).toEqual([200, 200, 200, 200, 200])
    await place.sql('ALTER TABLE clientes ALTER COLUMN id TYPE integer; ALTER TABLE clientes ADD COLUMN otra text')
    expect(await same()).toEqual([200, 200, 200, 200, 200])
    await place.sql('ALTER TABLE clientes RENAME TO personas')
    expect(await same()).toEqual([500, 200, 500, 200, 500])
    await place.sql('ALTER TABLE personas RENAME TO clientes; ALTER TABLE clientes ALTER COLUMN id TYPE bigint')
    expect(await same()).toEqual([200, 200, 200, 200, 200])
  })

  it('is sent again without the links if an expression of the linked table fails for some rows', async () => {
    await fill({
      ...rows,
      saldos: [
        { id: 1, mitad: 2_000_000_000 },
        { id: 2, mitad: 1 },
      ],
    })
    await place.sql('UPDATE pedidos SET saldo_id = id')
    expect(await same()).toEqual([500, 200, 500, 200, 500])
  })
})

/**
 * A service with the data of one or two tenants, for the tests of row-level scope. The records of
 * the tenants differ only in the names of the tenants.
 */
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type PostgresAdapterOptions, postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import { type Adapter, type ApiOptions, adapterView, api, mount, type ResourceDefinition } from '../../src/index.js'
import { call } from '../adapters/memory/requests.js'
import { stores } from '../adapters/postgres/stores.js'
import { type Answer, type Express, listen } from './fixture.js'
import { contratosV1, definitions } from './scope-resources.js'

type Row = Record<string, unknown>

type Name = keyof typeof definitions

/** The records of a tenant. Their keys begin with the name of the tenant. */
function seedsOf(tenant: string, other: string): Record<Exclude<Name, 'etiquetas'>, Row[]> {
  const contrato = (n: number, more: Row): Row => ({
    codigo: `${tenant}-k${n}`,
    empresa: tenant,
    descripcion: `comun ${tenant} ${n}`,
    importe: null,
    marcas: ['comun', tenant],
    activo: true,
    clienteId: null,
    ...more,
  })
  return {
    empresas: [{ id: tenant, lema: `lema de ${tenant}` }],
    clientes: [1, 2].map((n) => ({ id: `${tenant}-c${n}`, empresa: tenant, nombre: `comun ${tenant} ${n}` })),
    carteras: [{ id: `${tenant}-t1`, empresa: tenant }],
    contratos: [
      contrato(1, { importe: 10, clienteId: `${tenant}-c1`, descripcion: `comun comun ${tenant} raro` }),
      contrato(2, { importe: 20 }),
      // This contract links to a record of the other tenant.
      contrato(3, { clienteId: `${other}-c1`, descripcion: `raro ${tenant}` }),
      contrato(4, { importe: 20, activo: false }),
    ],
    lineas: [1, 2].map((numero) => ({ contrato: `${tenant}-k1`, numero, texto: `linea de ${tenant}` })),
    partes: [1, 2].map((numero) => ({ empresa: tenant, numero, texto: `parte de ${tenant}` })),
    notas: [nota(tenant, 'n1', 'ana', tenant), nota(tenant, 'n2', 'ana', other)],
    sellos: [{ id: `${tenant}-s1`, empresa: tenant, texto: tenant }],
    cierres: [{ id: `${tenant}-x1`, empresa: tenant, texto: tenant }],
  }
}

const nota = (empresa: string, name: string, autor: string | null, leadsTo: string): Row => ({
  id: `${empresa}-${name}`,
  empresa,
  autor,
  texto: `nota de ${empresa}`,
  lineaContrato: `${leadsTo}-k1`,
  lineaNumero: 1,
  parteEmpresa: leadsTo,
  parteNumero: 1,
})

const outsideNotes = (tenant: string): Row[] => [
  nota(tenant, 'ajena', 'otra', tenant),
  nota(tenant, 'anonima', null, tenant),
]

type Make = (name: Name, definition: ResourceDefinition, records: readonly Row[]) => Promise<Adapter<never, never>>

interface Backing {
  readonly make: Make
  close(): Promise<unknown>
}

const openMemory = async (): Promise<Backing> => ({
  make: async (_name, definition, records) => memoryAdapter(definition, { records }) as never,
  close: async () => undefined,
})

/** Opens a PostgreSQL database, and creates its tables with the DDL of the adapter. */
const openTables = (open: (typeof stores)[number]['open']) => async (): Promise<Backing> => {
  const store = await open()
  const attached = {
    depositos: { table: 'depositos', parent: 'cartera', key: 'contrato' },
    marcados: { table: 'marcados', parent: 'etiqueta', key: 'contrato' },
  }
  return {
    async make(name, definition, records) {
      const options = {
        table: name,
        version: { column: 'version' },
        ...(name === 'contratos' ? { attached } : {}),
      } as unknown as PostgresAdapterOptions
      await store.sql(tableDdl(definition, options))
      const adapter = postgresAdapter(store.client, { ...options, resource: definition })
      await adapter.ready()
      for (const record of records) await adapter.create(record, call)
      return adapter as never
    },
    close: () => store.close(),
  }
}

/** The stores under test. */
export const backings: readonly (readonly [name: string, open: () => Promise<Backing>])[] = [
  ['memory', openMemory],
  ...stores.map(({ name, open }) => [name, openTables(open)] as const),
]

export interface World {
  send(tenant: string, method: string, path: string, headers?: Record<string, string>, body?: unknown): Promise<Answer>
  /** The errors that `onError` received. */
  readonly errors: unknown[]
  close(): Promise<void>
}

export const base = 'http://servicio.test'

/**
 * Opens the service with the data of these tenants. `outside` names a tenant. That tenant also has
 * records that match the scope member `empresa`, but not the scope member `autor`.
 */
export async function openWorld(
  express: Express,
  open: () => Promise<Backing>,
  tenants: readonly (readonly [tenant: string, other: string])[],
  { outside, ...options }: Partial<ApiOptions> & { readonly outside?: string } = {},
): Promise<World> {
  const backing = await open()
  const seeds = tenants.map(([tenant, other]) => seedsOf(tenant, other))
  const adapters = {} as Record<Name, Adapter<never, never>>
  for (const [name, definition] of Object.entries(definitions) as [Name, ResourceDefinition][]) {
    const own = name === 'etiquetas' ? [{ id: 'comun' }] : seeds.flatMap((seed) => seed[name])
    const outsideRecords = name === 'notas' && outside !== undefined ? outsideNotes(outside) : []
    adapters[name] = await backing.make(name, definition, [...own, ...outsideRecords])
  }
  const mounted = Object.entries(definitions).map(([name, definition]) =>
    mount(definition as ResourceDefinition<never, never>, adapters[name as Name]),
  )
  const rename = { titulo: 'descripcion', compania: 'empresa' }
  const older = adapterView(adapters.contratos, {
    rename,
    hides: ['importe', 'marcas', 'activo', 'clienteId'],
    defaults: { marcas: [], activo: true },
  })
  const errors: unknown[] = []
  const served = await listen(
    express().use(
      api({
        baseUrl: base,
        principal: ({ headers }) => ({ empresa: headers['x-tenant'], autor: 'ana' }),
        onError: ({ error }) => void errors.push(error),
        versions: { v2: mounted, v1: [mount(contratosV1, older as never)] },
        ...options,
      }),
    ),
  )
  for (const [tenant] of tenants) {
    for (const path of [`carteras/${tenant}-t1/depositos/${tenant}-k1`, `etiquetas/comun/marcados/${tenant}-k1`]) {
      const { status } = await served.send('PUT', `/v2/${path}`, { 'x-tenant': tenant, 'if-match': '*' })
      if (status !== 204) throw new Error(`PUT ${path} is ${status}: ${String(errors[0])}`)
    }
  }
  return {
    errors,
    send: (tenant, method, path, headers = {}, body) =>
      served.send(method, path, { 'x-tenant': tenant, 'x-request-id': 'r', ...headers }, body),
    async close() {
      await served.close()
      await backing.close()
    },
  }
}

/**
 * A response as text, for comparison. It omits the date, and says only whether there is an entity
 * tag, because record versions are random.
 */
export function reported({ status, headers, text: body }: Answer): string {
  const { date: _date, etag, ...rest } = headers
  return JSON.stringify({ status, etag: etag !== undefined, rest, body }, undefined, 1)
}

/** The lists that a tenant sees, with their entity tags. */
export async function everything(world: World, tenant: string): Promise<string[]> {
  const lists = [
    ...Object.keys(definitions)
      .filter((name) => name !== 'lineas')
      .map((name) => `/v2/${name}?limit=100`),
    ...[1, 2, 3, 4].map((n) => `/v2/contratos/${tenant}-k${n}/lineas`),
    ...[1, 2].map((n) => `/v2/clientes/${tenant}-c${n}/contratos`),
    `/v2/carteras/${tenant}-t1/depositos`,
    '/v2/etiquetas/comun/marcados',
    '/v2/contratos?expand=cliente',
    '/v2/notas?expand=linea,parte',
    '/v2/contratos?q=comun%20OR%20raro',
    '/v1/contratos',
  ]
  const seen: string[] = []
  for (const path of lists) {
    const answer = await world.send(tenant, 'GET', path)
    seen.push(`${path} ${answer.headers.etag} ${reported(answer)}`)
  }
  return seen
}

/**
 * Type tests of mounts. Adapters of several kinds compile if they match their definition. The
 * options of `mount()` are checked too. Adapters that do not match are tested in
 * `mounts.long.test.ts`.
 */
import {
  type Adapter,
  adapterView,
  defineResource,
  endpoint,
  type JsonSchema,
  mount,
  type ResourceDefinition,
  resourceRouter,
  type UnboundAdapter,
} from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'
import { postgresAdapter } from 'express-rest-conventions/postgres'
import { csv, ndjson } from 'express-rest-conventions/transfer'

declare const pool: { query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> }
interface Piece {
  numero: number
  lote: string
  estado: 'abierta' | 'cerrada' | null
  urgente?: boolean
  pares: string[]
}
type PieceKey = { readonly numero: number; readonly lote: string }
interface Sucursal {
  nombre: string
  abierta: boolean
}
const piezas = defineResource({
  collection: 'piezas',
  key: ['numero', 'lote'],
  schema: {
    type: 'object',
    required: ['numero', 'lote', 'estado', 'pares'],
    properties: {
      numero: { type: 'integer' },
      lote: { type: 'string' },
      estado: { enum: ['abierta', 'cerrada', null] },
      urgente: { type: 'boolean' },
      pares: { type: 'array', items: { type: 'string' } },
    },
  },
})
const sucursales = defineResource<Sucursal>()({ collection: 'sucursales', key: 'nombre', schema: {} as JsonSchema })

// Inline adapters: the parameters of their methods have the types of the definition.
mount(piezas, {
  list: (request, call) => ({
    items: [
      { value: { numero: request.page, lote: call.requestId, estado: 'abierta' as const, pares: [] }, version: '1' },
    ],
  }),
  read: (keys) =>
    keys.map(({ numero, lote }) => ({
      value: { numero: numero + 1, lote: lote.trim(), estado: 'cerrada' as const, pares: ['a'] },
      version: '1',
    })),
})
mount(
  piezas,
  {
    async list(request) {
      return { items: [], total: request.page }
    },
    async read(keys) {
      return keys.map(() => undefined)
    },
    async create(value, call) {
      return {
        created: { value: { ...value, lote: value.lote.trim(), estado: 'abierta' as const }, version: call.requestId },
      }
    },
    async replace(key, value) {
      return key.numero > 1 ? 'stale' : { value: { ...value, urgente: true }, version: '1' }
    },
    async remove(key, expected) {
      return key.lote === expected ? 'removed' : { refused: 'rule', members: [] }
    },
  },
  { collection: ['GET'] },
)
resourceRouter(sucursales, {
  list: ({ page }) => ({ items: [{ value: { nombre: String(page), abierta: true }, version: '1' }] }),
  read: (keys) => keys.map((key) => ({ value: { nombre: key.trim(), abierta: false }, version: '1' })),
})
class Ours implements Adapter<Piece, PieceKey> {
  list() {
    return { items: [] }
  }
  read(keys: readonly PieceKey[]) {
    return keys.map(() => undefined)
  }
}
mount(piezas, new Ours())

// Adapters whose records have more members than the definition, or members with narrower types. The
// variable `either` holds a bound or an unbound adapter.
declare const more: Adapter<Piece & { interno: number }, PieceKey>
declare const narrower: Adapter<{ numero: number; lote: string; estado: 'abierta'; pares: string[] }, PieceKey>
declare const either: Adapter<Piece, PieceKey> | UnboundAdapter<Piece, PieceKey>
mount(piezas, more)
mount(piezas, narrower)
mount(piezas, either)

// Adapters of the types `any` and `unknown`.
// biome-ignore lint/suspicious/noExplicitAny: this test is about `any`
declare const anyAdapter: Adapter<any, any>
// biome-ignore lint/suspicious/noExplicitAny: this test is about `any`
declare const anything: any
declare const widened: ResourceDefinition
declare const ofUnknown: Adapter<unknown, unknown>
mount(piezas, anyAdapter)
mount(piezas, anything)
mount(widened, ofUnknown)
mount(widened, memoryAdapter(widened))
mount(widened, anyAdapter)

// Adapters of the library: bound to their resource, not bound yet, and wrapped in a view.
mount(piezas, memoryAdapter(piezas))
mount(sucursales, memoryAdapter(sucursales, { records: [{ nombre: 'a', abierta: true }] }))
mount(piezas, postgresAdapter(pool, { table: 'piezas' }))
mount(piezas, postgresAdapter(pool, { resource: piezas, table: 'piezas' }))
resourceRouter(piezas, postgresAdapter(pool, { table: 'piezas' }))
mount(sucursales, { bind: (definition) => memoryAdapter(definition) })
const older = defineResource({
  collection: 'piezas',
  key: ['numero', 'lote'],
  schema: {
    type: 'object',
    required: ['numero', 'lote'],
    properties: { numero: { type: 'integer' }, lote: { type: 'string' }, abierta: { type: 'boolean' } },
  },
})
mount(
  older,
  adapterView(memoryAdapter(piezas), {
    rename: { abierta: 'estado' },
    toWire: { abierta: (estado: string) => estado === 'abierta' },
  }),
)
mount(piezas, adapterView(postgresAdapter(pool, { resource: piezas, table: 'piezas' })))
export const view = adapterView(memoryAdapter(piezas), { rename: { abierta: 'estado' } })
mount(older, view)
// @ts-expect-error the keys of `view` have two parts
mount(sucursales, view)

// Calls in a generic function, and with explicit type arguments.
export const generic = <T, K>(
  definition: ResourceDefinition<T, K>,
  adapter: Adapter<T, K>,
  unbound: UnboundAdapter<T, K>,
) => [
  mount(definition, adapter),
  mount(definition, unbound),
  mount(definition, memoryAdapter(definition)),
  resourceRouter(definition, adapter),
]
mount<Sucursal, string>(sucursales, memoryAdapter(sucursales))
resourceRouter<Sucursal, string, { admin: boolean }>(sucursales, memoryAdapter(sucursales))

// The functions in the options of a mount get records and keys of the definition's types.
mount(piezas, memoryAdapter(piezas), {
  endpoints: [
    endpoint('cancelaciones', {
      description: 'Cancels the piece.',
      methods: {
        POST: {
          handle: ({ item }) => {
            const numero: number = item.record.numero
            const lote: string = item.key.lote
            return { status: numero > 0 && lote !== '' ? 204 : 200 }
          },
        },
      },
    }),
  ],
})
// @ts-expect-error a misspelt option
mount(piezas, memoryAdapter(piezas), { colection: ['GET'] })

// In the option `exports`, the formats are results of `csv()` and `ndjson()`, and the timeout is a
// number.
mount(piezas, memoryAdapter(piezas), {
  exports: { formats: [csv({ separator: ';', escapeFormulas: true }), ndjson()], timeout: 60_000 },
})
resourceRouter(piezas, memoryAdapter(piezas), { exports: { formats: [ndjson({ fileName: 'piezas.ndjson' })] } })
// @ts-expect-error exports without formats
mount(piezas, memoryAdapter(piezas), { exports: { timeout: 60_000 } })
// @ts-expect-error the name of a format instead of a format
mount(piezas, memoryAdapter(piezas), { exports: { formats: ['csv'] } })
// @ts-expect-error the function instead of its result
mount(piezas, memoryAdapter(piezas), { exports: { formats: [csv] } })
// @ts-expect-error a misspelt option
mount(piezas, memoryAdapter(piezas), { exports: { formats: [csv()], stallTimeOut: 1 } })
// @ts-expect-error an unsupported separator
csv({ separator: '.' })

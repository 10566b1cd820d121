/**
 * Type tests of definitions. `tsc` checks them against the source with TypeScript 7.
 * `definition.test.ts` checks them against the published declarations with TypeScript 5.4 and 7. A
 * directive (`@ts-expect-error`) applies only to the next line. So each call fits on one line, and
 * the schemas are declared once.
 */
import {
  type Adapter,
  type Api,
  adapterView,
  defineResource,
  type FilterOperator,
  type FromSchema,
  type JsonSchema,
  type MemberPath,
  mount,
  type ResourceDefinition,
  resourceRouter,
  type UnboundAdapter,
} from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>(): void => undefined
type RecordOf<D extends { readonly types?: unknown }> =
  NonNullable<D['types']> extends { readonly record: infer R } ? R : never
type KeyOf<D extends { readonly types?: unknown }> =
  NonNullable<D['types']> extends { readonly key: infer K } ? K : never

const schema = {
  type: 'object',
  required: ['numero', 'lote', 'estado', 'contratoId'],
  $defs: {
    party: {
      type: 'object',
      required: ['nombre'],
      properties: { nombre: { type: 'string' }, alias: { type: ['string', 'null'] } },
    },
  },
  properties: {
    numero: { type: 'integer' },
    lote: { type: 'string' },
    estado: { enum: ['abierta', 'cerrada', null] },
    contratoId: { type: 'string' },
    urgente: { type: 'boolean' },
    remitente: { $ref: '#/$defs/party' },
    destinatario: { anyOf: [{ $ref: '#/$defs/party' }, { type: 'null' }] },
    cp: {
      type: 'object',
      properties: { codigo: { type: 'integer' }, pais: { type: 'object', properties: { id: { type: 'integer' } } } },
    },
    etiquetas: { type: 'array', items: { type: 'string' } },
    mapa: { type: ['object', 'null'], properties: { href: { type: ['string', 'null'] } } },
  },
} as const

const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo'],
    properties: { codigo: { type: 'string' }, esUrgente: { type: 'boolean' } },
  },
})
const base = { collection: 'piezas', key: 'numero', schema } as const

// Every option that names a member accepts the members of the schema. Names of nested members
// contain dots.
const piezas = defineResource({
  collection: 'piezas',
  key: ['numero', 'lote'],
  assigned: ['numero'],
  schema,
  filters: {
    lote: true,
    'cp.codigo': true,
    'remitente.nombre': { many: true },
    desde: { field: 'cp.pais.id', op: 'gte' },
  },
  sort: ['numero', 'cp.pais.id', 'destinatario.alias'],
  search: ['lote', 'remitente.alias'],
  links: {
    contrato: { to: contratos, by: 'contratoId', show: ['esUrgente'] },
    otro: { to: 'otros', by: ['contratoId', 'lote'], show: ['loQueSea'] },
    componentes: { sub: 'componentes' },
    mapa: { external: true },
  },
  parent: { of: contratos, by: 'contratoId' },
  attachedTo: [{ of: contratos, by: ['contratoId'], as: 'envios' }],
  flags: { urgente: 'urgente' },
  rules: (next, { current }) =>
    current !== undefined && next.lote !== current.lote ? [{ member: 'lote', detail: 'stays' }] : [],
  scope: () => ({ lote: 'a' }),
})

holds<
  Same<
    RecordOf<typeof piezas>,
    {
      numero: number
      lote: string
      estado: 'abierta' | 'cerrada' | null
      contratoId: string
      urgente?: boolean
      remitente?: { nombre: string; alias?: string | null }
      destinatario?: { nombre: string; alias?: string | null } | null
      cp?: { codigo?: number; pais?: { id?: number } }
      etiquetas?: string[]
      mapa?: { href?: string | null } | null
    }
  >
>()
holds<Same<KeyOf<typeof piezas>, { readonly numero: number; readonly lote: string }>>()
holds<Same<KeyOf<typeof contratos>, string>>()
holds<Same<FromSchema<{ readonly const: 5 }>, 5>>()
holds<Same<FromSchema<JsonSchema>, unknown>>()
holds<Same<MemberPath<{ a: { b: { c: number } }; d: string[] }>, 'a' | 'a.b' | 'a.b.c' | 'd'>>()

// The following options do not compile. Most of them need a comparison that the type of the member
// does not support.
// @ts-expect-error sort by an object
defineResource({ ...base, sort: ['cp'] })
// @ts-expect-error sort by an array
defineResource({ ...base, sort: ['etiquetas'] })
// @ts-expect-error a filter on an array, without "contains"
defineResource({ ...base, filters: { etiquetas: true } })
// @ts-expect-error a filter on an object
defineResource({ ...base, filters: { tiene: { field: 'cp' } } })
// @ts-expect-error a range filter on an array
defineResource({ ...base, filters: { etiquetas: { op: 'gte' } } })
// @ts-expect-error "contains" is for arrays
defineResource({ ...base, filters: { lote: { op: 'contains' } } })
// @ts-expect-error "contains" is for arrays, even if the filter has its own name
defineResource({ ...base, filters: { con: { field: 'lote', op: 'contains' } } })
// @ts-expect-error a misspelt option of a filter
defineResource({ ...base, filters: { lote: { manny: true } } })
// @ts-expect-error a scope with a value of another type
defineResource({ ...base, scope: () => ({ lote: 5 }) })
// @ts-expect-error a scope with an array member, which cannot be compared for equality
defineResource({ ...base, scope: () => ({ etiquetas: 'a' }) })
// The following options compile.
declare const anyOperator: FilterOperator
defineResource({
  ...base,
  filters: {
    etiquetas: { op: 'contains' },
    con: { field: 'etiquetas', op: 'contains' },
    sinCp: { field: 'cp', op: 'null' },
    estado: { many: true, op: 'eq' },
    otras: { field: 'etiquetas', op: anyOperator },
  },
  sort: ['estado', 'cp.codigo'],
  scope: (principal) => ({ estado: String(principal), numero: 5, urgente: true }),
})

// Misspelt and missing names do not compile. The directives say where the name is expected.
// @ts-expect-error key
defineResource({ collection: 'piezas', key: 'nummero', schema })
// @ts-expect-error part of a composite key
defineResource({ collection: 'piezas', key: ['numero', 'lotte'], schema })
// @ts-expect-error an empty key
defineResource({ collection: 'piezas', key: [], schema })
// @ts-expect-error assigned
defineResource({ ...base, assigned: ['nummero'] })
// @ts-expect-error filter
defineResource({ ...base, filters: { lotte: true } })
// @ts-expect-error nested filter
defineResource({ ...base, filters: { 'cp.codgo': true } })
// @ts-expect-error "field" of a filter
defineResource({ ...base, filters: { desde: { field: 'nummero' } } })
// @ts-expect-error a filter with its own name, without "field"
defineResource({ ...base, filters: { desde: { op: 'gte' } } })
// @ts-expect-error operator of a filter
defineResource({ ...base, filters: { lote: { op: 'like' } } })
// @ts-expect-error sort
defineResource({ ...base, sort: ['lotte'] })
// @ts-expect-error nested sort
defineResource({ ...base, sort: ['cp.pais.iid'] })
// @ts-expect-error search
defineResource({ ...base, search: ['lotte'] })
// @ts-expect-error "by" of a link
defineResource({ ...base, links: { contrato: { to: contratos, by: 'contratId' } } })
// @ts-expect-error "by" of a link, in a list
defineResource({ ...base, links: { contrato: { to: contratos, by: ['contratId'] } } })
// @ts-expect-error a link without "by"
defineResource({ ...base, links: { contrato: { to: contratos } } })
// @ts-expect-error "show" of a link
defineResource({ ...base, links: { contrato: { to: contratos, by: 'contratoId', show: ['esUrgent'] } } })
// @ts-expect-error external link
defineResource({ ...base, links: { mappa: { external: true } } })
// @ts-expect-error flag
defineResource({ ...base, flags: { urgente: 'urgent' } })
// @ts-expect-error a flag of a member that is not boolean
defineResource({ ...base, flags: { urgente: 'lote' } })
// @ts-expect-error "by" of the parent
defineResource({ ...base, parent: { of: contratos, by: 'contratId' } })
// @ts-expect-error "by" of an association
defineResource({ ...base, attachedTo: [{ of: contratos, by: 'contratId' }] })
// @ts-expect-error member of the scope
defineResource({ ...base, scope: () => ({ inquilino: 'a' }) })
// @ts-expect-error member in a rule
defineResource({ ...base, rules: (next) => (next.lotte === '' ? [] : []) })
// @ts-expect-error the name of an option
defineResource({ ...base, filter: { lote: true } })

// An imported schema has no literal type, so the type of the record is given instead.
interface Sucursal {
  nomenclatura: string
  descripcion?: string
  abierta: boolean
  domicilio: { calle: string }
}
declare const imported: JsonSchema
const sucursal = { collection: 'sucursales', key: 'nomenclatura', schema: imported } as const
const sucursales = defineResource<Sucursal>()({
  ...sucursal,
  filters: { 'domicilio.calle': true },
  flags: { abierta: 'abierta' },
})
holds<Same<RecordOf<typeof sucursales>, Sucursal>>()
holds<Same<KeyOf<typeof sucursales>, string>>()
// @ts-expect-error a misspelt key
defineResource<Sucursal>()({ ...sucursal, key: 'nomenclatur' })
// @ts-expect-error a misspelt filter
defineResource<Sucursal>()({ ...sucursal, filters: { descripcin: true } })
// @ts-expect-error a flag of a member that is not boolean
defineResource<Sucursal>()({ ...sucursal, flags: { abierta: 'descripcion' } })
// @ts-expect-error the type of the record is not given, so its members are unknown
defineResource({ ...sucursal, key: 'nomenclatura' })

// The adapter of a mount must have the record and key types of the definition.
declare const ofPiezas: Adapter<RecordOf<typeof piezas>, KeyOf<typeof piezas>>
declare const ofSucursales: Adapter<Sucursal, string>
declare const byNumber: Adapter<Sucursal, number>
mount(piezas, ofPiezas)
mount(sucursales, ofSucursales, { area: 'ui', collection: ['GET'], item: ['GET', 'DELETE'] })
mount(sucursales, memoryAdapter(sucursales))
mount(sucursales, adapterView(ofPiezas as unknown as Adapter<never, string>))
// @ts-expect-error the adapter has another record type
mount(contratos, ofSucursales)
// @ts-expect-error the adapter has another key type
mount(sucursales, byNumber)
// @ts-expect-error the adapter belongs to another resource
mount(contratos, memoryAdapter(sucursales))
// Adapters that are bound to their resource when they are mounted. Some fit any resource, others
// only one.
declare const inTable: { bind<T, K>(definition: ResourceDefinition<T, K>): Adapter<T, K> }
declare function tableAdapter<T, K>(options: { readonly table: string }): UnboundAdapter<T, K>
declare const boundToSucursales: UnboundAdapter<Sucursal, string>
mount(piezas, inTable)
mount(sucursales, inTable, { area: 'ui' })
mount(sucursales, boundToSucursales)
mount(piezas, tableAdapter({ table: 'piezas' }))
resourceRouter(sucursales, tableAdapter({ table: 'sucursales' }))
resourceRouter(sucursales, boundToSucursales, { related: [mount(contratos, inTable)] })
resourceRouter(contratos, inTable)
mount(sucursales, { bind: (definition) => memoryAdapter(definition) })
// @ts-expect-error the adapter has another record type
mount(contratos, boundToSucursales)
// @ts-expect-error the adapter of a router has another record type
resourceRouter(contratos, boundToSucursales)
// @ts-expect-error `bind` returns a value that is not an adapter
mount(sucursales, { bind: () => ({ list: () => ({ items: [] }) }) })
// @ts-expect-error a method that collections do not have
mount(sucursales, ofSucursales, { collection: ['DELETE'] })

// Initial records may lack a key that the store assigns, but no other required member.
const notaSchema = {
  type: 'object',
  required: ['id', 'texto', 'fija'],
  properties: { id: { type: 'integer' }, texto: { type: 'string' }, fija: { type: 'boolean' } },
} as const
const notas = defineResource({ collection: 'notas', key: 'id', assigned: true, schema: notaSchema })
memoryAdapter(notas, {
  records: [
    { texto: 'a', fija: true },
    { id: 2, texto: 'b', fija: false },
  ],
})
// @ts-expect-error `texto` is required
memoryAdapter(notas, { records: [{ fija: true }] })
// @ts-expect-error the resource has no member `texta`
memoryAdapter(notas, { records: [{ texto: 'a', texta: 'b', fija: true }] })
// @ts-expect-error `fija` is a boolean
memoryAdapter(notas, { records: [{ texto: 'a', fija: 1 }] })
const apuntes = defineResource({ collection: 'apuntes', key: ['id', 'texto'], assigned: ['id'], schema: notaSchema })
memoryAdapter(apuntes, { records: [{ texto: 'a', fija: true }] })
// @ts-expect-error `fija` is not a part of the key
memoryAdapter(apuntes, { records: [{ texto: 'a' }] })
memoryAdapter(notas, { onCreate: (nota) => ({ ...nota, texto: nota.texto.trim() }) })
// @ts-expect-error the resource has no member `texta`
memoryAdapter(notas, { onCreate: (nota) => ({ ...nota, texto: nota.texta }) })
// @ts-expect-error the adapter has no option `recrods`
memoryAdapter(notas, { recrods: [] })

// `records()` copies the given values, so lists in them may be readonly at any depth.
declare const service: Api
declare const tags: readonly string[]
const listSchema = { type: 'array', items: { type: 'string' } } as const
const fichaSchema = {
  type: 'object',
  required: ['id', 'tags'],
  properties: {
    id: { type: 'integer' },
    tags: listSchema,
    lineas: { type: 'array', items: { type: 'object', properties: { tags: listSchema } } },
  },
} as const
const fichas = defineResource({ collection: 'fichas', key: 'id', assigned: true, schema: fichaSchema })
const ofFichas = service.records(fichas, { principal: undefined })
void ofFichas.create({ tags, lineas: [{ tags }] as const })
void ofFichas.create({ tags: ['a'], lineas: [{ tags: ['b'] }] })
void ofFichas.replace(1, { tags, lineas: [{ tags }] })
void ofFichas.patch(1, { tags })
void ofFichas.createAll([{ tags }])
// @ts-expect-error tags are strings
void ofFichas.create({ tags: [1] })
// @ts-expect-error tags are strings
void ofFichas.patch(1, { tags: [1] })

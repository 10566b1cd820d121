/**
 * Resources with links to tables of many kinds, and a service that either joins the link targets or
 * reads each of them by a separate statement.
 */
import express from 'express'
import type pg from 'pg'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, type Mount, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'

const text = { type: 'string' } as const
const maybeText = { type: ['string', 'null'] } as const
const whole = { type: 'integer' } as const
const maybeWhole = { type: ['integer', 'null'] } as const

/**
 * The caller. If `duenyo` is set, the caller sees only the records of this owner in `clientes` and
 * `pedidos`. If `hides` is set, the caller has no permission to see a link target whose key is the
 * number `hides`, or whose composite key has this number as its part `numero`.
 */
export interface Asker {
  readonly duenyo?: string
  readonly hides?: number
}

const scope = (who: unknown): { duenyo: string } | Record<never, string> => {
  const { duenyo } = who as Asker
  return duenyo === undefined ? {} : { duenyo }
}

/** A resource with a scope and soft delete. */
const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: whole,
      nombre: maybeText,
      saldo: { type: ['string', 'null'], format: 'decimal' },
      duenyo: maybeText,
      jefeId: maybeWhole,
    },
  },
  links: { jefe: { to: 'clientes', by: 'jefeId', show: ['nombre'] } },
  scope,
})
/** A resource with a composite key. */
const zonas = defineResource({
  collection: 'zonas',
  key: ['pais', 'numero'],
  schema: {
    type: 'object',
    required: ['pais', 'numero'],
    properties: { pais: text, numero: whole, nombre: maybeText, datos: { type: ['object', 'null'] } },
  },
})
/** A resource whose key is case-insensitive because of its type, `citext`. */
const etiquetas = defineResource({
  collection: 'etiquetas',
  key: 'nombre',
  schema: { type: 'object', required: ['nombre'], properties: { nombre: text, color: maybeText } },
})
/** A resource whose key is case-insensitive because of its collation. */
const marcas = defineResource({
  collection: 'marcas',
  key: 'nombre',
  schema: { type: 'object', required: ['nombre'], properties: { nombre: text, color: maybeText } },
})
/** A resource with a member that is computed on each read. */
const saldos = defineResource({
  collection: 'saldos',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: whole, doble: maybeWhole, nota: maybeText } },
})
/** A resource that is read from a view. */
const vistas = defineResource({
  collection: 'vistas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: whole, nota: maybeText } },
})
/** A resource whose integer key can exceed the integers that a double represents exactly. */
const grandes = defineResource({
  collection: 'grandes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string', format: 'int64' }, nota: maybeText },
  },
})
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: whole,
      n: maybeWhole,
      nota: maybeText,
      duenyo: maybeText,
      clienteId: maybeWhole,
      pagadorId: maybeWhole,
      zonaPais: maybeText,
      zonaNumero: maybeWhole,
      etiquetaNombre: maybeText,
      marcaNombre: maybeText,
      padreId: maybeWhole,
      saldoId: maybeWhole,
      vistaId: maybeWhole,
      grandeId: { type: ['string', 'null'], format: 'int64' },
      urgente: { type: ['boolean', 'null'] },
    },
  },
  filters: { n: true, duenyo: true },
  sort: ['n', 'nota', 'id'],
  search: ['nota'],
  flags: { urgente: 'urgente' },
  links: {
    cliente: { to: clientes, by: 'clienteId', show: ['nombre', 'saldo'] },
    pagador: { to: clientes, by: 'pagadorId' },
    zona: { to: zonas, by: ['zonaPais', 'zonaNumero'], show: ['nombre'] },
    etiqueta: { to: etiquetas, by: 'etiquetaNombre', show: ['color'] },
    marca: { to: marcas, by: 'marcaNombre', show: ['color'] },
    padre: { to: 'pedidos', by: 'padreId', show: ['n'] },
    saldo: { to: saldos, by: 'saldoId', show: ['doble'] },
    vista: { to: vistas, by: 'vistaId', show: ['nota'] },
    grande: { to: grandes, by: 'grandeId', show: ['nota'] },
  },
  scope,
})

export const linkNames = [
  'cliente',
  'pagador',
  'zona',
  'etiqueta',
  'marca',
  'padre',
  'saldo',
  'vista',
  'grande',
] as const

/** The tables and views of all resources. Requires the extension `citext`. */
export const linkingDdl = `
  CREATE COLLATION ciego (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  CREATE TABLE clientes (id bigint NOT NULL, nombre text, saldo numeric, duenyo text, jefe_id integer, deleted_at timestamptz);
  CREATE UNIQUE INDEX ON clientes (id) WHERE deleted_at IS NULL;
  CREATE TABLE zonas (pais varchar(20), numero smallint, nombre text, datos jsonb, version uuid NOT NULL DEFAULT gen_random_uuid(), PRIMARY KEY (pais, numero));
  CREATE TABLE etiquetas (nombre public.citext PRIMARY KEY, color text);
  CREATE TABLE marcas (nombre text COLLATE ciego PRIMARY KEY, color text);
  CREATE FUNCTION doble_de(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 * 2';
  CREATE TABLE saldos (id integer PRIMARY KEY, mitad integer, nota text);
  CREATE TABLE vistas (id integer PRIMARY KEY, nota text, version uuid NOT NULL DEFAULT gen_random_uuid());
  CREATE VIEW vistas_visibles AS SELECT id, upper(nota) AS nota, version FROM vistas WHERE nota <> 'oculta';
  CREATE TABLE grandes (id bigint PRIMARY KEY, nota text);
  CREATE TABLE pedidos (id integer PRIMARY KEY, n integer, nota text, duenyo text, cliente_id integer, pagador_id bigint, zona_pais text, zona_numero integer,
    etiqueta_nombre public.citext, marca_nombre text COLLATE ciego, padre_id integer, saldo_id integer, vista_id integer, grande_id bigint, urgente boolean);`

/**
 * Mounts all resources. With `alone`, it mounts a copy of each adapter. The library can't join
 * copies, so it reads each link separately.
 */
function mounts(client: pg.Pool, alone: boolean): readonly Mount[] {
  const options = { onWarning: () => {} }
  const own = <T>(adapter: T): T => (alone ? { ...adapter } : adapter)
  return [
    mount(
      clientes,
      own(postgresAdapter(client, { ...options, resource: clientes, table: 'clientes', softDelete: 'deleted_at' })),
    ),
    mount(
      zonas,
      own(postgresAdapter(client, { ...options, resource: zonas, table: 'zonas', version: { column: 'version' } })),
    ),
    mount(etiquetas, own(postgresAdapter(client, { ...options, resource: etiquetas, table: 'etiquetas' }))),
    mount(marcas, own(postgresAdapter(client, { ...options, resource: marcas, table: 'marcas' }))),
    mount(
      saldos,
      own(
        postgresAdapter(client, {
          ...options,
          resource: saldos,
          table: 'saldos',
          columns: { doble: { expression: 'doble_de(mitad)' } },
        }),
      ),
    ),
    mount(
      vistas,
      own(
        postgresAdapter(client, {
          ...options,
          resource: vistas,
          table: 'vistas',
          readFrom: 'vistas_visibles',
          version: { column: 'version' },
        }),
      ),
    ),
    mount(grandes, own(postgresAdapter(client, { ...options, resource: grandes, table: 'grandes' }))),
    mount(pedidos, own(postgresAdapter(client, { ...options, resource: pedidos, table: 'pedidos' }))),
  ]
}

/** Starts the service. The header field `x-asker` contains the caller, as JSON. */
export function linkingService(client: pg.Pool, { alone = false, permission = false } = {}) {
  return listen(
    express().use(
      api({
        baseUrl: 'http://pedidos.test',
        principal: (req) => JSON.parse(String(req.headers['x-asker'] ?? '{}')) as Asker,
        onError: () => {},
        ...(permission
          ? {
              permission: ({ hides }: Asker, _action: string, resource: string, key?: unknown) =>
                resource === 'pedidos' ||
                hides === undefined ||
                (key !== hides && (key as { numero?: number } | undefined)?.numero !== hides)
                  ? 'allow'
                  : 'forbidden',
            }
          : {}),
        versions: { v1: mounts(client, alone) },
      }),
    ),
  )
}

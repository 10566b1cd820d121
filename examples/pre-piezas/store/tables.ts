/**
 * The tables: one per resource, and one for idempotency keys. The adapters, the DDL and the seed
 * use these definitions.
 */
import { idempotencyDdl, tableDdl } from 'express-rest-conventions/postgres'
import { clientes } from '../resources/clientes.js'
import { codigosPostales } from '../resources/codigos-postales.js'
import { componentes } from '../resources/componentes.js'
import { contratos } from '../resources/contratos.js'
import { prePiezas } from '../resources/pre-piezas.js'
import type { Run } from './database.js'

/**
 * The table for POST requests with an `Idempotency-Key`. For a day, this table keeps the records
 * that such requests created, so that a retry gets the same response. Here only pre-pieces use the
 * table, but several resources can share one.
 */
const idempotency = { table: 'idempotency_keys' } as const

const common = { version: { column: 'version' } } as const

/** The options of each adapter. */
export const tables = {
  clientes: { resource: clientes, table: 'clientes', ...common },
  codigosPostales: { resource: codigosPostales, table: 'codigos_postales', ...common },
  contratos: { resource: contratos, table: 'contratos', ...common },
  prePiezas: { resource: prePiezas, table: 'pre_piezas', idempotency, ...common },
  componentes: { resource: componentes, table: 'componentes', ...common },
} as const

/**
 * The DDL of every table, with additional constraints. A table comes after the tables that it
 * refers to. Creating the tables at the start is enough for a demo. Once there is data to keep, put
 * the output of `tableDdl` into your first migration.
 */
const statements: readonly (readonly [table: string, ddl: string])[] = [
  ['idempotency_keys', idempotencyDdl(idempotency)],
  ['clientes', `${tableDdl(clientes, tables.clientes)} CREATE UNIQUE INDEX ON clientes (cuit);`],
  ['codigos_postales', tableDdl(codigosPostales, tables.codigosPostales)],
  ['contratos', tableDdl(contratos, tables.contratos)],
  ['pre_piezas', tableDdl(prePiezas, tables.prePiezas)],
  [
    'componentes',
    // Removing a pre-piece removes its components. Otherwise, a later pre-piece with the same
    // number would get the old components.
    `${tableDdl(componentes, tables.componentes)} ALTER TABLE componentes ADD FOREIGN KEY (numero_de_cabecera) ` +
      'REFERENCES pre_piezas ON DELETE CASCADE;',
  ],
]

/** Creates the missing tables. Resolves to true if all of them were missing. */
export async function createTables(run: Run): Promise<boolean> {
  let created = 0
  for (const [table, ddl] of statements) {
    const [found] = await run('SELECT to_regclass($1)::text AS name', [table])
    if (found?.name !== null) continue
    await run(ddl)
    created++
  }
  return created === statements.length
}

/** The tables, one a resource: what the adapters, the DDL and the seed go by. */
import { idempotencyDdl, tableDdl } from 'express-rest-conventions/postgres'
import { clientes } from '../resources/clientes.js'
import { codigosPostales } from '../resources/codigos-postales.js'
import { componentes } from '../resources/componentes.js'
import { contratos } from '../resources/contratos.js'
import { prePiezas } from '../resources/pre-piezas.js'
import type { Run } from './database.js'

/** What POSTs with an `Idempotency-Key` created, for a day: other resources could share the table. */
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
 * Every table with what its resource alone does not say, in the order that references ask for. This serves a demo; once there is data to keep, `tableDdl` belongs
 * into the first of a team's migrations.
 */
const statements: readonly (readonly [table: string, ddl: string])[] = [
  ['idempotency_keys', idempotencyDdl(idempotency)],
  ['clientes', `${tableDdl(clientes, tables.clientes)} CREATE UNIQUE INDEX ON clientes (cuit);`],
  ['codigos_postales', tableDdl(codigosPostales, tables.codigosPostales)],
  ['contratos', tableDdl(contratos, tables.contratos)],
  ['pre_piezas', tableDdl(prePiezas, tables.prePiezas)],
  [
    'componentes',
    // A piece takes its components with it: whoever gets its number later must not find them.
    `${tableDdl(componentes, tables.componentes)} ALTER TABLE componentes ADD FOREIGN KEY (numero_de_cabecera) REFERENCES pre_piezas ON DELETE CASCADE;`,
  ],
]

/** Makes the tables that are not there yet. Resolves with whether that was all of them. */
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

/** Fills new tables with generated records, a thousand per statement. */
import { snakeCase } from 'express-rest-conventions/postgres'
import type { Data } from '../data/generator.js'
import type { Run } from './database.js'
import { tables } from './tables.js'

const batch = 1_000

/** Fills the tables in an order in which referenced rows are inserted first. */
export async function seed(run: Run, data: Data): Promise<void> {
  await load(run, tables.clientes.table, data.clientes)
  await load(run, tables.codigosPostales.table, data.codigosPostales)
  await load(run, tables.contratos.table, data.contratos)
  await load(run, tables.prePiezas.table, data.prePiezas)
  await load(run, tables.componentes.table, data.componentes)
  await countOn(run, tables.clientes.table, 'id')
  await countOn(run, tables.prePiezas.table, 'numero')
  // Without ANALYZE, the planner would have no statistics about the new rows yet.
  await run(
    `ANALYZE ${Object.values(tables)
      .map(({ table }) => table)
      .join(', ')}`,
  )
}

/**
 * Inserts records into a table. The database converts the JSON values to the types of the columns,
 * so no digit of a date-time or a number is lost.
 */
async function load(run: Run, table: string, records: readonly object[]): Promise<void> {
  const columns = Object.keys(records[0] ?? {})
    .map(snakeCase)
    .join(', ')
  for (let at = 0; at < records.length; at += batch) {
    const rows = records
      .slice(at, at + batch)
      .map((record) => Object.fromEntries(Object.entries(record).map(([member, value]) => [snakeCase(member), value])))
    await run(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, ` +
        '$1::text::jsonb)',
      [JSON.stringify(rows)],
    )
  }
}

/** Sets the next number that the database assigns: one more than the largest existing number. */
async function countOn(run: Run, table: string, key: string): Promise<void> {
  await run(
    `SELECT setval(pg_get_serial_sequence('${table}', '${key}'), coalesce(max(${key}), 0) + 1, false) FROM ${table}`,
  )
}

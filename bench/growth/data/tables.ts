/** The tables of the curves. Each table is created when a curve first needs it. */
import type pg from 'pg'
import { withConnection } from '../../data/database.js'
import { contracts, pieces } from '../../data/records.js'
import { type Library, load } from '../../servers/library.js'
import { bases, type Extent, ownMembers } from './records.js'
import { defineLinked, definePieces, linkMembers } from './resources.js'

/**
 * The number of rows that one INSERT writes. It is limited, because an interrupted command cannot
 * drop the schema until the INSERT has ended.
 */
const chunk = 50_000

export const version = { column: 'version' } as const

export const pieceTable = ({ rows, matches }: Extent): string => `pre_piezas_${rows}_${matches}`
export const linkedTable = ({ rows, matches }: Extent): string => `enlazadas_${rows}_${matches}`

/** Creates tables in the database at `url`, each only once. */
export class Tables {
  readonly #made = new Map<string, Promise<void>>()
  readonly #checkout: string
  readonly url: string

  constructor(url: string, checkout: string) {
    this.url = url
    this.#checkout = checkout
  }

  pieces(extent: Extent): Promise<void> {
    return this.#once(pieceTable(extent), async (client, library, postgres) => {
      const { contratos, piezas } = definePieces(library)
      await this.#once('contratos', (other) => fillContracts(other, postgres, contratos, 'contratos'))
      await fillPieces(client, postgres, {
        ddl: postgres.tableDdl(piezas, { table: pieceTable(extent), version }),
        table: pieceTable(extent),
        extent,
      })
    })
  }

  linked(extent: Extent): Promise<void> {
    return this.#once(linkedTable(extent), async (client, library, postgres) => {
      const { piezas, targets } = defineLinked(library)
      for (const [table, target] of Object.entries(targets))
        await this.#once(table, (other) => fillContracts(other, postgres, target, table))
      await fillPieces(client, postgres, {
        ddl: postgres.tableDdl(piezas, { table: linkedTable(extent), version }),
        table: linkedTable(extent),
        extent,
        more: Object.fromEntries(linkMembers.slice(1).map((member) => [member, 'contrato_id'])),
      })
    })
  }

  #once(
    table: string,
    make: (client: pg.Client, library: Library, postgres: Postgres) => Promise<void>,
  ): Promise<void> {
    let made = this.#made.get(table)
    if (made === undefined) {
      made = withConnection(this.url, async (client) =>
        make(
          client,
          (await load(this.#checkout, 'dist/index.js')) as Library,
          (await load(this.#checkout, 'dist/adapters/postgres/index.js')) as Postgres,
        ),
      )
      this.#made.set(table, made)
    }
    return made
  }
}

type Postgres = typeof import('express-rest-conventions/postgres')

async function fillContracts(
  client: pg.Client,
  { snakeCase, tableDdl }: Postgres,
  definition: ReturnType<typeof definePieces>['contratos'],
  table: string,
): Promise<void> {
  await client.query(tableDdl(definition, { table, version }))
  await insert(client, contracts(), table, snakeCase)
  await client.query(`ANALYZE ${table}`)
}

interface Filling {
  readonly ddl: string
  readonly table: string
  readonly extent: Extent
  /** The SQL expression of each additional member. */
  readonly more?: Readonly<Record<string, string>>
}

/**
 * Creates a table with the library's own DDL, and fills it. The table is unlogged, because no
 * writes to it are measured. The `CREATE INDEX` statements of the DDL are skipped. Instead, the
 * table gets the two indexes that pages need.
 */
async function fillPieces(
  client: pg.Client,
  { snakeCase }: Postgres,
  { ddl, table, extent, more = {} }: Filling,
): Promise<void> {
  for (const statement of ddl.split('\n\n')) if (!statement.startsWith('CREATE INDEX')) await client.query(statement)
  await client.query(`ALTER TABLE ${table} SET UNLOGGED`)
  // Each generated piece is a copy of a base piece, except for some members. The key of a base
  // piece is its index, so that the SQL below selects the same base piece as the code in
  // `records.ts` does.
  await client.query(`CREATE TEMP TABLE bases (LIKE ${table})`)
  for (const column of ['version', ...Object.keys(more).map(snakeCase)])
    await client.query(`ALTER TABLE bases DROP COLUMN ${column}`)
  await insert(
    client,
    pieces().map((piece, at) => ({ ...piece, numero: at })),
    'bases',
    snakeCase,
  )
  await client.query('ALTER TABLE bases ADD PRIMARY KEY (numero)')
  const own = { ...ownMembers(extent), ...more }
  const members = Object.keys({ ...pieces()[0], ...own })
  const columns = members.map(snakeCase)
  const values = members.map((member) => own[member] ?? `bases.${snakeCase(member)}`)
  for (let from = 1; from <= extent.rows; from += chunk) {
    await client.query(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ` +
        `generate_series(${from}::bigint, ${Math.min(from + chunk - 1, extent.rows)}) AS n JOIN bases ON ` +
        `bases.numero = n % ${bases} ORDER BY n`,
    )
  }
  await client.query(`CREATE INDEX ON ${table} (sucursal_de_distribucion, fecha_de_entrada, numero)`)
  await client.query(`CREATE INDEX ON ${table} (fecha_de_entrada, numero)`)
  await client.query(`VACUUM ANALYZE ${table}`)
}

async function insert(
  client: pg.Client,
  records: readonly object[],
  table: string,
  columnOf: (member: string) => string,
): Promise<void> {
  const columns = Object.keys(records[0] ?? {})
    .map(columnOf)
    .join(', ')
  const rows = records.map((record) =>
    Object.fromEntries(Object.entries(record).map(([member, value]) => [columnOf(member), value])),
  )
  await client.query(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, ` +
      '$1::text::jsonb)',
    [JSON.stringify(rows)],
  )
}

/**
 * The hand-written store in PostgreSQL, through `pg`. One prepared statement with a join reads a
 * piece and its contract. One compare-and-set statement replaces a piece.
 */
import { poolOf } from '../data/pool.js'
import type { Contrato, Pieza } from '../data/resources.js'
import type { ListQuery } from './list-query.js'
import type { Listed, Row, Store } from './store.js'

const columns = `p.contrato_id AS "contratoId", p.destinatario, p.destino_informado AS "destinoInformado", p.fecha_de_entrada AS "fechaDeEntrada",
  p.lote, p.numero::float8 AS numero, p.numero_de_envio AS "numeroDeEnvio", p.sucursal_de_distribucion::float8 AS "sucursalDeDistribucion",
  p.valor_a_cobrar AS "valorACobrar", p.valor_declarado AS "valorDeclarado", p.version,
  c.codigo, c.descripcion, c.es_corporativo AS "esCorporativo", c.es_urgente AS "esUrgente", c.esta_activo AS "estaActivo", c.tipo_de_servicio AS "tipoDeServicio"`
const joined = 'pre_piezas p JOIN contratos c ON c.codigo = p.contrato_id'

type Record = Pieza & Contrato & { readonly version: string }

export function postgresStore(url: string): Store {
  const pool = poolOf(url)
  const run = async <T>(name: string, text: string, values: readonly unknown[]): Promise<T[]> =>
    (await pool.query({ name, text, values: [...values] })).rows as T[]
  return {
    async list(query): Promise<Listed> {
      const { name, where, order, values } = clauses(query)
      const [found, counted] = await Promise.all([
        run<Record>(
          `list ${name} ${order}`,
          `SELECT ${columns} FROM ${joined} ${where} ORDER BY ${order} LIMIT $3 OFFSET $4`,
          [...values, query.limit, query.offset],
        ),
        run<{ total: number }>(`count ${name}`, `SELECT count(*)::float8 AS total FROM pre_piezas p ${where}`, values),
      ])
      return { rows: found.map(rowOf), total: counted[0]?.total ?? 0 }
    },
    async read(numero) {
      const [found] = await run<Record>('read', `SELECT ${columns} FROM ${joined} WHERE p.numero = $1`, [numero])
      return found && rowOf(found)
    },
    async contract(codigo) {
      const [found] = await run<Contrato>(
        'contract',
        `SELECT codigo, descripcion, es_corporativo AS "esCorporativo", es_urgente AS "esUrgente", esta_activo AS "estaActivo", tipo_de_servicio AS "tipoDeServicio"
         FROM contratos WHERE codigo = $1`,
        [codigo],
      )
      return found
    },
    async create(piece, contract): Promise<Row> {
      const [made] = await run<{ numero: number; version: string }>(
        'create',
        `INSERT INTO pre_piezas (contrato_id, destinatario, destino_informado, fecha_de_entrada, lote, numero_de_envio,
           sucursal_de_distribucion, valor_a_cobrar, valor_declarado)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING numero::float8 AS numero, version`,
        valuesOf(piece),
      )
      const { numero, version } = made as { numero: number; version: string }
      return { piece: { ...piece, numero }, contract, version }
    },
    async replace(piece, contract, expected): Promise<Row | undefined> {
      const [found] = await run<{ version: string }>(
        'replace',
        `UPDATE pre_piezas SET contrato_id = $3, destinatario = $4, destino_informado = $5, fecha_de_entrada = $6, lote = $7, numero_de_envio = $8,
           sucursal_de_distribucion = $9, valor_a_cobrar = $10, valor_declarado = $11
         WHERE numero = $1 AND version = $2 RETURNING version`,
        [piece.numero, expected, ...valuesOf(piece)],
      )
      return found && { piece, contract, version: found.version }
    },
    close: () => pool.end(),
  }
}

/** Returns all values except the key, in the order in which `create()` and `replace()` use them. */
const valuesOf = (piece: Pieza): unknown[] => [
  piece.contratoId,
  JSON.stringify(piece.destinatario),
  JSON.stringify(piece.destinoInformado),
  piece.fechaDeEntrada,
  piece.lote,
  piece.numeroDeEnvio,
  piece.sucursalDeDistribucion,
  piece.valorACobrar,
  piece.valorDeclarado,
]

/**
 * Returns the SQL clauses of a list query, and the values of their parameters. The filters are
 * always `$1` and `$2`, so `LIMIT` and `OFFSET` are always `$3` and `$4`. For an absent filter, the
 * condition only tests that the parameter is null.
 */
export function clauses({ branch, lote, sort, descending }: ListQuery) {
  const name = `${branch === undefined ? '' : 'b'}${lote === undefined ? '' : 'l'}`
  const where =
    `WHERE ${branch === undefined ? '$1::bigint IS NULL' : 'p.sucursal_de_distribucion = $1'} AND ` +
    `${lote === undefined ? '$2::text IS NULL' : 'p.lote = $2'}`
  const direction = descending ? 'DESC' : 'ASC'
  const order = sort === 'numero' ? `p.numero ${direction}` : `p.fecha_de_entrada ${direction}, p.numero ${direction}`
  return { name, where, order, values: [branch ?? null, lote ?? null] }
}

function rowOf({
  version,
  codigo,
  descripcion,
  esCorporativo,
  esUrgente,
  estaActivo,
  tipoDeServicio,
  ...piece
}: Record): Row {
  return { piece, version, contract: { codigo, descripcion, esCorporativo, esUrgente, estaActivo, tipoDeServicio } }
}

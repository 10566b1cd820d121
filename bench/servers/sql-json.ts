/**
 * Reads data as PostgREST does: the database creates the JSON of a response, with its links, and
 * this process sends the JSON without parsing it. The server is an Express app on the library's own
 * HTTP server, with hand-written validation of queries. `json_agg` and `row_to_json` convert rows
 * to JSON. For a page of 25 items, these two functions cost the database half as much as
 * `json_build_object`.
 */
import express, { type Router } from 'express'
import type pg from 'pg'
import { type ListQuery, parseListQuery, parseNumero } from '../by-hand/list-query.js'
import { clauses } from '../by-hand/postgres-store.js'
import { absent } from '../by-hand/problem.js'
import { contractsPath, origin } from '../data/addresses.js'
import { poolOf } from '../data/pool.js'
import { makeApp } from './express.js'
import { loadHelper } from './library.js'
import type { Start } from './setting.js'

export const start: Start = async (setting) => {
  if (setting.database === undefined) throw new Error('This server requires PostgreSQL.')
  const app = makeApp(setting, piecesRouter(poolOf(setting.database)))
  return (await loadHelper(setting.checkout)).createServer(app)
}

function piecesRouter(pool: pg.Pool): Router {
  const router = express.Router()

  router.get('/', async (req, res) => {
    const { total, body } = await list(pool, parseListQuery(req.query))
    res.set('X-Total-Count', total).vary('Accept').type('json').send(body)
  })

  router.get('/:numero', async (req, res) => {
    const numero = parseNumero(req.params.numero)
    const row = numero === undefined ? undefined : await read(pool, numero, req.get('if-none-match'))
    if (row === undefined) throw absent()
    res.set('ETag', `"${row.version}"`)
    if (row.body === null) res.status(304).end()
    else res.type('json').send(row.body)
  })

  return router
}

const contractMembers =
  'c.es_corporativo AS "esCorporativo", c.es_urgente AS "esUrgente", c.esta_activo AS "estaActivo"'
const link = `'${origin}${contractsPath}/' || c.codigo AS href, ${contractMembers}`
const contract = `c.codigo, c.descripcion, ${contractMembers}, c.tipo_de_servicio AS "tipoDeServicio"`

/**
 * Returns SQL for the members of a piece. `contrato` is a list of SQL columns, which become the
 * members of `contrato` in the JSON.
 */
const members = (contrato: string): string => `(SELECT t FROM (SELECT ${contrato}) t) AS contrato,
  p.destinatario, p.destino_informado AS "destinoInformado", p.fecha_de_entrada AS "fechaDeEntrada", p.lote, p.numero,
  p.numero_de_envio AS "numeroDeEnvio", p.sucursal_de_distribucion AS "sucursalDeDistribucion",
  p.valor_a_cobrar AS "valorACobrar", p.valor_declarado AS "valorDeclarado"`
const joined = 'pre_piezas p JOIN contratos c ON c.codigo = p.contrato_id'

/** Reads a page and its total in one statement, and therefore from one snapshot of the table. */
async function list(pool: pg.Pool, query: ListQuery): Promise<{ readonly total: string; readonly body: string }> {
  const { name, where, order, values } = clauses(query)
  const { rows } = await pool.query<{ total: string; body: string }>({
    name: `list ${name} ${order} ${query.expand}`,
    text: `SELECT (SELECT count(*) FROM pre_piezas p ${where})::text AS total,
      (SELECT coalesce(json_agg(r), '[]')::text FROM
        (SELECT ${members(query.expand ? contract : link)} FROM ${joined} ${where} ORDER BY ${order} LIMIT $3 OFFSET $4) r) AS body`,
    values: [...values, query.limit, query.offset],
  })
  return rows[0] as (typeof rows)[number]
}

/** Reads an item. If the client already has the current version, the database creates no body. */
async function read(
  pool: pg.Pool,
  numero: number,
  tag = '',
): Promise<{ version: string; body: string | null } | undefined> {
  const { rows } = await pool.query<{ version: string; body: string | null }>({
    name: 'read',
    text: `SELECT p.version, CASE WHEN '"' || p.version || '"' = $2 THEN NULL ELSE
        (SELECT row_to_json(r)::text FROM (SELECT ${members(link)}) r) END AS body
      FROM ${joined} WHERE p.numero = $1`,
    values: [numero, tag],
  })
  return rows[0]
}

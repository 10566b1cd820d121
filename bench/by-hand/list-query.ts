/**
 * Hand-written parsing of list queries. Only known parameters with values of the right type are
 * accepted.
 */
import { pageSize } from '../data/addresses.js'
import { malformed } from './problem.js'

export interface ListQuery {
  readonly branch: number | undefined
  readonly lote: string | undefined
  readonly sort: 'fechaDeEntrada' | 'numero'
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
  readonly expand: boolean
}

const parameters = ['sucursalDeDistribucion', 'lote', 'sort', 'offest', 'limit', 'expand']

/**
 * Parses a list query, which every framework provides as an object. The value of a parameter is a
 * string, unless the parameter is repeated. Throws a `Problem` with status 400 if the query is
 * invalid.
 */
export function parseListQuery(query: Readonly<Record<string, unknown>>): ListQuery {
  for (const name in query) {
    if (!parameters.includes(name))
      throw malformed(`"${name}" is not a parameter here. The parameters are: ${parameters.join(', ')}.`)
    if (typeof query[name] !== 'string') throw malformed(`"${name}" occurs more than once.`)
  }
  const {
    sucursalDeDistribucion,
    lote,
    sort = 'numero',
    offest,
    limit,
    expand,
  } = query as Record<string, string | undefined>
  const descending = sort.startsWith('-')
  const member = descending ? sort.slice(1) : sort
  if (member !== 'fechaDeEntrada' && member !== 'numero')
    throw malformed(`"sort" can't be "${sort}". Use fechaDeEntrada or numero.`)
  if (expand !== undefined && expand !== 'contrato') throw malformed(`"expand" can't be "${expand}". Use contrato.`)
  const size = limit === undefined ? pageSize : integer('limit', limit, 1, 100)
  const page = offest === undefined ? 1 : integer('offest', offest, 1, Number.MAX_SAFE_INTEGER)
  return {
    branch:
      sucursalDeDistribucion === undefined
        ? undefined
        : integer('sucursalDeDistribucion', sucursalDeDistribucion, 0, 1e9),
    lote,
    sort: member,
    descending,
    offset: (page - 1) * size,
    limit: size,
    expand: expand === 'contrato',
  }
}

/**
 * Parses the id in a path. Returns `undefined` if the id is not written as a positive integer,
 * because no piece can have such an id.
 */
export function parseNumero(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw malformed(`"${name}" must be an integer from ${min} to ${max}.`)
  return value
}

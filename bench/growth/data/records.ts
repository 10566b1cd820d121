/**
 * Generates up to a million pieces (records of shipments), which are the same in every process and
 * every run. The functions here generate the pieces in memory. Equivalent SQL generates the pieces
 * in PostgreSQL.
 */
import { pieceCount, pieces } from '../../data/records.js'
import type { Pieza } from '../../data/resources.js'

/** The number of pieces (`rows`), and the number of pieces in the first branch (`matches`). */
export interface Extent {
  readonly rows: number
  readonly matches: number
}

/**
 * The usual number of pieces in one branch, whatever the total number of pieces. A filter by branch
 * therefore matches about the same number of pieces in a small store and in a large one.
 */
const usualMatches = 250

/**
 * Returns the extent of a store with `rows` pieces, which are spread evenly over the branches. The
 * minimum number of pieces in a branch is `usualMatches`, or `smallest` if that is less.
 */
export function extentOf(rows: number, smallest = rows): Extent {
  const branches = branchesOf({ rows, matches: Math.min(usualMatches, smallest) })
  return { rows, matches: Math.floor(rows / branches) }
}

/**
 * The number of base pieces, which `pieces()` returns. Every generated piece is a copy of a base
 * piece, with its own key, shipment number, branch and date.
 */
export const bases = pieceCount

/**
 * A prime above the maximum number of pieces. The multiples of `stride` have different remainders
 * modulo this prime, so dates are unique.
 */
const modulus = 1_000_003
const stride = 7919
export const maxRows = 1_000_000

/** SQL for the members in which piece `n` differs from its base. */
export const ownMembers = ({ rows, matches }: Extent): Readonly<Record<string, string>> => ({
  numero: 'n',
  numeroDeEnvio: `'ENV-' || lpad(n::text, 8, '0')`,
  sucursalDeDistribucion: `1 + n % ${branchesOf({ rows, matches })}`,
  fechaDeEntrada:
    `to_char(timestamp '2025-01-01' + (n * ${stride} % ${modulus}) * interval '1 second', ` +
    `'YYYY-MM-DD"T"HH24:MI:SS".0000000"')`,
})

export function* piecesOf({ rows, matches }: Extent): Iterable<Pieza> {
  const base = pieces()
  for (let numero = 1; numero <= rows; numero++) yield pieceOf(base, numero, { rows, matches })
}

/** Returns all pieces of a branch, newest first. */
export function branchOf(branch: number, extent: Extent): Pieza[] {
  const base = pieces()
  const branches = branchesOf(extent)
  const found: Pieza[] = []
  for (let numero = branch === 1 ? branches : branch - 1; numero <= extent.rows; numero += branches)
    found.push(pieceOf(base, numero, extent))
  return found.sort((a, b) => (a.fechaDeEntrada < b.fechaDeEntrada ? 1 : -1))
}

export const branchesOf = ({ rows, matches }: Extent): number => Math.max(1, Math.floor(rows / matches))

function pieceOf(base: readonly Pieza[], numero: number, extent: Extent): Pieza {
  const second = (numero * stride) % modulus
  return {
    ...(base[numero % bases] as Pieza),
    numero,
    numeroDeEnvio: `ENV-${String(numero).padStart(8, '0')}`,
    sucursalDeDistribucion: 1 + (numero % branchesOf(extent)),
    fechaDeEntrada: `${new Date(Date.UTC(2025, 0, 1) + second * 1000).toISOString().slice(0, 19)}.0000000`,
  }
}

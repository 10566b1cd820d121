/**
 * The store interface of hand-written servers, and a store in memory that is optimized for the
 * lists of the workloads.
 */
import type { Contrato, Pieza } from '../data/resources.js'
import type { ListQuery } from './list-query.js'

/**
 * A piece, which is the record of a shipment, with its version and the contract that it links to.
 */
export interface Row {
  readonly piece: Pieza
  readonly version: string
  readonly contract: Contrato
}

export interface Listed {
  readonly rows: readonly Row[]
  readonly total: number
}

type Answer<T> = T | Promise<T>

/**
 * A store in memory returns values, and a store in a database returns promises. Handlers use
 * `await` for both.
 */
export interface Store {
  list(query: ListQuery): Answer<Listed>
  read(numero: number): Answer<Row | undefined>
  contract(codigo: string): Answer<Contrato | undefined>
  /** Inserts a piece. The store assigns its number. */
  create(piece: Pieza, contract: Contrato): Answer<Row>
  /** Replaces a piece if its version is `expected`. Otherwise returns `undefined`. */
  replace(piece: Pieza, contract: Contrato, expected: string): Answer<Row | undefined>
  close(): Answer<void>
}

/**
 * Creates a store in memory. The store keeps one list of all pieces and one list for each branch,
 * sorted by date. A page that is sorted by date therefore needs no sorting.
 */
export function memoryStore(pieces: readonly Pieza[], contracts: readonly Contrato[]): Store {
  const contractOf = new Map(contracts.map((contract) => [contract.codigo, contract]))
  const rows = new Map<number, Row>()
  const all: Row[] = []
  const branches = new Map<number, Row[]>()
  let versions = 0
  let last = 0

  const branch = (of: number): Row[] => {
    const found = branches.get(of)
    if (found !== undefined) return found
    const made: Row[] = []
    branches.set(of, made)
    return made
  }
  const put = (row: Row): Row => {
    const { numero, sucursalDeDistribucion } = row.piece
    const old = rows.get(numero)
    rows.set(numero, row)
    if (old !== undefined && samePlace(old, row)) {
      all[placeOf(all, old)] = row
      const own = branch(sucursalDeDistribucion)
      own[placeOf(own, old)] = row
      return row
    }
    if (old !== undefined) {
      all.splice(placeOf(all, old), 1)
      const own = branch(old.piece.sucursalDeDistribucion)
      own.splice(placeOf(own, old), 1)
    }
    all.splice(placeOf(all, row), 0, row)
    const own = branch(sucursalDeDistribucion)
    own.splice(placeOf(own, row), 0, row)
    last = Math.max(last, numero)
    return row
  }
  const version = (): string => String(++versions)
  for (const piece of pieces) put({ piece, version: version(), contract: contractOf.get(piece.contratoId) as Contrato })

  return {
    list({ branch: of, lote, sort, descending, offset, limit }) {
      let found = of === undefined ? all : (branches.get(of) ?? [])
      if (lote !== undefined) found = found.filter(({ piece }) => piece.lote === lote)
      if (sort === 'numero') found = [...found].sort((a, b) => a.piece.numero - b.piece.numero)
      const total = found.length
      if (!descending) return { rows: found.slice(offset, offset + limit), total }
      return { rows: found.slice(Math.max(0, total - offset - limit), Math.max(0, total - offset)).reverse(), total }
    },
    read: (numero) => rows.get(numero),
    contract: (codigo) => contractOf.get(codigo),
    create: (piece, contract) => put({ piece: { ...piece, numero: last + 1 }, version: version(), contract }),
    replace(piece, contract, expected) {
      return rows.get(piece.numero)?.version === expected ? put({ piece, version: version(), contract }) : undefined
    },
    close: () => {},
  }
}

const samePlace = ({ piece: a }: Row, { piece: b }: Row): boolean =>
  a.fechaDeEntrada === b.fechaDeEntrada && a.sucursalDeDistribucion === b.sucursalDeDistribucion

/**
 * Returns the index of a row in a list that is sorted by date and number, or the index at which to
 * insert it.
 */
function placeOf(list: readonly Row[], { piece }: Row): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = (list[middle] as Row).piece
    const before =
      other.fechaDeEntrada === piece.fechaDeEntrada
        ? other.numero < piece.numero
        : other.fechaDeEntrada < piece.fechaDeEntrada
    if (before) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A custom adapter that declares no optional features. Every record is a new, unfrozen object, like
 * the objects that a database driver returns. The adapter reads its lists of pieces from the store
 * of the hand-written servers, so it lists pieces as fast as those servers do.
 */
import type { Adapter, ListRequest, Stored } from 'express-rest-conventions'
import type { ListQuery } from '../by-hand/list-query.js'
import { memoryStore, type Row } from '../by-hand/store.js'
import { contracts, pieces } from '../data/records.js'
import type { Contrato, Pieza } from '../data/resources.js'

/** Returns read-only adapters, because the workloads request only items and pages. */
export function ownAdapters(): {
  readonly piezas: Adapter<Pieza, number>
  readonly contratos: Adapter<Contrato, string>
} {
  const store = memoryStore(pieces(), contracts())
  const all = contracts()
  return {
    piezas: {
      async list(request) {
        const { rows, total } = await store.list(queryOf(request))
        return { items: rows.map(storedPiece), total }
      },
      async read(keys) {
        const rows = await Promise.all(keys.map((key) => store.read(key)))
        return rows.map((row) => row && storedPiece(row))
      },
    },
    contratos: {
      async list({ offset, size }) {
        return { items: all.slice(offset, offset + size).map(storedContract), total: all.length }
      },
      async read(keys) {
        const found = await Promise.all(keys.map((key) => store.contract(key)))
        return found.map((contract) => contract && storedContract(contract))
      },
    },
  }
}

const storedPiece = ({ piece, version }: Row): Stored<Pieza> => ({
  value: {
    ...piece,
    destinatario: { ...piece.destinatario, telefonos: [...piece.destinatario.telefonos] },
    destinoInformado: { ...piece.destinoInformado },
  },
  version,
})

/** The version is constant, because contracts are never written here. */
const storedContract = (contract: Contrato): Stored<Contrato> => ({ value: { ...contract }, version: '1' })

function queryOf({ where, sort, offset, size }: ListRequest): ListQuery {
  const value = (field: keyof Pieza): unknown => {
    const condition = where.find((one) => one.field === field)
    if (condition !== undefined && condition.op !== 'eq')
      throw new Error(`The operator "${condition.op}" is not supported here.`)
    return condition?.value
  }
  const [first] = sort
  return {
    branch: value('sucursalDeDistribucion') as number | undefined,
    lote: value('lote') as string | undefined,
    sort: first?.field as ListQuery['sort'],
    descending: first?.descending === true,
    offset,
    limit: size,
    expand: false,
  }
}

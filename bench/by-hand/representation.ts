/**
 * Converts records to representations, and back. In a representation, a link or the whole contract
 * takes the place of the contract's key.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { contractsPath, origin, piecesPath } from '../data/addresses.js'
import { type Contrato, type Pieza, piezaSchema } from '../data/resources.js'
import { invalid } from './problem.js'
import type { Row, Store } from './store.js'

const contractsAddress = `${origin}${contractsPath}/`
const piecesAddress = `${origin}${piecesPath}/`

export const addressOf = (numero: number): string => piecesAddress + numero

export type WirePieza = Omit<Pieza, 'contratoId'> & { readonly contrato: object }

export function represent({ piece, contract }: Row, expand = false): WirePieza {
  return {
    contrato: expand ? contract : linkTo(contract),
    destinatario: piece.destinatario,
    destinoInformado: piece.destinoInformado,
    fechaDeEntrada: piece.fechaDeEntrada,
    lote: piece.lote,
    numero: piece.numero,
    numeroDeEnvio: piece.numeroDeEnvio,
    sucursalDeDistribucion: piece.sucursalDeDistribucion,
    valorACobrar: piece.valorACobrar,
    valorDeclarado: piece.valorDeclarado,
  }
}

function linkTo({ codigo, esCorporativo, esUrgente, estaActivo }: Contrato): object {
  return { href: contractsAddress + codigo, esCorporativo, esUrgente, estaActivo }
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$/
const ajv = new Ajv2020({ formats: { 'local-date-time': dateTime } })
const isPiece = ajv.compile(piezaSchema) as unknown as ValidateFunction<Pieza>

/**
 * Validates the body of a POST, and reads the contract that it links to. Throws a `Problem` with
 * status 422 if the body is invalid. The store assigns the number of the piece later.
 */
export async function newPiece(body: unknown, store: Store): Promise<{ piece: Pieza; contract: Contrato }> {
  const { contrato, ...rest } = objectOf(body)
  return checked({ ...rest, numero: 0, contratoId: codeOf(contrato) }, store)
}

/**
 * Applies a merge patch (RFC 7396) to a piece. Reads the new contract if the link changes. Throws a
 * `Problem` with status 422 if the result is invalid.
 */
export async function patchedPiece(
  { piece, contract }: Row,
  patch: unknown,
  store: Store,
): Promise<{ piece: Pieza; contract: Contrato }> {
  const { contrato, ...rest } = objectOf(patch)
  const merged = merge(piece, rest) as Record<string, unknown>
  if (contrato !== undefined) merged.contratoId = codeOf(contrato)
  if (merged.numero !== piece.numero) throw invalid('"numero" is the key, which never changes.')
  if (merged.contratoId !== piece.contratoId) return checked(merged, store)
  if (!isPiece(merged)) throw invalid(ajv.errorsText(isPiece.errors))
  return { piece: merged, contract }
}

async function checked(record: object, store: Store): Promise<{ piece: Pieza; contract: Contrato }> {
  if (!isPiece(record)) throw invalid(ajv.errorsText(isPiece.errors))
  const contract = await store.contract(record.contratoId)
  if (contract === undefined) throw invalid('The target of "contrato" does not exist.')
  return { piece: record, contract }
}

function codeOf(link: unknown): string {
  const href = typeof link === 'object' && link !== null ? (link as { href?: unknown }).href : undefined
  if (typeof href !== 'string' || !href.startsWith(contractsAddress))
    throw invalid('"contrato" must be a link to a contract.')
  return href.slice(contractsAddress.length)
}

function objectOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('The body must be an object.')
  return body as Record<string, unknown>
}

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const merged: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = merge(merged[name], value)
  }
  return merged
}

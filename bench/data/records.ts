/**
 * The records: pieces, which are shipments, and their contracts. They are the same in every process
 * and every run.
 */
import type { Contrato, Pieza } from './resources.js'

/** The number of pieces. */
export const pieceCount = 10_000
/**
 * The number of branches of the courier company. Pieces are distributed evenly, so a filter by
 * branch matches a fortieth of all pieces.
 */
export const branchCount = 40
const contractCount = 200

const surnames = ['Gómez', 'Fernández', 'Núñez', 'Pereyra', 'Íbarra', 'Sosa', 'Quiroga']
const names = ['Ana', 'José', 'María', 'Tomás', 'Lucía', 'Inés', 'Raúl']
const cities = ['Córdoba', 'Rosario', 'La Plata', 'Mendoza', 'Salta', 'Neuquén']
const services = ['estándar', 'urgente', 'retiro']

const pick = (from: readonly string[], at: number): string => from[at % from.length] as string

export function contracts(): Contrato[] {
  return Array.from({ length: contractCount }, (_, at) => ({
    codigo: contractCode(at),
    descripcion: `Distribución ${pick(cities, at)} a domicilio, condición ${at % 9}`,
    esCorporativo: at % 2 === 0,
    esUrgente: at % 3 === 0,
    estaActivo: at % 5 !== 0,
    tipoDeServicio: pick(services, at),
  }))
}

export function pieces(): Pieza[] {
  return Array.from({ length: pieceCount }, (_, at) => piece(at + 1))
}

/** Returns one piece. Dates are unique, so the order by date is unambiguous. */
export function piece(numero: number): Pieza {
  return {
    contratoId: contractCode((numero * 7) % contractCount),
    destinatario: {
      apellido: pick(surnames, numero),
      documento: String(20_000_000 + numero * 37),
      email: numero % 4 === 0 ? null : `cliente${numero}@correo.example`,
      nombre: pick(names, numero * 3),
      telefonos: numero % 3 === 0 ? [] : [`+54 11 5555-${String(numero % 10_000).padStart(4, '0')}`],
    },
    destinoInformado: {
      calle: `Av. San Martín ${numero % 90}`,
      ciudad: pick(cities, numero),
      codigoPostal: String(1000 + (numero % 8000)),
      numero: String((numero * 13) % 5000),
      pais: 'Argentina',
      provincia: pick(cities, numero + 1),
    },
    fechaDeEntrada: dateOf(numero),
    lote: `L-${1 + (numero % 500)}`,
    numero,
    numeroDeEnvio: `ENV-${String(numero).padStart(8, '0')}`,
    sucursalDeDistribucion: 1 + (numero % branchCount),
    valorACobrar: (numero % 700) + 0.5,
    valorDeclarado: (numero * 11) % 90_000,
  }
}

const contractCode = (at: number): string => `C-${String(at + 1).padStart(4, '0')}`

/**
 * Returns the date of a piece. Dates are in pseudo-random order, without duplicates: the modulus
 * 20,011 is a prime above the number of pieces, so each piece has a different remainder.
 */
function dateOf(numero: number): string {
  const minute = (numero * 7919) % 20_011
  return `${new Date(Date.UTC(2025, 0, 1) + minute * 60_000).toISOString().slice(0, 19)}.0000000`
}

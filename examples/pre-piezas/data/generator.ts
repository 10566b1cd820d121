/**
 * Generates records. The same `size` always results in the same records. With the default
 * `SEED_SIZE`, every member, type and null value of the worked example in the conventions occurs in
 * the records.
 */
import type { Cliente } from '../resources/clientes.js'
import type { CodigoPostal } from '../resources/codigos-postales.js'
import type { Componente } from '../resources/componentes.js'
import type { Contrato } from '../resources/contratos.js'
import type { PrePieza } from '../resources/pre-piezas.js'
import type { Sucursal } from '../resources/sucursales.js'
import { type Random, seededRandom } from './random.js'
import {
  branches,
  cities,
  companies,
  names,
  oddContracts,
  packages,
  provinces,
  services,
  streets,
  surnames,
} from './words.js'

/** All records of the service. */
export interface Data {
  readonly prePiezas: readonly PrePieza[]
  readonly componentes: readonly Componente[]
  readonly contratos: readonly Contrato[]
  readonly clientes: readonly Cliente[]
  readonly codigosPostales: readonly CodigoPostal[]
  readonly sucursales: readonly Sucursal[]
}

/**
 * Generates all records. `size` is the number of pre-pieces. There are about a twentieth as many
 * contracts, and about a fiftieth as many clients.
 */
export function generate(size: number): Data {
  const clientes = series(Math.max(3, Math.round(size / 50)), seededRandom(1), cliente)
  const contratos = series(Math.max(5, Math.round(size / 20)), seededRandom(2), (i, random) =>
    contrato(i, random, clientes),
  )
  return {
    clientes,
    contratos,
    prePiezas: series(size, seededRandom(3), (i, random) => prePieza(i, random, contratos)),
    // The pre-pieces have 0, 1, 2 and 3 components in turn.
    componentes: series(size, seededRandom(4), (i, random) =>
      series(i % 4, random, (j) => componente(i + 1, j + 1, random)),
    ).flat(),
    codigosPostales: cities.map(([codigo, ciudad, provincia], i) => ({
      codigo,
      ciudad,
      idCiudad: 100 + i,
      idPais: argentina,
      idProvincia: provincia + 1,
    })),
    sucursales: generateSucursales(),
  }
}

/** Generates the branches. Their number does not depend on `size`. */
export const generateSucursales = (): Sucursal[] =>
  branches.map(([nomenclatura, descripcion]) => ({ nomenclatura, descripcion }))

const argentina = 54

const series = <T>(length: number, random: Random, make: (i: number, random: Random) => T): T[] =>
  Array.from({ length }, (_, i) => make(i, random))

const digits = (value: number, length: number): string => String(value).padStart(length, '0')

function cliente(i: number, random: Random): Cliente {
  return {
    id: i + 1,
    razonSocial: `${random.pick(companies)} ${i + 1}`,
    cuit: `30-${digits(50_000_000 + i, 8)}-${random.between(0, 9)}`,
    email: i % 3 === 2 ? null : `contacto+${i + 1}@cliente.example`,
  }
}

function contrato(i: number, random: Random, clientes: readonly Cliente[]): Contrato {
  const ciclo = (name: string, permiteEntregaEnMostrador: boolean | null) => ({
    href: `https://operaciones.example/v1/${name}/${random.between(1, 9)}`,
    permiteEntregaEnMostrador,
    permiteReenvio: random.once(2),
  })
  // The values are used in turn, so that even a few contracts include all cases.
  const turn = (shift: number): boolean | null => [true, false, null][(i + shift) % 3] ?? null
  const known = i % 4 !== 3
  const localidad = random.between(1, 5000)
  return {
    cicloDeDistribucion: ciclo('ciclos-de-distribucion', turn(0)),
    cicloDeReenvio: ciclo('ciclos-de-reenvio', turn(1)),
    cicloDeRendicionParaEntrega: ciclo('ciclos-de-rendicion', turn(2)),
    cicloDeRendicionParaNoEntrega: ciclo('ciclos-de-rendicion', turn(0)),
    clienteId: i % 5 === 4 ? null : random.pick(clientes).id,
    codigoDeContratoInterno: oddContracts.get(i) ?? `C-${digits(i + 1, 4)}`,
    descripcion: `${random.pick(services)} para ${random.pick(companies)}`,
    direccionPostal: {
      href: known ? `https://geografia.example/v1/direcciones/${localidad}` : null,
      idLocalidad: known ? localidad : null,
      idPais: known ? argentina : null,
      idProvincia: known ? random.between(1, provinces.length) : null,
      iditg: known ? `ITG-${localidad}` : null,
    },
    esCorporativo: random.once(2),
    esRecanalizable: random.once(2),
    esUrgente: random.once(3),
    estaActivo: i === 0 || !random.once(5),
    iditg: `ITG-${digits(i, 6)}`,
    tipoDeServicio: random.pick(services),
  }
}

/** A sender or recipient. Every seventh sender or recipient has nulls instead of data. */
function persona(i: number, random: Random): PrePieza['destinatario'] {
  if (i % 7 === 6) {
    return {
      apellido: null,
      documento: null,
      nombre: null,
      nombreCompleto: null,
      email: null,
      tipoDocumento: null,
      telefonos: [],
    }
  }
  const nombre = random.pick(names)
  const apellido = random.pick(surnames)
  const identified = !random.once(4)
  return {
    apellido,
    documento: identified ? String(random.between(10_000_000, 49_999_999)) : null,
    nombre,
    nombreCompleto: `${nombre} ${apellido}`,
    email: random.once(3) ? null : `persona${random.between(1, 9999)}@correo.example`,
    tipoDocumento: identified ? random.pick(['DNI', 'LE', 'Pasaporte']) : null,
    telefonos: series(
      random.between(0, 2),
      random,
      () => `+54 9 11 ${random.between(2000, 6999)}-${digits(random.between(0, 9999), 4)}`,
    ),
  }
}

function prePieza(i: number, random: Random, contratos: readonly Contrato[]): PrePieza {
  const [codigo, ciudad, provincia] = random.pick(cities)
  return {
    // The first pre-pieces refer to the contracts in turn, so that each contract with an unusual
    // key has a pre-piece.
    contratoId: (i < 5 ? contratos[i] : random.pick(contratos))?.codigoDeContratoInterno ?? '',
    cpDestinoId: codigo,
    destinatario: persona(i, random),
    remitente: persona(i + 3, random),
    destinoInformado: {
      calle: random.pick(streets),
      ciudad,
      codigoPostal: String(codigo),
      numero: random.once(9) ? 'S/N' : String(random.between(1, 9999)),
      pais: 'Argentina',
      provincia: provinces[provincia] ?? '',
    },
    fechaDeEntrada: moment(i, random),
    lote: `L-${digits(Math.floor(i / 20) + 1, 4)}`,
    subLote: random.pick(['A', 'B', 'C']),
    numero: i + 1,
    numeroDeEnvio: `36${digits(i + 1, 10)}`,
    sucursalDeDistribucion: random.between(1, branches.length),
    sucursalDeImposicion: random.between(1, branches.length),
    valorACobrar: random.once(2) ? 0 : random.between(0, 999_999) / 100,
    valorDeclarado: random.between(0, 99_999_999) / 100,
  }
}

/**
 * A time in 2026 with seven fractional digits. For every tenth record, the fractional digits are
 * all nines.
 */
function moment(i: number, random: Random): string {
  const second = new Date(Date.UTC(2026, 0, 1, 0, 0, random.between(0, 300 * 24 * 3600 - 1))).toISOString().slice(0, 19)
  return `${second}.${i % 10 === 1 ? '9999999' : digits(random.between(0, 9_999_999), 7)}`
}

function componente(numeroDeCabecera: number, secuencia: number, random: Random): Componente {
  return { numeroDeCabecera, secuencia, descripcion: random.pick(packages), peso: random.between(1, 30_000) / 1000 }
}

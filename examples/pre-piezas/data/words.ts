/**
 * The values of generated records. Some values are difficult on purpose: they contain accents,
 * quotes, emoji, `/`, `%` or `,`.
 */

export const names = [
  'José',
  'María',
  'Ñusta',
  'Zoë',
  'Lucía',
  'Iván',
  'Martín',
  'Sofía',
  'Jürgen',
  'Ana "Nita"',
  '李雷',
  'Renée',
] as const

export const surnames = [
  'Pérez',
  'Núñez',
  "D'Angelo",
  'Güiraldes',
  'Fernández-Álvarez',
  'Çelik',
  "O'Higgins",
  'Muñoz',
  'Gómez/Paz',
  'Ibáñez',
] as const

export const streets = [
  'Avenida Ñandú',
  'San Martín',
  'Calle "9 de Julio"',
  'Güemes',
  'Pasaje 50%',
  'Belgrano, fondo',
  'Ruta 3/Km',
] as const

export const companies = [
  'Librería «El Ateneo»',
  'Ñandú Envíos S.A.',
  'Peña & Hijos',
  'Tienda 🚚 Rápida',
  '"La Española" S.R.L.',
  'Bodegas del Sur 100%',
  'Óptica Visión, Cía.',
] as const

export const services = ['Estándar', 'Urgente', 'Sucursal a sucursal', 'Devolución'] as const

/**
 * Unusual contract keys, by the index of the contract. They show how an id is encoded in a path
 * (PATH-11).
 */
export const oddContracts: ReadonlyMap<number, string> = new Map([
  [1, 'C-0001/ñ'],
  [2, '50% desc,uento=1'],
  [3, 'C "3" 🚚 #?'],
])

export const packages = ['Caja', 'Sobre', 'Tubo', 'Bolsín acolchado', 'Pallet ½', 'Caja frágil 🍷'] as const

export const provinces = [
  'Buenos Aires',
  'Córdoba',
  'Santa Fe',
  'Mendoza',
  'Tucumán',
  'Entre Ríos',
  'Salta',
  'Neuquén',
  'Río Negro',
  'Chubut',
] as const

/** Postal code, city, and the index of its province. */
export const cities: readonly (readonly [codigo: number, ciudad: string, provincia: number])[] = [
  [1602, 'Florida', 0],
  [1642, 'San Isidro', 0],
  [1663, 'San Miguel', 0],
  [1706, 'Haedo', 0],
  [1832, 'Lomas de Zamora', 0],
  [1878, 'Quilmes', 0],
  [1900, 'La Plata', 0],
  [2000, 'Rosario', 2],
  [2300, 'Rafaela', 2],
  [2400, 'San Francisco', 1],
  [2600, 'Venado Tuerto', 2],
  [2700, 'Pergamino', 0],
  [2820, 'Gualeguaychú', 5],
  [3000, 'Santa Fe', 2],
  [3100, 'Paraná', 5],
  [3200, 'Concordia', 5],
  [3280, 'Colón', 5],
  [4000, 'San Miguel de Tucumán', 4],
  [4107, 'Yerba Buena', 4],
  [4142, 'Monteros', 4],
  [4400, 'Salta', 6],
  [4427, 'Cafayate', 6],
  [4530, 'Orán', 6],
  [5000, 'Córdoba', 1],
  [5152, 'Villa Carlos Paz', 1],
  [5186, 'Alta Gracia', 1],
  [5500, 'Mendoza', 3],
  [5501, 'Godoy Cruz', 3],
  [5515, 'Maipú', 3],
  [5600, 'San Rafael', 3],
  [5800, 'Río Cuarto', 1],
  [5900, 'Villa María', 1],
  [7000, 'Tandil', 0],
  [7600, 'Mar del Plata', 0],
  [8000, 'Bahía Blanca', 0],
  [8300, 'Neuquén', 7],
  [8332, 'General Roca', 8],
  [8400, 'San Carlos de Bariloche', 8],
  [8370, 'San Martín de los Andes', 7],
  [9000, 'Comodoro Rivadavia', 9],
  [9120, 'Puerto Madryn', 9],
]

export const branches: readonly (readonly [nomenclatura: string, descripcion: string])[] = [
  ['AEP', 'Aeroparque'],
  ['BHI', 'Bahía Blanca'],
  ['BRC', 'Bariloche'],
  ['CBA', 'Córdoba Centro'],
  ['LPA', 'La Plata'],
  ['MDZ', 'Mendoza'],
  ['NQN', 'Neuquén'],
  ['PRÁ', 'Paraná'],
  ['ROS', 'Rosario "Sur"'],
  ['TUC', 'San Miguel de Tucumán'],
]

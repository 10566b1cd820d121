/** The requests that one tenant sends, for the tests of row-level scope. */

/** The path of a record outside the scope, with the request bodies for POST, PUT and PATCH. */
interface Address {
  readonly path: string
  readonly post?: unknown
  readonly put?: unknown
  readonly patch?: unknown
  /**
   * Set if the owner of the record cannot see this path either, for example because the record is
   * not below the parent in the path.
   */
  readonly hiddenFromOwner?: true
  /** Set if the path is that of a sub-collection. */
  readonly list?: true
  /** The status that the owner of the record gets for GET. Default: 200. */
  readonly ownerStatus?: number
}

/** Paths of many kinds. Each path names a record outside the scope. */
export function addresses(me: string, other: string): Address[] {
  const contrato = { descripcion: 'nueva', activo: true, marcas: [] }
  const linea = (tenant: string, n: number) => `contrato=${tenant}-k1,numero=${n}`
  const texto = { put: { texto: 'nuevo' }, patch: { texto: 'nuevo' } }
  return [
    { path: `/v2/empresas/${other}`, put: { lema: 'nuevo' }, patch: { lema: 'nuevo' } },
    { path: `/v2/clientes/${other}-c1`, put: { nombre: 'nuevo' }, patch: { nombre: 'nuevo' } },
    { path: `/v2/contratos/${other}-k1`, put: contrato, patch: { importe: 5 } },
    { path: `/v2/contratos/${other}-k1/activo`, ownerStatus: 204 },
    { path: `/v2/contratos/${other}-k4/activo`, ownerStatus: 404 },
    { path: `/v2/contratos/${other}-k1/lineas`, post: { numero: 77, texto: 'x' }, list: true },
    { path: `/v2/contratos/${other}-k1/lineas/${linea(other, 1)}`, ...texto },
    { path: `/v2/contratos/${me}-k1/lineas/${linea(other, 1)}`, ...texto, hiddenFromOwner: true },
    { path: `/v2/contratos/${other}-k1/lineas/${linea(me, 1)}`, ...texto, hiddenFromOwner: true },
    { path: `/v2/clientes/${other}-c1/contratos`, post: { ...contrato, codigo: `${me}-nuevo` }, list: true },
    { path: `/v2/clientes/${other}-c1/contratos/${other}-k1` },
    { path: `/v2/clientes/${other}-c1/contratos/${me}-k2`, hiddenFromOwner: true },
    { path: `/v2/clientes/${other}-c1/contratos/${me}-k3`, hiddenFromOwner: true },
    { path: `/v2/clientes/${me}-c1/contratos/${other}-k1`, hiddenFromOwner: true },
    { path: `/v2/carteras/${other}-t1`, put: {}, patch: {} },
    { path: `/v2/carteras/${other}-t1/depositos`, post: { ...contrato, codigo: `${me}-nuevo` }, list: true },
    { path: `/v2/carteras/${other}-t1/depositos/${other}-k1` },
    { path: `/v2/carteras/${other}-t1/depositos/${me}-k1`, hiddenFromOwner: true },
    { path: `/v2/carteras/${me}-t1/depositos/${other}-k1`, hiddenFromOwner: true },
    { path: `/v2/etiquetas/comun/marcados/${other}-k1` },
    { path: `/v2/partes/empresa=${other},numero=1`, ...texto },
    { path: `/v2/notas/${other}-n1`, ...texto },
    { path: `/v2/notas/${me}-ajena`, ...texto, hiddenFromOwner: true },
    { path: `/v2/notas/${me}-anonima`, ...texto, hiddenFromOwner: true },
    { path: `/v2/sellos/${other}-s1`, ...texto },
    { path: `/v2/cierres/${other}-x1`, ...texto },
    { path: `/v1/contratos/${other}-k1`, put: { titulo: 'nuevo' }, patch: { titulo: 'nuevo' } },
  ]
}

/**
 * Paths of a tenant's own lists and records, some with a query that tries to find records of the
 * other tenant.
 */
export function lists(me: string, other: string): string[] {
  const contratos = [
    '',
    'limit=1',
    'limit=1&offest=2',
    'limit=2&offest=99',
    'sort=descripcion',
    'sort=-importe,descripcion&limit=2',
    'sort=empresa',
    'sinImporte=true',
    'sinImporte=false',
    'importe=10',
    'importeDesde=15',
    'importeHasta=15',
    `descripcion=comun%20${other}%202`,
    `descripcion=comun%20${other}%202&descripcion=comun%20${me}%202`,
    `codigo=${other}-k1`,
    `codigo=${other}-k1&codigo=${me}-k1`,
    `empresa=${other}`,
    `empresa=${me}`,
    'marca=comun',
    `marca=${other}`,
    'q=comun',
    'q=comun%20OR%20raro',
    `q=${other}`,
    `q=${other}%20OR%20${me}&limit=1`,
    `q=comun%20-${other}`,
    'expand=cliente',
    'expand=cliente&limit=1&sort=-descripcion',
  ]
  return [
    ...contratos.map((query) => `/v2/contratos?${query}`),
    ...['empresas', 'clientes', 'carteras', 'etiquetas', 'partes', 'notas', 'sellos', 'cierres'].map(
      (name) => `/v2/${name}`,
    ),
    '/v2/clientes?q=comun',
    `/v2/clientes?q=${other}`,
    '/v2/partes?numero=1',
    '/v2/notas?sinAutor=true',
    '/v2/notas?autor=otra',
    '/v2/notas?expand=linea,parte',
    '/v2/etiquetas/comun/marcados',
    '/v2/etiquetas/comun/marcados?limit=1&expand=cliente',
    '/v2/etiquetas/comun/marcados?q=comun',
    `/v2/carteras/${me}-t1/depositos`,
    `/v2/clientes/${me}-c1/contratos`,
    `/v2/contratos/${me}-k1/lineas?sort=texto`,
    `/v2/contratos/${me}-k3`,
    `/v2/contratos/${me}-k3?expand=cliente`,
    `/v2/notas/${me}-n2?expand=linea,parte`,
    '/v1/contratos?sort=titulo',
    `/v1/contratos?titulo=comun%20${other}%202`,
    `/v1/contratos?q=comun%20OR%20raro`,
  ]
}

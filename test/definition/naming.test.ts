import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkCollectionName, checkSegment } from '../../src/definition/naming.js'
import * as lists from '../../src/definition/naming-words.js'
import { type ConfigurationCode, ConfigurationError } from '../../src/problem.js'
import { cpuTime } from '../cpu-time.js'

const words = (text: string) => text.trim().split(/\s+/)

function refusal(check: () => void): ConfigurationError | undefined {
  try {
    check()
  } catch (error) {
    if (error instanceof ConfigurationError) return error
    throw error
  }
  return undefined
}

const collectionCode = (name: string): ConfigurationCode | 'passes' =>
  refusal(() => checkCollectionName(name))?.code ?? 'passes'
const segmentCode = (name: string): ConfigurationCode | 'passes' => refusal(() => checkSegment(name))?.code ?? 'passes'
const message = (name: string) => refusal(() => checkCollectionName(name))?.message

const good = {
  courier: `
    pre-piezas piezas envios envíos remitos sucursales codigos-postales codigosPostales ordenes-de-compra ordenes_de_retiro contratos
    destinatarios ciclos-de-distribucion camiones choferes hojas-de-ruta parcels shipments tracking-events delivery-attempts drop-offs
    pick-ups pickups customs-declarations zip-codes aircraft freight vehicles autobuses omnibus`,
  insurer: `
    polizas pólizas siniestros policies claims claimants premiums coverages endosos peritos asegurados indemnizaciones risk-factors
    adjusters underwriters bienes make-models personas-juridicas beneficiarios add-ons fraud-cases`,
  bank: `
    cuentas accounts accounts-payable accounts-receivable savings-accounts transferencias transfers tarjetas-de-credito notas-de-credito
    pagares alias plazos-fijos prestamos interest-rates tasas-de-interes intereses pay-periods sell-orders write-offs customer-data
    CBUs SKUs IBANs IDsDeCuenta customerIDs prospectuses deberes ledger-entries payroll-runs do-not-call-lists currencies`,
  hospital: `
    pacientes patients people children women nursing-staff marketing-de-producto personal personal-medico equipment medical-equipment feedback diagnoses
    diagnosis dosis analisis análisis crisis tesis virus campus pelvis criteria data metadata media bacteria vertebrae radii feet teeth
    mice species series mujeres talleres deberes celulares turnos historias-clinicas especialidades covid19-cases habitaciones
    salesmen firemen grandchildren pancreas radiografias-de-torax`,
  shop: `
    customers customer-invoices invoices productos productos3d mp3s lugares hogares alquileres poderes orders order-items updates searches
    lists reports requests exports settings findings addresses search-results searchResults update-jobs list-prices edit-histories
    set-menus set-de-cubiertos deploy-keys allow-lists deny-rules save-files sign-up-forms opt-ins check-ins años categorías categorias
    ropa ropa-deportiva calzado merchandise news sms gafas paraguas duplex inventories agendas facturas2024 facturas-2024 fish sheep
    software hardware information police cattle bureaux emoji emojis 客户 заказы PRODUCTOS _links`,
}

const singular = words(`
  invoice customer customer-invoice order orderItem order_item account address class process status bus campaign bonus
  analysis basis canvas gas lens person child woman man employee patient policy claim premium shipment parcel inventory history company
  category agenda schema stock email insurance billing-address business equipment-item staff-member user2 search-result check-in
  factura pieza pre-pieza prePieza codigo-postal orden-de-compra nota-de-credito cliente camion camión país pais mes interés interes
  tasa-de-interes autobus autobús sucursal taller lugar mujer examen resumen volumen crimen regimen poliza póliza siniestro cuenta
  tarjeta paciente turno producto pedido categoría ciudad region envio remito prestamo dictamen previous-invoice
  specimen 2024 FACTURA historiaClinica deleted pending`)

const verbal = words(`
  get create update delete edit find list search add remove set fetch cancel send save make do run get-invoices getInvoices GetInvoices
  get_invoices GETInvoices create-order createOrders update-invoices updateOrder delete-customers edit-customers find-stores find-by-names list-orders
  search-products add-items remove-lines set-salaries fetch-rates cancel-shipments send-parcels save-drafts make-payments do-payments run-payrolls
  verify-identities generate-reports pay validate-addresses approve-loans assign-beds
  obtener crear actualizar eliminar borrar editar buscar listar agregar añadir anular obtener-clientes obtenerClientes crear_facturas
  crearFactura eliminar-piezas borrarPiezas buscar-envios listar-sucursales agregar-items enviar-remitos pagar-cuentas facturar
  imprimir-etiquetas obtén-saldos actualiza-precios elimina-turnos verificar-polizas cotizar-seguros denunciar-siniestros agendar-turnos
  añadir-años`)

const dotted = words('invoices.pdf piezas.json facturas.xml invoices. .htaccess invoices.tar.gz a.b categorías.csv')

const malformed = [
  ...words(
    '/ invoices/lines /invoices invoices?x=1 invoices#top a%C3%B1os 50% . .. ... ' +
      '-invoices invoices- - -- _ v1 V8 v12 v1.2 {id} :id {facturaId} a=b',
  ),
  ...words('a&b a;b a,b a:b a@b a*b (a) [a] <b> a\\b a"b a+b'),
  ...[
    '',
    ' ',
    'mis facturas',
    'facturas ',
    '\tfacturas',
    'a\nb',
    'a\u0000b',
    'a\u007fb',
    'a\u00a0b',
    'a\u200bb',
    'a\ud800',
    '\udc00a',
    '📦',
    '{\n}',
  ],
]

describe('collection names', () => {
  it.each(Object.entries(good))(
    'PATH-2, PATH-10: plural nouns that a %s uses are accepted, in English and Spanish',
    (_, names) => {
      expect(words(names).filter((name) => collectionCode(name) !== 'passes')).toEqual([])
    },
  )

  it.each(singular)('PATH-2: "%s" is refused, because it is not a plural noun', (name) => {
    expect(collectionCode(name)).toBe('name-not-plural')
  })

  it.each(verbal)('PATH-3: "%s" is refused, because it names an action', (name) => {
    expect(collectionCode(name)).toBe('name-is-verb')
  })

  it.each(dotted)('PATH-4: "%s" is refused, because it contains a dot', (name) => {
    expect(collectionCode(name)).toBe('name-has-format')
    expect(segmentCode(name)).toBe('name-has-format')
  })

  it.each(malformed.map((name) => [JSON.stringify(name), name] as const))(
    'PATH-10: %s is refused as malformed',
    (_, name) => {
      expect(collectionCode(name)).toBe('name-malformed')
      expect(segmentCode(name)).toBe('name-malformed')
    },
  )

  it.each([undefined, null, 7, {}, ['invoices'], Symbol('invoices')])(
    'PATH-10: a name that is not a string (%s) is refused as malformed',
    (name) => {
      expect(collectionCode(name as string)).toBe('name-malformed')
      expect(segmentCode(name as string)).toBe('name-malformed')
    },
  )
})

describe('messages', () => {
  it.each([
    ['invoice', '"invoices"'],
    ['category', '"categories"'],
    ['box', '"boxes"'],
    ['key', '"keys"'],
    ['address', '"addresses"'],
    ['status', '"statuses"'],
    ['analysis', '"analyses"'],
    ['person', '"people"'],
    ['bankPerson', '"bankPeople"'],
    ['order', '"orders"'],
    ['transaction', '"transactions"'],
    ['orderItem', '"orderItems"'],
    ['user2', '"users2"'],
    ['factura', '"facturas"'],
    ['FACTURA', '"FACTURAS"'],
    ['camion', '"camiones"'],
    ['camión', '"camiones"'],
    ['almacén', '"almacenes"'],
    ['móvil', '"móviles"'],
    ['país', '"países"'],
    ['interés', '"intereses"'],
    ['autobús', '"autobuses"'],
    ['ciudad', '"ciudades"'],
    ['lapiz', '"lapices"'],
    ['mujer', '"mujeres"'],
    ['orden-de-compra', '"ordenes-de-compra"'],
    ['codigo-postal', '"codigos-postales"'],
    ['historiaClinica', '"historiasClinicas"'],
    ['hospital', '"hospitals" or "hospitales"'],
  ])('PATH-2: the message for the singular "%s" suggests %s', (name, suggestion) => {
    expect(message(name)).toContain(`${JSON.stringify(name)} is not a plural noun. Use ${suggestion}.`)
    expect(message(name)).toMatch(/\[PATH-2 name-not-plural\]$/)
  })

  it('PATH-2: every plural that a message suggests for a singular is itself an accepted name', () => {
    const suggestions = singular.flatMap((name) =>
      [...(/Use (.*?)\./u.exec(message(name) ?? '')?.[1]?.matchAll(/"(.*?)"/gu) ?? [])].map(
        ([, suggestion]) => suggestion ?? '',
      ),
    )
    expect(suggestions.length).toBeGreaterThan(singular.length - 2)
    expect(suggestions.filter((suggestion) => collectionCode(suggestion) !== 'passes')).toEqual([])
  })

  it.each([
    ['get-invoices', '"invoices"'],
    ['createOrder', '"Orders"'],
    ['añadir-años', '"años"'],
    ['crear-factura', '"facturas"'],
  ])('PATH-3: for "%s" the message suggests %s, and lists the ways to express an action', (name, suggestion) => {
    expect(message(name)).toContain(`${JSON.stringify(name)} names an action. Name its contents, ${suggestion}:`)
    expect(message(name)).toMatch(/PATCH.*flag.*endpoint\(\).*PATH-8.*\[PATH-3 name-is-verb\]$/)
  })

  it.each(['search', 'edit'])(
    'PATH-3, PATH-8: for a collection or a segment with the name "%s", the message mentions endpoint()',
    (name) => {
      expect(() => checkCollectionName(name)).toThrow(/endpoint\(\)/)
      expect(() => checkSegment(name)).toThrow(/endpoint\(\)/)
    },
  )

  it('PATH-4: for a name with a format, the message mentions Accept and suggests the name without the format', () => {
    expect(message('invoices.pdf')).toMatch(/"invoices\.pdf".*Accept.*Use "invoices"\. \[PATH-4 name-has-format\]$/)
  })

  it.each([
    ['mis facturas', '" " (U+0020)', '"mis-facturas"'],
    ['facturas?estado=1', '"?" (U+003F)', '"facturas"'],
    ['a\u200bb', '(U+200B)', '"a-b"'],
    ['-invoices', '"-"', '"invoices"'],
  ])('PATH-10: the message for %j says what is malformed, and suggests a valid name', (name, odd, suggestion) => {
    expect(message(name)).toContain(odd)
    expect(message(name)).toContain(`Use ${suggestion}.`)
  })
})

describe('exceptions in the option "allow"', () => {
  it('PATH-8, PATH-10: a name is accepted if the option "allow" lists it with a reason', () => {
    const allow = { insurance: 'The word the hospital uses.', search: 'Across all types.' }
    expect(refusal(() => checkCollectionName('insurance', allow))).toBeUndefined()
    expect(refusal(() => checkCollectionName('search', allow))).toBeUndefined()
    expect(refusal(() => checkCollectionName('invoice', allow))?.code).toBe('name-not-plural')
  })

  it('PATH-10: an exception must match the name exactly. Members of Object.prototype are not exceptions', () => {
    expect(refusal(() => checkCollectionName('Insurance', { insurance: 'x' }))?.code).toBe('name-not-plural')
    expect(collectionCode('constructor')).toBe('name-not-plural')
    expect(collectionCode('valueOf')).toBe('name-not-plural')
  })

  it('PATH-4, PATH-10: no exception permits a malformed name or a name with a format', () => {
    expect(refusal(() => checkCollectionName('a b', { 'a b': 'x' }))?.code).toBe('name-malformed')
    expect(refusal(() => checkCollectionName('a.pdf', { 'a.pdf': 'x' }))?.code).toBe('name-has-format')
  })

  it.each(['', '  ', undefined, true])('PATH-10: an exception is refused if its reason is %j', (reason) => {
    expect(refusal(() => checkCollectionName('insurance', { insurance: reason as string }))?.code).toBe(
      'invalid-option',
    )
    expect(refusal(() => checkCollectionName('invoices', { insurance: reason as string }))?.code).toBe('invalid-option')
  })
})

describe('segments of flags and areas', () => {
  it('PATH-3, PATH-8: nouns, and adjectives that describe a state, are accepted in singular and plural', () => {
    const names = words(`
      activo activa ui tax api archived read complete open urgente es-urgente enEspera star lock hold opt-in sign-up estáActivo entregado
      v suspendido borrado deleted payments pagos search-index b2b 2fa taller lugar mujer address`)
    expect(names.filter((name) => segmentCode(name) !== 'passes')).toEqual([])
  })

  it('PATH-3: verbs are refused', () => {
    const names = words(
      'activate activar archivar cancel cancelar edit pay pagar search update sell undo getStatus obtener-estado',
    )
    expect(names.filter((name) => segmentCode(name) !== 'name-is-verb')).toEqual([])
  })
})

describe('any string at all', () => {
  const parts = fc.constantFrom(
    ...'aeiouszáéíóúñ-_.:{}A1 '.split(''),
    'facturas',
    'get',
    'de',
    'ion',
    'IDs',
    '\u0301',
    '\ud800',
    '客',
  )
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    fc.array(parts).map((list) => list.join('')),
  )

  it('PATH-10: every name is either accepted or refused with a ConfigurationError', () => {
    const codes: ConfigurationCode[] = ['name-malformed', 'name-has-format', 'name-is-verb', 'name-not-plural']
    fc.assert(
      fc.property(name, (text) => {
        expect(['passes', ...codes]).toContain(collectionCode(text))
        expect(['passes', ...codes.slice(0, 3)]).toContain(segmentCode(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('PATH-10: an accepted segment survives URL encoding; a refused segment is refused as a collection too', () => {
    fc.assert(
      fc.property(name, (text) => {
        if (segmentCode(text) === 'passes') expect(decodeURIComponent(encodeURIComponent(text))).toBe(text)
        else expect(collectionCode(text)).not.toBe('passes')
      }),
    )
  })

  it('PATH-10: names of 100,000 characters are checked in linear time', () => {
    const seeds = [
      'a',
      'A',
      'aA',
      's',
      'ss',
      'ss-',
      'á',
      'á-',
      '-',
      '_',
      '.',
      '1',
      'v1.',
      'ies',
      'e\u0301',
      '\u0301',
      '{',
      ':',
      ' ',
      '客',
      'a-',
      'tion',
      'get-',
    ]
    for (const seed of seeds) {
      const long = seed.repeat(100_000 / seed.length)
      const begin = cpuTime()
      for (const text of [long, `${long}!`, `x${long}x`, `v1${long}x`, `{${long}`, `get${long}`]) {
        collectionCode(text)
        segmentCode(text)
      }
      expect(cpuTime() - begin, seed).toBeLessThan(3000)
    }
  })
})

describe('word lists', () => {
  const { irregularPlurals, ...plain } = lists
  const all = Object.entries({ ...plain, irregularPlurals: [...irregularPlurals.keys()] })

  it.each(all)(
    'PATH-10: the list %s is sorted, has no duplicates, and has only lower-case words without accents',
    (_, list) => {
      expect(list).toEqual([...new Set(list)].sort())
      expect(list.filter((word) => !/^[a-z]+$/.test(word))).toEqual([])
    },
  )

  it('PATH-10: no word is in two lists that contradict each other, and words end as their list requires', () => {
    const kinds = [...lists.verbs, ...lists.nounVerbs, ...lists.loneVerbs]
    expect(kinds.length).toBe(new Set(kinds).size)
    expect(lists.massNouns.filter((word) => lists.pluralsWithoutS.includes(word))).toEqual([])
    expect(lists.singularsInS.filter((word) => !word.endsWith('s') || word.endsWith('ss'))).toEqual([])
    expect(lists.pluralsWithoutS.filter((word) => word.endsWith('s'))).toEqual([])
  })

  it('PATH-2: every irregular plural is accepted, and every irregular singular is refused', () => {
    expect([...irregularPlurals.values()].filter((plural) => collectionCode(plural) !== 'passes')).toEqual([])
    expect([...irregularPlurals.keys()].filter((noun) => collectionCode(noun) !== 'name-not-plural')).toEqual([])
  })
})

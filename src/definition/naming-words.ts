/**
 * The word lists of the naming rules (PATH-10), in lower case without accents. The lists contain
 * only clear cases. Doubtful words are left out.
 */
const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/**
 * Verbs that are hardly ever nouns: English base forms, Spanish infinitives, and a few other
 * Spanish forms, such as "actualiza".
 */
export const verbs = words(`
  abrir accept aceptar acknowledge acreditar activar activate actualiza actualizar add adjuntar adjust admit admitir agendar agrega
  agregar ajustar allocate anadir anular aplicar append apply approve aprobar archivar asegurar asignar assign attach authenticate
  authorise authorize autorizar bajar begin bloquear borrar bring buscar calcular calculate calificar cambiar cancel cancelar cargar
  cerrar choose clasificar cobrar comenzar compartir completar comprar comprobar conciliar conectar confirm confirmar connect consultar
  contar convertir copiar corregir cotejar cotizar crear create dar deactivate debitar decrypt delete deliver denunciar depositar
  derivar desactivar desbloquear descargar descontar deshabilitar deshacer despachar destroy detach devolver disable disconnect
  distribuir do duplicar editar ejecuta ejecutar elegir elimina eliminar embalar emitir enable encontrar encrypt endosar enrol enroll
  ensure entregar enviar escribir execute expire exportar extend facturar fetch filtrar finalise finalizar finalize find firmar generar
  generate gestionar get give grabar guardar habilitar hacer identify imponer importar imprimir inform ingresar inhabilitar iniciar
  initialise initialize inscribir insertar instalar internar invoke leer liberar limpiar liquidar listar llamar llenar llevar manage
  mandar marcar modifica modificar modify mostrar mover notificar notify obtain obten obtener obtiene ordenar pagar parar perform poner
  prepare prescribe presentar prestar probar procesar provide publicar publish quitar rastrear reactivate realizar reassign recalculate
  receive rechazar recibir recuperar redeem reemplazar reenviar registrar reimburse reiniciar reinstate remove rename rendir renew
  renovar reopen replace reschedule rescindir resend reservar resolve restaurar resubmit retirar retrieve revisar revocar revoke sacar
  seguir seleccionar send sincronizar solicitar subir submit subscribe sumar suspend suspender synchronise synchronize terminar
  terminate traer transferir translate unassign unblock uninstall unpublish unregister unsubscribe upsert usar validar validate vender
  ver verificar verify withdraw
`)

/**
 * Verbs that also begin compound nouns. They name an action if they stand alone, or before a word
 * that is neither in `heads` nor in `particles`. So "search-results" and "deny-rules" do not name
 * actions.
 */
export const nounVerbs = words(`
  allow deny deploy edit install list make restore run save search set update
`)

/**
 * Words that name an action only if they are the whole segment, because "sell-orders",
 * "pay-periods" and "write-models" are nouns.
 */
export const loneVerbs = words(`
  buy convert pay reject sell undo unlock write
`)

/**
 * Words that turn a preceding verb into a noun: "add-ons", "sign-up-forms", "do-not-call-lists",
 * "set-de-cubiertos".
 */
export const particles = words(`
  around arounds away aways back backs bys de del down downs in ins not off offs on ons out outs over overs through throughs together
  togethers up ups
`)

/**
 * Nouns that commonly follow one of `nounVerbs` in a compound noun. Most of them are listed in the
 * singular, but their plurals count too.
 */
export const heads = words(`
  agent alert algorithm analysis analytic attempt base batch book campaign channel code command configuration conflict context count
  criteria cycle data date day definition detail endpoint engine entry environment error event facet failure field file filter folder
  form format frequency game group hash history hit hook id index indice instance interval item job key keyword label length level limit
  list lock log manager marker match member membership menu method metric mode model name node note notice notification number operation
  option package page parameter party pattern penalty phase piece pipeline plan point policy position preference price process progress
  provider query queue range rate ratio reason request response result right ring role rule run schedule scope score sequence server
  service session setting sheet size slot snapshot source specification stage stat state statistic status step strategy stream string
  suggestion summary table target task template term test text theory time title token tool topic tracker transaction trend trigger type
  value version view warrant widget window word worker
`)

/**
 * Words that end in -s but are not plural in either language. Words that do not change in the
 * Spanish plural (campus, virus, alias, crisis, dosis, analisis, omnibus) are not listed.
 */
export const singularsInS = words(`
  abacus aerobus alumnus analysis antithesis arnes as autobus axis basis bias bonus bus canvas census chorus christmas circus colossus
  consensus continuous dangerous dialysis dios discus electrolysis embolus emphasis esophagus estres fetus focus fungus gas genius genus
  gris has hazardous hiatus his humerus hydrolysis hypothesis interes is its lens mes microbus minibus miscellaneous nucleus obus
  octopus pais paralysis parenthesis photosynthesis previous prospectus psychosis radius reves sinus status stimulus surplus syllabus
  synopsis synthesis terminus thesaurus thesis this thrombus tos trolebus us uterus various walrus was
`)

/**
 * Words that link a noun to the words after it. The noun before the link word is in the plural
 * ("notas-de-credito").
 */
export const links = words(`
  con de del en for in of para por
`)

/**
 * Plurals that do not end in -s, and nouns without a plural. They may be at any position in a name,
 * because in Spanish an adjective may follow them ("ropa-usada").
 */
export const pluralsWithoutS = words(`
  abaci addenda aircraft algae alumnado alumnae alumni antennae aortae automata bacilli bacteria bison brethren bureaux businessmen
  cacti calculi calzado cameramen candelabra cattle chairmen chateaux cherubim clergymen climax cod congressmen consortia corpora
  corrigenda councilmen counsel countrymen craftsmen crewmen criteria curricula data deer deliverymen desiderata dice dicta dinero
  draftsmen duplex elk emboli emoji equilibria errata feet firemen firmware fish fishermen foci foremen formulae freshmen fungi ganado
  gateaux geese genera genii gente gentlemen graffiti handymen hardware honoraria hovercraft indicia insignia journeymen jurymen kinsmen
  larvae laymen lice linemen loci longshoremen magi mailmen malware marksmen maxima media memoranda men metadata mice middlemen
  middleware milieux minima minutiae mobiliario moduli moose moratoria nebulae noblemen nuclei octopi offspring ombudsmen optima ova
  oxen paparazzi patrolmen personal phenomena phyla plateaux police policemen postmen profesorado quanta radii referenda repairmen ropa
  rotorcraft salesmen salmon sanatoria schemata seamen sera servicemen sheep shellfish shrimp software spacecraft spectra spokesmen
  sportsmen squid stadia statesmen stigmata stimuli strata swine syllabi symposia tableaux teeth termini thrombi torax tradesmen triplex
  trivia trout tuna ultimata uteri vermin vertebrae villi watchmen watercraft workmen
`)

/**
 * English nouns without a plural. A name may end in such a noun ("medical-equipment"), but
 * "equipment-item" is singular.
 */
export const massNouns = words(`
  advice baggage bedding cash clothing correspondence cutlery equipment evidence feedback footwear freight furniture homework housework
  information jewellery jewelry knitwear knowledge legislation livestock luggage machinery mail marketing menswear merchandise
  merchandising money music outerwear paperwork personnel plankton poultry research signage sportswear staff stationery tableware
  traffic underwear weather womenswear
`)

/**
 * Maps singulars to plurals, mostly of words for which the rules for endings give a wrong plural or
 * a wrong singular. Used for suggestions in messages, and for the default of `singular`.
 */
export const irregularPlurals: ReadonlyMap<string, string> = new Map([
  ['alquiler', 'alquileres'],
  ['alumnus', 'alumni'],
  ['appendix', 'appendices'],
  ['axis', 'axes'],
  ['bacterium', 'bacteria'],
  ['child', 'children'],
  ['criterion', 'criteria'],
  ['curriculum', 'curricula'],
  ['deber', 'deberes'],
  ['foot', 'feet'],
  ['fungus', 'fungi'],
  ['genus', 'genera'],
  ['goose', 'geese'],
  ['half', 'halves'],
  ['index', 'indexes'],
  ['knife', 'knives'],
  ['leaf', 'leaves'],
  ['ley', 'leyes'],
  ['life', 'lives'],
  ['man', 'men'],
  ['matrix', 'matrices'],
  ['mouse', 'mice'],
  ['mujer', 'mujeres'],
  ['nucleus', 'nuclei'],
  ['person', 'people'],
  ['phenomenon', 'phenomena'],
  ['poder', 'poderes'],
  ['quiz', 'quizzes'],
  ['radius', 'radii'],
  ['red', 'redes'],
  ['reloj', 'relojes'],
  ['rey', 'reyes'],
  ['shelf', 'shelves'],
  ['stimulus', 'stimuli'],
  ['taller', 'talleres'],
  ['thief', 'thieves'],
  ['tooth', 'teeth'],
  ['vendor', 'vendors'],
  ['vertex', 'vertices'],
  ['wife', 'wives'],
  ['wolf', 'wolves'],
  ['woman', 'women'],
])

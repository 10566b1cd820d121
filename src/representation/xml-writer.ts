/**
 * JSON values as XML documents (HDR-1), so that `readXml` gives back the same value. `docs/xml.md` tells the rules.
 */
import { escapeAttribute, escapeText, isNcName, isPlain, isXmlText } from '../http/xml-text.js'
import type { Form, Kind } from '../plan/form.js'
import { itemElement, jsonEncoding, jsonLiteral, memberElement, xsiNamespace } from './xml-names.js'

/** How a value becomes a document. */
export interface XmlWriting {
  /** The name of the root element. */
  readonly root: string
  /** What is known of the value: what differs from it, or is not known, has its type written beside it. */
  readonly form: Form
  /** The name of the items, where the value itself is an array; else they are named as those of the arrays in it. */
  readonly item?: string
  /** The namespace of all elements; none unless given. */
  readonly namespace?: string
  /** The name of the items of the arrays in the value; `item` unless given. RFC 9457 appendix B has `i`. */
  readonly items?: string
}

/**
 * The XML document of a JSON value, without white space between its elements. What JSON.stringify would leave out is left out, what it takes for null is null.
 * The names of elements must be names in XML without a colon: `TypeError` else, as for a bigint.
 *
 * @example writeXml([{ id: 3 }], { root: 'pieces', item: 'piece', form }) // '<?xml version="1.0" encoding="UTF-8"?><pieces><piece><id>3</id></piece></pieces>'
 */
export function writeXml(value: unknown, as: XmlWriting): string {
  const { root, form, items = itemElement, item = items, namespace } = as
  for (const name of [root, item, items]) if (!isNcName(name)) throw new TypeError(`"${name}" can not be the name of an XML element`)
  const writer = new Writer()
  const content = writer.element(new Place(root, '', root, form, { item, items }), value)
  const declared = namespace === undefined ? '' : ` xmlns="${escapeAttribute(namespace)}"`
  const nil = writer.nil ? ` xmlns:xsi="${xsiNamespace}"` : ''
  // The root place begins behind its name, so that the namespaces come first.
  return `<?xml version="1.0" encoding="UTF-8"?><${root}${declared}${nil}${content}`
}

/** Bounds of what is remembered of a form: clients may make up names where a schema is open. */
const mostPlaces = 500
const longestName = 100

/** The names of items: of an array that stands here, and of those in it. */
interface ItemNames {
  readonly item: string
  readonly items: string
}

/** Where a value may stand: its tags for each type of value, made once. */
class Place {
  readonly name: string
  readonly form: Form
  /** The start tag without its end. */
  readonly start: string
  readonly string: string
  readonly number: string
  /** The whole element of each boolean. */
  readonly true: string
  readonly false: string
  readonly object: string
  readonly array: string
  readonly nil: string
  readonly end: string
  readonly #names: ItemNames
  #plan: Plan | undefined

  /** `element` is the name of the element, where the member's own may be none in XML. */
  constructor(name: string, start: string, element: string, form: Form, names: ItemNames) {
    this.name = name
    this.form = form
    this.start = start
    this.string = `${start}${this.type('string')}>`
    this.number = `${start}${this.type('number')}>`
    this.object = `${start}${this.type('object')}>`
    this.array = `${start}${this.type('array')}>`
    this.end = `</${element}>`
    this.true = `${start}${this.type('boolean')}>true${this.end}`
    this.false = `${start}${this.type('boolean')}>false${this.end}`
    this.nil = `${start} xsi:nil="true">${this.end}`
    this.#names = names
  }

  /** The attribute that tells the type, where the form does not. */
  type(kind: Kind): string {
    return this.form.kind === kind ? '' : ` type="${kind}"`
  }

  get plan(): Plan {
    this.#plan ??= planOf(this.form, this.#names)
    return this.#plan
  }
}

/** How the members and the items of one form are written. */
class Plan {
  readonly #form: Form
  readonly #item: string
  /** The names in the arrays of its members and items. */
  readonly #inner: ItemNames
  readonly #places = new Map<string, Place>()
  /** Values of one form mostly have their members in one order, and to compare a name costs less than to look it up. */
  readonly #order: Place[] = []
  readonly #itemPlaces = new WeakMap<Form, Place>()
  #last: Place | undefined

  constructor(form: Form, { item, items }: ItemNames) {
    this.#form = form
    this.#item = item
    this.#inner = { item: items, items }
  }

  member(name: string, at: number): Place {
    const usual = this.#order[at]
    if (usual !== undefined && usual.name === name) return usual
    const known = this.#places.get(name)
    if (known !== undefined) {
      this.#order[at] = known
      return known
    }
    const place = memberPlace(name, this.#form.member(name), this.#inner)
    if (this.#places.size < mostPlaces && name.length <= longestName) {
      this.#places.set(name, place)
      if (at < mostPlaces) this.#order[at] = place
    }
    return place
  }

  item(index: number): Place {
    const form = this.#form.item(index)
    if (this.#last?.form === form) return this.#last
    let place = this.#itemPlaces.get(form)
    if (place === undefined) {
      place = new Place(this.#item, `<${this.#item}`, this.#item, form, this.#inner)
      this.#itemPlaces.set(form, place)
    }
    this.#last = place
    return place
  }
}

/** Plans by form, then by the names of items; those are the service's, and few. */
const plans = new WeakMap<Form, Map<string, Plan>>()

function planOf(form: Form, names: ItemNames): Plan {
  let known = plans.get(form)
  if (known === undefined) {
    known = new Map()
    plans.set(form, known)
  }
  const key = `${names.item} ${names.items}`
  let plan = known.get(key)
  if (plan === undefined) {
    plan = new Plan(form, names)
    known.set(key, plan)
  }
  return plan
}

function memberPlace(name: string, form: Form, names: ItemNames): Place {
  // XML keeps names that begin with its own for itself (XML 1.0 2.3).
  if (isNcName(name) && !/^xml/i.test(name)) return new Place(name, `<${name}`, name, form, names)
  const told = isXmlText(name)
    ? ` name="${escapeAttribute(name)}"`
    : ` name="${escapeAttribute(jsonLiteral(name))}" name-encoding="${jsonEncoding}"`
  return new Place(name, `<${memberElement}${told}`, memberElement, form, names)
}

class Writer {
  /** Whether a null was written, which needs the namespace of `xsi:nil`. */
  nil = false

  element(place: Place, value: unknown): string {
    switch (typeof value) {
      case 'string':
        return isPlain(value) ? place.string + value + place.end : oddText(place, value)
      case 'number':
        return Number.isFinite(value) ? `${place.number}${value}${place.end}` : this.#null(place)
      case 'boolean':
        return value ? place.true : place.false
      case 'object':
        if (value === null) return this.#null(place)
        return Array.isArray(value) ? this.#array(place, value) : this.#object(place, value)
      case 'bigint':
        throw new TypeError('A bigint is no JSON')
      default:
        return this.#null(place)
    }
  }

  #null(place: Place): string {
    this.nil = true
    return place.nil
  }

  #array(place: Place, array: readonly unknown[]): string {
    const { plan } = place
    let out = place.array
    for (let at = 0; at < array.length; at++) out += this.element(plan.item(at), array[at])
    return out + place.end
  }

  #object(place: Place, object: object): string {
    const { toJSON } = object as { toJSON?: unknown }
    // Dates and the like, which an endpoint of a team may hand out, are what they are in JSON.
    if (typeof toJSON === 'function') return this.element(place, toJSON.call(object, place.name))
    const { plan } = place
    let out = place.object
    let at = 0
    // Not Object.keys: V8 reads a value much faster by the name that a loop of this kind has just given (87 us became 65 for 25 records of 35 values).
    for (const name in object) {
      if (!Object.hasOwn(object, name)) continue
      const value = (object as Record<string, unknown>)[name]
      if (!isLeftOut(value)) out += this.element(plan.member(name, at), value)
      at++
    }
    return out + place.end
  }
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

function oddText(place: Place, text: string): string {
  if (isXmlText(text)) return place.string + escapeText(text) + place.end
  return `${place.start}${place.type('string')} encoding="${jsonEncoding}">${escapeText(jsonLiteral(text))}${place.end}`
}

/**
 * Writes JSON values as XML documents. `readXml` with the same form converts them back to the same
 * values (HDR-1). See `docs/xml.md` for the rules.
 */
import { escapeAttribute, escapeText, isNcName, isPlain, isXmlText } from '../http/xml-text.js'
import type { Form, Kind } from '../plan/form.js'
import { itemElement, jsonEncoding, jsonLiteral, memberElement, xsiNamespace } from './xml-names.js'

/** How a value is written. */
export interface XmlWriting {
  /** The name of the root element. */
  readonly root: string
  /**
   * The expected types. A value other than null gets a `type` attribute if it does not have the
   * expected type, or if no type is expected.
   */
  readonly form: Form
  /**
   * The element name of the items, if the value itself is an array. Default: the name of the items
   * of nested arrays.
   */
  readonly item?: string
  /** The namespace of all elements. Default: none. */
  readonly namespace?: string
  /**
   * The element name of the items of nested arrays. Default: `item`. RFC 9457 appendix B uses `i`.
   */
  readonly nestedItem?: string
}

/**
 * Writes a JSON value as an XML document, without white space between elements. Members that
 * `JSON.stringify` omits are omitted. Values that `JSON.stringify` writes as null, such as `NaN`,
 * are written as null. Throws `TypeError` if an element name in `as` is invalid or contains a
 * colon, or if the value contains a bigint.
 *
 * @example
 * writeXml([{ id: 3 }], { root: 'pieces', item: 'piece', form })
 * // '<?xml version="1.0" encoding="UTF-8"?><pieces><piece><id>3</id></piece></pieces>'
 */
export function writeXml(value: unknown, as: XmlWriting): string {
  const { root, form, nestedItem = itemElement, item = nestedItem, namespace } = as
  for (const name of [root, item, nestedItem])
    if (!isNcName(name)) throw new TypeError(`"${name}" cannot be the name of an XML element`)
  const writer = new Writer()
  const content = writer.element(new Place(root, '', root, form, { item, nestedItem }), value)
  const declared = namespace === undefined ? '' : ` xmlns="${escapeAttribute(namespace)}"`
  const nil = writer.nil ? ` xmlns:xsi="${xsiNamespace}"` : ''
  // `content` begins after the name of the root element, so that the namespaces can be inserted
  // after the name.
  return `<?xml version="1.0" encoding="UTF-8"?><${root}${declared}${nil}${content}`
}

/**
 * The maximum number of cached `Place` objects of a form, and the maximum length of their names.
 * Without these limits, clients could fill the cache with member names that the schema allows but
 * does not declare.
 */
const maxPlaces = 500
const longestName = 100

/**
 * `item` is the element name of an array's own items. `nestedItem` is the element name of the items
 * of the arrays nested in it.
 */
interface ItemNames {
  readonly item: string
  readonly nestedItem: string
}

/**
 * A position in a document where a value may appear. The tags for each type of value are built only
 * once.
 */
class Place {
  readonly name: string
  readonly form: Form
  /** The start tag without the closing `>`. Empty for the root, whose name `writeXml` writes. */
  readonly start: string
  /** The start tags of a string and of a number. */
  readonly string: string
  readonly number: string
  /** The complete element for each boolean. */
  readonly true: string
  readonly false: string
  /** The start tags of an object and of an array. */
  readonly object: string
  readonly array: string
  /** The complete element for null. */
  readonly nil: string
  readonly end: string
  readonly #names: ItemNames
  #plan: FormPlaces | undefined

  /**
   * `element` is the element name. It differs from `name` if `name` can't be an element name.
   */
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

  /** Returns the `type` attribute, or an empty string if the form implies the type. */
  type(kind: Kind): string {
    return this.form.kind === kind ? '' : ` type="${kind}"`
  }

  get plan(): FormPlaces {
    this.#plan ??= planOf(this.form, this.#names)
    return this.#plan
  }
}

/** The positions of the members and items of one form. */
class FormPlaces {
  readonly #form: Form
  readonly #item: string
  /** The element names of the items of nested arrays. */
  readonly #inner: ItemNames
  readonly #places = new Map<string, Place>()
  /**
   * The place of each member, by the member's index in the value. Values of one form usually have
   * their members in the same order. So the place at the index is tried first, because comparing a
   * name is faster than looking it up.
   */
  readonly #order: Place[] = []
  readonly #itemPlaces = new WeakMap<Form, Place>()
  #last: Place | undefined

  constructor(form: Form, { item, nestedItem }: ItemNames) {
    this.#form = form
    this.#item = item
    this.#inner = { item: nestedItem, nestedItem }
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
    if (this.#places.size < maxPlaces && name.length <= longestName) {
      this.#places.set(name, place)
      if (at < maxPlaces) this.#order[at] = place
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

/**
 * The `FormPlaces` of each form, keyed by the element names of items. Only the service defines
 * these names, so there are few entries for each form.
 */
const plans = new WeakMap<Form, Map<string, FormPlaces>>()

function planOf(form: Form, names: ItemNames): FormPlaces {
  let known = plans.get(form)
  if (known === undefined) {
    known = new Map()
    plans.set(form, known)
  }
  const key = `${names.item} ${names.nestedItem}`
  let plan = known.get(key)
  if (plan === undefined) {
    plan = new FormPlaces(form, names)
    known.set(key, plan)
  }
  return plan
}

function memberPlace(name: string, form: Form, names: ItemNames): Place {
  // XML reserves names that begin with "xml" (XML 1.0 2.3).
  if (isNcName(name) && !/^xml/i.test(name)) return new Place(name, `<${name}`, name, form, names)
  const nameAttributes = isXmlText(name)
    ? ` name="${escapeAttribute(name)}"`
    : ` name="${escapeAttribute(jsonLiteral(name))}" name-encoding="${jsonEncoding}"`
  return new Place(name, `<${memberElement}${nameAttributes}`, memberElement, form, names)
}

class Writer {
  /** Whether a null was written. If so, the document must declare the namespace of `xsi:nil`. */
  nil = false

  element(place: Place, value: unknown): string {
    switch (typeof value) {
      case 'string':
        return isPlain(value) ? place.string + value + place.end : escapedElement(place, value)
      case 'number':
        return Number.isFinite(value) ? `${place.number}${value}${place.end}` : this.#null(place)
      case 'boolean':
        return value ? place.true : place.false
      case 'object':
        if (value === null) return this.#null(place)
        return Array.isArray(value) ? this.#array(place, value) : this.#object(place, value)
      case 'bigint':
        throw new TypeError('A bigint cannot be written as XML, because JSON has no such value')
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
    // Values with the method `toJSON`, such as dates from an endpoint, are converted as in JSON.
    if (typeof toJSON === 'function') return this.element(place, toJSON.call(object, place.name))
    const { plan } = place
    let out = place.object
    let at = 0
    // `Object.keys` is not used, because V8 reads a property much faster if `for...in` has just
    // produced its name. This takes 65 us instead of 87 us for 25 records of 35 values.
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

function escapedElement(place: Place, text: string): string {
  if (isXmlText(text)) return place.string + escapeText(text) + place.end
  return `${place.start}${place.type('string')} encoding="${jsonEncoding}">${escapeText(jsonLiteral(text))}${place.end}`
}

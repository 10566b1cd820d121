/** Reads the attributes that describe the value of an element (HDR-5). */
import { trimXml } from '../http/xml-text.js'
import { type XmlAttribute, type XmlElement, xmlNamespace, xmlnsNamespace } from '../http/xml-tree.js'
import { jsonEncoding, literalText, xsiNamespace } from './xml-names.js'

/**
 * Thrown if an XML document is well-formed but violates the rules for values. The reader of request
 * bodies catches it, and adds a pointer to the value.
 */
export class XmlRefusal extends Error {}

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const

export interface XmlMarks {
  readonly nil: boolean
  readonly type: (typeof types)[number] | undefined
  /** True if the text of the element is a JSON string literal. */
  readonly encoded: boolean
  /** The name of the member, if the element has the attribute `name`. */
  readonly name: string | undefined
}

const none: XmlMarks = { nil: false, type: undefined, encoded: false, name: undefined }

/**
 * Reads the attributes of an element. Throws `XmlRefusal` if an attribute is unknown or has an
 * invalid value.
 */
export function marksOf(element: XmlElement): XmlMarks {
  if (element.attributes.length === 0) return none
  let { nil, type, encoded, name } = none
  let nameEncoded = false
  for (const attribute of element.attributes) {
    const { value } = attribute
    switch (meaningOf(attribute)) {
      case 'nil':
        nil = nilOf(value)
        break
      case 'type':
        type = types.find((known) => known === value)
        if (type === undefined) throw new XmlRefusal(`The attribute "type" must be one of ${types.join(', ')}.`)
        break
      case 'encoding':
        encoded = isJson(attribute)
        break
      case 'name':
        name = value
        break
      case 'name-encoding':
        nameEncoded = isJson(attribute)
        break
      case undefined:
    }
  }
  return nameEncoded ? { nil, type, encoded, name: literalName(name) } : { nil, type, encoded, name }
}

const attributeNames = ['type', 'encoding', 'name', 'name-encoding'] as const

/**
 * Returns the meaning of an attribute. Returns `undefined` for attributes that do not affect the
 * value, such as namespace declarations. Throws `XmlRefusal` for an unknown attribute.
 */
function meaningOf({ name, namespace }: XmlAttribute): 'nil' | (typeof attributeNames)[number] | undefined {
  if (namespace === xmlNamespace || namespace === xmlnsNamespace) return undefined
  if (namespace === xsiNamespace) return name === 'nil' ? 'nil' : undefined
  const meaning = namespace === '' ? attributeNames.find((known) => known === name) : undefined
  if (meaning !== undefined) return meaning
  const which = name.length <= 50 ? `attribute "${name}"` : 'attribute'
  throw new XmlRefusal(`The ${which} has no meaning here: write members as elements.`)
}

function nilOf(value: string): boolean {
  const word = trimXml(value)
  if (word === 'true' || word === '1') return true
  if (word === 'false' || word === '0') return false
  throw new XmlRefusal('The attribute "xsi:nil" must be true or false.')
}

function isJson({ name, value }: XmlAttribute): boolean {
  if (value !== jsonEncoding) throw new XmlRefusal(`The attribute "${name}" must be "${jsonEncoding}".`)
  return true
}

function literalName(literal: string | undefined): string {
  const name = literalText(literal ?? '')
  if (name === undefined)
    throw new XmlRefusal('The attribute "name" must be a JSON string literal, because "name-encoding" is "json".')
  return name
}

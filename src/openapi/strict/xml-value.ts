/**
 * Converts XML bodies to JSON values. Like a client, the conversion uses only the schema in the
 * OpenAPI document and the attributes that docs/xml.md defines (HDR-1).
 */
import { isList, isObject, type JsonObject, put } from '../../definition/json.js'
import { isBlank } from '../../http/xml-text.js'
import { parseXml, type XmlElement, xmlnsNamespace } from '../../http/xml-tree.js'
import { marksOf, type XmlMarks, XmlRefusal } from '../../representation/xml-marks.js'
import { literalText, memberElement } from '../../representation/xml-names.js'
import { placeAt, tokensOf } from './places.js'
import { kindsOf, membersOf, SchemaParts, type SchemasOfValue, soleKind } from './schema-parts.js'

/** The value of an XML body, or the reason why the body can't be converted. */
export type XmlValue = { readonly value: unknown } | { readonly fault: string }

/** The maximum depth of elements. Responses in tests are not expected to be that deep. */
const depth = 200

/**
 * Converts the XML body `text` to a value. `schema` is the schema of the body in the OpenAPI
 * document `document`.
 */
export function xmlValue(document: unknown, schema: JsonObject, text: string): XmlValue {
  const parsed = parseXml(text.replace(/^\uFEFF/, ''), { depth })
  if (!('root' in parsed)) return { fault: 'malformed' in parsed ? parsed.malformed : "it can't be read" }
  try {
    const reader = new SchemaReader(document)
    reader.checkRoot(parsed.root, schema)
    return { value: reader.value(parsed.root, [schema]) }
  } catch (error) {
    if (error instanceof XmlRefusal) return { fault: error.message }
    throw error
  }
}

class SchemaReader {
  readonly #document: unknown
  readonly #parts: SchemaParts

  constructor(document: unknown) {
    this.#document = document
    this.#parts = new SchemaParts(document)
  }

  checkRoot(root: XmlElement, schema: JsonObject): void {
    const { name, namespace } = this.#named(schema)
    if (name !== undefined && name !== root.name)
      throw new XmlRefusal(`the root is <${root.name}>, but the OpenAPI document requires <${name}>`)
    const declared = root.attributes.find((one) => one.namespace === xmlnsNamespace && one.name === 'xmlns')?.value
    if (namespace !== undefined && namespace !== declared) {
      throw new XmlRefusal(
        `the namespace of the root is "${declared ?? ''}", but the OpenAPI document requires "${namespace}"`,
      )
    }
  }

  value(element: XmlElement, schemas: SchemasOfValue): unknown {
    const marks = marksOf(element)
    if (marks.nil) return null
    const parts = this.#parts.flatten(schemas)
    const kind = marks.type ?? soleKind(parts) ?? (element.children.length > 0 ? 'object' : 'string')
    if (kind === 'object' || kind === 'array') {
      if (!isBlank(element.text)) throw new XmlRefusal(`<${element.name}> has text beside its elements`)
      return kind === 'object' ? this.#object(element, parts) : this.#array(element, parts)
    }
    if (element.children.length > 0) throw new XmlRefusal(`<${element.name}> has elements, but its type is ${kind}`)
    return scalar(kind, marks, element.text)
  }

  #object(element: XmlElement, parts: SchemasOfValue): JsonObject {
    const object: JsonObject = {}
    for (const child of element.children) {
      const name = child.name === memberElement ? (marksOf(child).name ?? child.name) : child.name
      if (Object.hasOwn(object, name)) throw new XmlRefusal(`<${element.name}> has the member "${name}" twice`)
      put(object, name, this.value(child, membersOf(parts, name)))
    }
    return object
  }

  #array(element: XmlElement, parts: SchemasOfValue): readonly unknown[] {
    const items = parts.flatMap((part) => (isObject(part.items) ? [part.items] : []))
    const [expected] = items.map((item) => this.#named(item).name).filter((name) => name !== undefined)
    const isDescribed = parts.some((part) => kindsOf(part).includes('array'))
    const prefixed = parts.flatMap((part) => (isList(part.prefixItems) ? [part.prefixItems] : []))
    return element.children.map((child, index) => {
      const own = prefixed.flatMap((list) => (isObject(list[index]) ? [list[index]] : []))
      // If the schema of an item has no `xml.name`, the item's element has the name of the array's
      // element (OpenAPI 3.1, "XML Object").
      const wanted = (own.length > 0 ? this.#named(own[0] as JsonObject).name : undefined) ?? expected ?? element.name
      if (isDescribed && wanted !== child.name) {
        throw new XmlRefusal(
          `an item of <${element.name}> is <${child.name}>, but the OpenAPI document requires <${wanted}>`,
        )
      }
      return this.value(child, own.length > 0 ? own : items)
    })
  }

  /**
   * Returns the keyword `xml` of a schema, of the target of its reference, or of the first schema
   * in its `allOf`.
   */
  #named(schema: JsonObject): { readonly name?: string; readonly namespace?: string } {
    if (isObject(schema.xml)) return schema.xml
    const target = typeof schema.$ref === 'string' ? placeAt(this.#document, tokensOf(schema.$ref))?.value : undefined
    if (target !== undefined) return this.#named(target)
    const [first] = isList(schema.allOf) ? schema.allOf : []
    return isObject(first) ? this.#named(first) : {}
  }
}

/**
 * Converts the text of an element to a value of the type `kind`. If the type is `number`, `integer`
 * or `boolean` and the text is not such a value, the text is returned unchanged, so that the
 * validation reports it.
 */
function scalar(kind: string, { encoded }: XmlMarks, text: string): unknown {
  if (encoded) return literalText(text) ?? text
  const word = text.trim()
  if ((kind === 'number' || kind === 'integer') && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) return Number(word)
  if (kind === 'boolean' && (word === 'true' || word === 'false')) return word === 'true'
  return kind === 'null' ? null : text
}

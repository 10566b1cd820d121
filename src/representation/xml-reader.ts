/**
 * Reads JSON values from XML documents (HDR-5). The documents must follow the rules in
 * `docs/xml.md`. The documents that `writeXml` writes follow these rules.
 */
import { type JsonObject, put } from '../definition/json.js'
import { faultAt, forbiddenName, notFinite, occursTwice, tooDeep, tooPrecise } from '../http/json-fault.js'
import { integerChanges, needsCheck, numberEnd } from '../http/json-number.js'
import type { JsonLimits, JsonResult } from '../http/json-text.js'
import { decodeXml, type UnsupportedCharset } from '../http/xml-charset.js'
import { isBlank, trimXml } from '../http/xml-text.js'
import { parseXml, type XmlElement } from '../http/xml-tree.js'
import type { Form } from '../plan/form.js'
import { marksOf, type XmlMarks, XmlRefusal } from './xml-marks.js'
import { literalText, memberElement } from './xml-names.js'

/**
 * Reads the value of an XML document. Returns the value, or the reason why the document can't be
 * read. The name of the root element is ignored. `form` contains the expected types. If the form
 * expects a number or a boolean, and the text is not of that type, the value is the text itself, so
 * that schema validation reports the violation. If a `type` attribute declares the type, a text of
 * another type is an error.
 *
 * @param charset the parameter `charset` of `Content-Type`; ignored if `bytes` is a string
 * @param limits `depth` is the maximum depth of nested arrays and objects, as for JSON
 * @example
 * readXml(body, undefined, form, { depth: 32 })
 * // { value: { id: 3 } } or { malformed: '...', pointer: '/id' }
 */
export function readXml(
  bytes: Uint8Array | string,
  charset: string | undefined,
  form: Form,
  limits: JsonLimits,
): JsonResult | UnsupportedCharset {
  const decoded = typeof bytes === 'string' ? { text: bytes.replace(/^\uFEFF/, '') } : decodeXml(bytes, charset)
  if (!('text' in decoded)) return decoded
  // A scalar in the innermost array or object is an element too. So the elements may be nested one
  // level deeper than arrays and objects.
  const parsed = parseXml(decoded.text, { depth: limits.depth + 1 })
  return 'root' in parsed ? new ElementReader(limits.depth).read(parsed.root, form) : parsed
}

/** An array or object that is being read. */
interface Frame {
  readonly element: XmlElement
  readonly form: Form
  readonly into: JsonObject | unknown[]
  next: number
  /** The name of the current member, or the index of the current item. */
  step: string | number
}

/**
 * Converts elements to values. Uses a loop instead of recursion, so that a large depth limit can't
 * overflow the call stack.
 */
class ElementReader {
  readonly #depth: number
  readonly #open: Frame[] = []

  constructor(depth: number) {
    this.#depth = depth
  }

  read(root: XmlElement, form: Form): JsonResult {
    try {
      const marks = marksOf(root)
      if (marks.name !== undefined) throw misplacedName()
      const value = this.#value(root, marks, form)
      for (let frame = this.#open.at(-1); frame !== undefined; frame = this.#open.at(-1)) {
        const child = frame.element.children[frame.next]
        if (child === undefined) this.#open.pop()
        else if (Array.isArray(frame.into)) this.#item(frame, frame.into, child)
        else this.#member(frame, frame.into, child)
      }
      return { value }
    } catch (error) {
      if (!(error instanceof XmlRefusal)) throw error
      return faultAt(
        error.message,
        this.#open.map((frame) => frame.step),
      )
    }
  }

  #item(frame: Frame, into: unknown[], child: XmlElement): void {
    const index = frame.next++
    frame.step = index
    const first = frame.element.children[0] as XmlElement
    if (child.name !== first.name) throw new XmlRefusal('All items of an array must be elements with the same name.')
    const marks = marksOf(child)
    if (marks.name !== undefined) throw misplacedName()
    into.push(this.#value(child, marks, frame.form.item(index)))
  }

  #member(frame: Frame, into: JsonObject, child: XmlElement): void {
    frame.next++
    frame.step = child.name
    const marks = marksOf(child)
    if (marks.name !== undefined && child.name !== memberElement) throw misplacedName()
    const name = marks.name ?? child.name
    frame.step = name
    if (Object.hasOwn(into, name)) throw new XmlRefusal(occursTwice)
    if (name === '__proto__') throw new XmlRefusal(forbiddenName)
    put(into, name, this.#value(child, marks, frame.form.member(name)))
  }

  /**
   * Returns the value of an element. An array or object is returned empty. It is pushed onto the
   * stack of open arrays and objects, and filled later.
   */
  #value(element: XmlElement, marks: XmlMarks, form: Form): unknown {
    const { type } = marks
    if (marks.nil || type === 'null') return nullValue(element, marks)
    if (marks.encoded && (type ?? 'string') !== 'string')
      throw new XmlRefusal('Only a string may have the attribute "encoding".')
    if (type === 'object' || type === 'array') return this.#enter(element, form, type)
    if (type !== undefined || marks.encoded) {
      if (element.children.length > 0)
        throw new XmlRefusal(`An element of the type ${type ?? 'string'} must not contain elements.`)
      return scalar(element.text, type ?? 'string', marks.encoded)
    }
    if (form.kind === 'object' || form.kind === 'array') return this.#enter(element, form, form.kind)
    return element.children.length > 0 ? this.#enter(element, form, 'object') : likely(element.text, form)
  }

  #enter(element: XmlElement, form: Form, kind: 'object' | 'array'): JsonObject | unknown[] {
    if (this.#open.length >= this.#depth) throw new XmlRefusal(tooDeep(this.#depth))
    if (!isBlank(element.text))
      throw new XmlRefusal(`An ${kind} is written as elements, and must not contain text of its own.`)
    const into = kind === 'array' ? [] : {}
    this.#open.push({ element, form, into, next: 0, step: 0 })
    return into
  }
}

function misplacedName(): XmlRefusal {
  return new XmlRefusal(
    `Only an element named "${memberElement}" that is a member of an object may have the attribute "name".`,
  )
}

function nullValue(element: XmlElement, marks: XmlMarks): null {
  if (element.children.length > 0 || element.text !== '') throw new XmlRefusal('An element that is null must be empty.')
  if (marks.encoded) throw new XmlRefusal('Only a string may have the attribute "encoding".')
  return null
}

/** Converts the text of an element whose type the document itself declares. */
function scalar(
  text: string,
  type: 'string' | 'number' | 'integer' | 'boolean',
  encoded: boolean,
): string | number | boolean {
  if (type === 'string') return encoded ? decoded(text) : detached(text)
  const value = type === 'boolean' ? booleanOf(text) : numberOf(text)
  if (value === undefined || (type === 'integer' && !Number.isInteger(value))) {
    throw new XmlRefusal(`The attribute "type" is "${type}", but the text is not of that type.`)
  }
  return value
}

/**
 * Converts the text of an element without a `type` attribute, if the form expects a number or a
 * boolean. If it expects neither, or if the text is not of the expected type, returns the text.
 */
function likely(text: string, { kind }: Form): string | number | boolean {
  if (kind === 'number') return numberOf(text) ?? detached(text)
  if (kind === 'boolean') return booleanOf(text) ?? detached(text)
  return detached(text)
}

function booleanOf(text: string): boolean | undefined {
  const word = trimXml(text)
  if (word === 'true' || word === '1') return true
  return word === 'false' || word === '0' ? false : undefined
}

function numberOf(text: string): number | undefined {
  const literal = trimXml(text)
  if (literal === '' || numberEnd(literal, 0) !== literal.length) return undefined
  const value = Number(literal)
  if (!needsCheck(literal, 0, literal.length)) return value
  if (!Number.isFinite(value)) throw new XmlRefusal(notFinite)
  if (integerChanges(literal)) throw new XmlRefusal(tooPrecise)
  return value === 0 ? 0 : value
}

function decoded(text: string): string {
  const value = literalText(text)
  if (value === undefined)
    throw new XmlRefusal('The text must be a JSON string literal, because the attribute "encoding" is "json".')
  return value
}

/**
 * Returns an equal string that does not refer to the document. In V8, a substring of 13 or more
 * characters keeps the whole document in memory, and a record may be in memory for a long time.
 * Prepending a character and slicing the result copies the string.
 */
function detached(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1)
}

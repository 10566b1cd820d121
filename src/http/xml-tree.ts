/**
 * Parses XML documents into small trees (XML 1.0, Namespaces in XML 1.0; HDR-5). The parser is
 * strict. It reads a document once. It limits the depth of a document, the number of attributes and
 * the length of namespace names, so that no document can exhaust resources.
 */
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import type { JsonFault } from './json-fault.js'
import { endsEarly, loneAmpersand, noDoctype, sentenceFor } from './xml-faults.js'
import { hasInvalidStart } from './xml-text.js'

export interface XmlAttribute {
  /** The name without the prefix. */
  readonly name: string
  /** The namespace of the prefix; `''` if the name has no prefix and is not `xmlns`. */
  readonly namespace: string
  readonly value: string
}

export interface XmlElement {
  /** The name without the prefix. */
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
  /**
   * The text directly in the element, including CDATA sections. Pieces of text that are separated
   * by children, comments or processing instructions are concatenated.
   */
  readonly text: string
}

export interface XmlLimits {
  /** Maximum nesting of elements; `<a><b/></a>` has a depth of 2. */
  readonly depth: number
}

export const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'
export const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/'

/** Maximum number of attributes of an element, including namespace declarations. */
const maxAttributes = 64
/**
 * Maximum length of a namespace name. The parser `saxes` builds the full name of every attribute,
 * including the namespace, so it would copy a long namespace name on each use.
 */
const longestNamespace = 1_000

/**
 * Parses a document and returns its root element. A document is refused if it is not well-formed,
 * if it is not namespace-well-formed, or if its version is not 1.0. It is also refused if an
 * element has more than 64 attributes, if a namespace name is longer than 1,000 characters or has
 * white space around it, or if elements are nested more deeply than `limits.depth`. A document type
 * declaration is refused too, so only the five predefined entities exist. Comments and processing
 * instructions are skipped.
 *
 * @example
 * parseXml('<a x="1">b</a>', { depth: 32 }) // { root: { name: 'a', ... } }
 * parseXml('<a x="1">b</b>', { depth: 32 }) // { malformed: 'The end tag ...: line 1, column 14.' }
 */
export function parseXml(text: string, limits: XmlLimits): { readonly root: XmlElement } | JsonFault {
  // saxes assumes that a low surrogate follows every high surrogate, and skips two code units. Text
  // decoded from bytes never contains a lone surrogate, but a string from elsewhere may contain
  // one.
  if (/\p{Surrogate}/u.test(text)) return { malformed: 'The text contains half of a surrogate pair.' }
  // The decoder has already removed one byte order mark. saxes would silently skip a second one.
  if (text.startsWith('\uFEFF')) return { malformed: 'A byte order mark is allowed only once, at the very start.' }
  const tree = new TreeParser(text, limits)
  try {
    tree.write(text).close()
  } catch (error) {
    if (error instanceof Refusal) return { malformed: error.message }
    throw error
  }
  return { root: tree.root as XmlElement }
}

class Refusal extends Error {}

interface OpenElement {
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  children: XmlElement[]
  text: string
}

// An empty list, shared by all elements that have no attributes or no children.
const none: never[] = []

class TreeParser extends SaxesParser<{ xmlns: true; defaultXMLVersion: '1.0'; forceXMLVersion: true }> {
  root: XmlElement | undefined
  readonly #depth: number
  readonly #open: OpenElement[] = []
  /**
   * For each prefix, the namespaces that the open elements declare. The namespace of the innermost
   * element is last. Without this map, saxes would search all open elements for the prefix of every
   * name.
   */
  readonly #bindings = new Map<string, string[]>([
    ['xml', [xmlNamespace]],
    ['xmlns', [xmlnsNamespace]],
  ])
  #declared: Record<string, string> = {}
  #attributes = 0

  constructor(text: string, limits: XmlLimits) {
    super({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true })
    this.#depth = limits.depth
    this.on('error', (error) => {
      const sentence = sentenceFor(error.message.replace(/^\d+:\d+: /, ''))
      // After an ampersand, saxes searches for a semicolon. If there is none up to the end of the
      // document, saxes reports that elements are not closed, although the real fault is the
      // ampersand.
      const ampersand = text.indexOf('&', text.lastIndexOf(';') + 1)
      if (!endsEarly(sentence) || ampersand < 0) this.#refuse(sentence)
      const lines = text.slice(0, ampersand + 1).split('\n')
      throw new Refusal(`${loneAmpersand}: line ${lines.length}, column ${lines.at(-1)?.length}.`)
    })
    this.on('xmldecl', ({ version }) => {
      // Version 1.1 allows other line ends and characters, which a parser for 1.0 might
      // misinterpret.
      if (version !== '1.0') this.#refuse('Only version 1.0 of XML is supported')
    })
    this.on('doctype', () => this.#refuse(noDoctype))
    this.on('opentagstart', (tag) => this.#startTag(tag.ns))
    this.on('attribute', (attribute) => this.#attribute(attribute as SaxesAttributeNS))
    this.on('opentag', (tag) => this.#openElement(tag))
    this.on('closetag', (tag) => this.#closeElement(tag))
    this.on('text', (text) => this.#text(text))
    this.on('cdata', (text) => this.#text(text))
  }

  override resolve(prefix: string): string | undefined {
    return this.#declared[prefix] ?? this.#bindings.get(prefix)?.at(-1)
  }

  #startTag(declared: Record<string, string>): void {
    this.#declared = declared
    this.#attributes = 0
    if (this.#open.length >= this.#depth) this.#refuse(`Elements may be nested at most ${this.#depth} levels deep`)
  }

  #attribute({ prefix, local, value }: SaxesAttributeNS): void {
    this.#attributes++
    if (this.#attributes > maxAttributes) this.#refuse(`An element may have at most ${maxAttributes} attributes`)
    if (hasInvalidStart(local))
      this.#refuse('The part of a name after its prefix must begin with a name start character')
    if (prefix !== 'xmlns' && !(prefix === '' && local === 'xmlns')) return
    if (value.length > longestNamespace)
      this.#refuse(`The name of a namespace may have at most ${longestNamespace} characters`)
    // saxes would trim the name, and so read a different name than other parsers do.
    if (value !== value.trim()) this.#refuse('The name of a namespace must have no white space around it')
  }

  #openElement(tag: SaxesTagNS): void {
    if (hasInvalidStart(tag.local))
      this.#refuse('The part of a name after its prefix must begin with a name start character')
    const element: OpenElement = {
      name: tag.local,
      attributes: this.#attributes === 0 ? none : attributesOf(tag),
      children: none,
      text: '',
    }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.root = element
    else if (parent.children === none) parent.children = [element]
    else parent.children.push(element)
    this.#open.push(element)
    if (this.#attributes === 0) return
    for (const prefix in tag.ns) {
      const bound = this.#bindings.get(prefix)
      if (bound === undefined) this.#bindings.set(prefix, [tag.ns[prefix] as string])
      else bound.push(tag.ns[prefix] as string)
    }
  }

  #closeElement(tag: SaxesTagNS): void {
    this.#open.pop()
    for (const prefix in tag.ns) this.#bindings.get(prefix)?.pop()
  }

  /**
   * Appends a piece of text. The text must not be read before it is complete, because V8 would copy
   * all of its pieces on each read.
   */
  #text(text: string): void {
    const element = this.#open.at(-1)
    if (element !== undefined) element.text += text
  }

  #refuse(sentence: string): never {
    throw new Refusal(`${sentence}: line ${this.line}, column ${this.column}.`)
  }
}

function attributesOf(tag: SaxesTagNS): XmlAttribute[] {
  return Object.values(tag.attributes).map(({ local, uri, value }) => ({ name: local, namespace: uri, value }))
}

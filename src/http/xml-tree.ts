/**
 * XML documents as small trees (XML 1.0, Namespaces in XML 1.0; HDR-5): read strictly and in one pass, so that neither depth nor length can hurt.
 */
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import type { JsonFault } from './json-fault.js'
import { endsEarly, loneAmpersand, noDoctype, sentenceFor } from './xml-faults.js'
import { startsAmiss } from './xml-text.js'

export interface XmlAttribute {
  /** The name behind the prefix. */
  readonly name: string
  /** The namespace that the prefix stands for; `''` without one. */
  readonly namespace: string
  readonly value: string
}

export interface XmlElement {
  /** The name behind the prefix. */
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
  /** The text directly in the element, CDATA sections with it, joined around children, comments and processing instructions. */
  readonly text: string
}

export interface XmlLimits {
  /** How many elements may stand in one another; `<a><b/></a>` has 2. */
  readonly depth: number
}

export const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'
export const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/'

/** Attributes of one element, namespace declarations with them. */
const mostAttributes = 64
/** Characters of a namespace's name. saxes makes the full name of every attribute, so a long one would cost its length each time it is used. */
const longestNamespace = 1_000

/**
 * The root element of a document. It refuses what is not well-formed, also by the rules of namespaces; every document type declaration, so that there are no
 * entities but the five of XML itself; versions other than 1.0; more than 64 attributes on an element; elements deeper than the limit. Comments and processing
 * instructions are passed over.
 *
 * @example parseXml('<a x="1">b</a>', { depth: 32 }) // { root: { name: 'a', ... } }, or for '</b>' at the end { malformed: 'The end tag ...: line 1, column 14.' }
 */
export function parseXml(text: string, limits: XmlLimits): { readonly root: XmlElement } | JsonFault {
  // saxes takes the unit after any high half for the low one, and the characters with it: only a string can hold such halves, never decoded bytes.
  if (/\p{Surrogate}/u.test(text)) return { malformed: 'The text holds half a surrogate pair.' }
  // saxes passes over one of its own, and the decoder has passed over the first already.
  if (text.startsWith('\uFEFF')) return { malformed: 'A byte order mark may stand only once, at the very start.' }
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

// Most elements are leaves without attributes, and they share these.
const none: never[] = []

class TreeParser extends SaxesParser<{ xmlns: true; defaultXMLVersion: '1.0'; forceXMLVersion: true }> {
  root: XmlElement | undefined
  readonly #depth: number
  readonly #open: OpenElement[] = []
  /** The namespaces of each prefix, the innermost last: saxes would look through every open element for every name. */
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
      // saxes looks for the semicolon of an ampersand up to the end, and then tells of tags that it has passed over.
      this.#refuse(endsEarly(sentence) && text.lastIndexOf('&') > text.lastIndexOf(';') ? loneAmpersand : sentence)
    })
    this.on('xmldecl', ({ version }) => {
      // 1.1 has other line ends and characters: read as 1.0, it might mean something else than was meant.
      if (version !== '1.0') this.#refuse('Only version 1.0 of XML is read')
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
    if (this.#open.length >= this.#depth) this.#refuse(`Elements may stand at most ${this.#depth} deep in one another`)
  }

  #attribute({ prefix, local, value }: SaxesAttributeNS): void {
    this.#attributes++
    if (this.#attributes > mostAttributes) this.#refuse(`An element may have at most ${mostAttributes} attributes`)
    if (startsAmiss(local)) this.#refuse('A name behind a prefix must begin as names do')
    if (prefix !== 'xmlns' && !(prefix === '' && local === 'xmlns')) return
    if (value.length > longestNamespace) this.#refuse(`The name of a namespace may have at most ${longestNamespace} characters`)
    // saxes would trim it, and so take it for another name than other readers do.
    if (value !== value.trim()) this.#refuse('The name of a namespace may have no white space around it')
  }

  #openElement(tag: SaxesTagNS): void {
    if (startsAmiss(tag.local)) this.#refuse('A name behind a prefix must begin as names do')
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

  /** Appends only: to look at the text before it is complete would copy it each time. */
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

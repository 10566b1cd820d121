/** A document as answers are held against it: operations by method and path, with their answers. */
import { isList, isObject, type JsonObject } from '../../definition/json.js'
import type { DocumentFragment } from '../../plan/document-options.js'
import type { OpenApiDocument } from '../document.js'
import { Validators } from './validators.js'

/** An answer as it left. Names of headers are in lower case. */
export interface Answered {
  readonly method: string
  /** Below the version, without the query. */
  readonly path: string
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** `undefined` where it was streamed, so that nobody has seen it whole. */
  readonly body: Buffer | undefined
}

interface Path {
  readonly template: string
  readonly pattern: RegExp
  /** How much of it is literal: of two that fit, the more literal one is meant. */
  readonly literals: number
  readonly item: JsonObject
}

/** What stands beside what a document tells: of the connection, of browsers, and what every framework adds. */
const untold =
  /^(?:connection|content-(?:type|length|encoding|security-policy)|date|keep-alive|transfer-encoding|x-(?:powered-by|content-type-options|frame-options)|referrer-policy|cross-origin-resource-policy|strict-transport-security|access-control-.*|server-timing)$/

/** One document, ready to be held against answers. */
export class Described {
  readonly #document: OpenApiDocument
  readonly #validators: Validators
  readonly #paths: readonly Path[]
  readonly #handWritten: ReadonlySet<string>
  readonly #reached = new Set<string>()

  /** `fragments` are hand-written: what refuses their requests before they see them, they need not tell. */
  constructor(document: OpenApiDocument, fragments: readonly DocumentFragment[] = []) {
    this.#document = document
    this.#handWritten = new Set(
      fragments.flatMap(({ paths = {} }) =>
        Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`)),
      ),
    )
    this.#validators = new Validators(document)
    this.#paths = Object.entries(document.paths)
      .map(([template, item]) => ({ template, item, pattern: patternOf(template), literals: template.replace(/\{[^}]*\}/g, '').length }))
      .sort((a, b) => b.literals - a.literals)
  }

  /** What of an answer the document does not tell; empty where it tells all of it. */
  faults(answered: Answered): readonly string[] {
    const { method, path, status } = answered
    const found = this.#paths.find(({ pattern }) => pattern.test(path))
    const operation = found?.item[method.toLowerCase()]
    if (found === undefined || !isObject(operation)) {
      // A refusal is what the document promises of an address, or of a method, that it does not tell of.
      return status >= 400 ? [] : [`${method} ${path} answers ${status}, and the document has no such operation.`]
    }
    const place = ['paths', found.template, method.toLowerCase(), 'responses', String(status)]
    const what = `${method} ${found.template} answers ${status}`
    const response = this.#at(place)
    if (response === undefined && status >= 400 && this.#handWritten.has(`${method.toLowerCase()} ${found.template}`)) return []
    if (response === undefined) return [`${what}, which the document does not tell.`]
    this.#reached.add(`${String(operation.operationId)} ${status}`)
    return [...this.#headerFaults(response, answered), ...this.#bodyFaults(response, answered)].map((fault) => `${what}: ${fault}`)
  }

  /** The answers that the document tells and nobody has got yet, as `listPieces 304`. */
  unreached(): readonly string[] {
    const told = this.#paths.flatMap(({ item }) =>
      Object.values(item).flatMap((operation) => {
        if (!isObject(operation) || !isObject(operation.responses)) return []
        return Object.keys(operation.responses).map((status) => `${String(operation.operationId)} ${status}`)
      }),
    )
    return told.filter((one) => !this.#reached.has(one))
  }

  #headerFaults({ value, place }: Place, { headers }: Answered): readonly string[] {
    // A hand-written route may leave them out: then nothing is said of them.
    if (!isObject(value.headers)) return []
    const told = value.headers
    const names = new Map(Object.keys(told).map((name) => [name.toLowerCase(), name]))
    const strays = [...headers.keys()].filter((name) => !names.has(name) && !untold.test(name))
    const faults = strays.map((name) => `the header "${name}" is not told.`)
    for (const [key, name] of names) {
      const field = this.#follow([...place, 'headers', name])
      const given = headers.get(key)
      if (given === undefined) {
        if (field?.value.required === true) faults.push(`the header "${name}" is missing.`)
      } else if (isObject(field?.value.schema)) {
        const typed = field.value.schema.type === 'integer' ? Number(given) : given
        faults.push(
          ...this.#validators.faults(typed, [...field.place, 'schema']).map((fault) => `the header "${name}" is "${given}": ${fault}.`),
        )
      }
    }
    return faults
  }

  #bodyFaults({ value, place }: Place, { method, headers, body }: Answered): readonly string[] {
    const content = isObject(value.content) ? value.content : {}
    const types = Object.keys(content)
    if (method === 'HEAD' || body === undefined) return []
    if (body.length === 0) {
      // A write may be answered without its body: the client preferred so, or may not see it.
      return types.length > 0 && method === 'GET' ? ['the body is empty.'] : []
    }
    const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!types.includes(type)) return [`a body of "${type}" is not told${types.length === 0 ? '' : `: there are ${types.join(', ')}`}.`]
    const coded = headers.has('content-encoding')
    if (coded || !/[/+]json$/.test(type)) return []
    if (!isObject(content[type]) || !isObject((content[type] as JsonObject).schema)) return []
    return this.#validators
      .faults(JSON.parse(body.toString()), [...place, 'content', type, 'schema'])
      .map((fault) => `the body does not fit: ${fault}.`)
  }

  /** The response at a place, its reference followed. */
  #at(place: readonly string[]): Place | undefined {
    return this.#follow(place)
  }

  #follow(place: readonly string[]): Place | undefined {
    let value: unknown = this.#document
    for (const token of place) value = isObject(value) || isList(value) ? Reflect.get(value, token) : undefined
    if (!isObject(value)) return undefined
    const { $ref } = value
    return typeof $ref === 'string' ? this.#follow($ref.slice(2).split('/')) : { value, place }
  }
}

interface Place {
  readonly value: JsonObject
  readonly place: readonly string[]
}

/** A trailing slash is the same address (PATH-11). */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/(\{[^}]*\})/)
      .map((piece) => (piece.startsWith('{') ? '[^/]+' : piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('')}/?$`,
  )

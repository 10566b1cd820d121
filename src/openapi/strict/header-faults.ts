/** Compares the header fields of a response with those in the document. */
import { isObject } from '../../definition/json.js'
import type { SentResponse } from './answered.js'
import { type Place, placeAt } from './places.js'
import type { Validators } from './validators.js'

/**
 * Header fields that documents need not describe, such as fields of the connection, fields of the
 * body (`content` declares its media type), fields for browsers, and fields that frameworks add.
 */
const general =
  /^(?:connection|content-(?:type|length|encoding|security-policy)|date|keep-alive|transfer-encoding|vary|x-(?:powered-by|content-type-options|frame-options)|referrer-policy|cross-origin-resource-policy|strict-transport-security|access-control-.*|server-timing)$/

/** The header fields of a response in a document. */
export class DescribedHeaders {
  /** The fields by name in lower case. */
  readonly #fields: ReadonlyMap<string, { readonly name: string; readonly field: Place | undefined }>
  /**
   * Whether undescribed fields are faults. False if the document declares no `headers` for the
   * response, as may be the case for hand-written routes.
   */
  readonly #isClosed: boolean
  readonly #document: unknown
  readonly #validators: Validators

  constructor(document: unknown, { value, tokens }: Place, validators: Validators) {
    const headers = isObject(value.headers) ? value.headers : {}
    this.#isClosed = isObject(value.headers)
    this.#document = document
    this.#validators = validators
    this.#fields = new Map(
      Object.keys(headers).map((name) => [
        name.toLowerCase(),
        { name, field: placeAt(document, [...tokens, 'headers', name]) },
      ]),
    )
  }

  /** The names of the fields, as the document spells them. */
  get names(): readonly string[] {
    return [...this.#fields.values()].map(({ name }) => name)
  }

  /** Returns the faults of the header fields of a response. */
  faults({ headers, before }: SentResponse): readonly string[] {
    const isUndescribed = (name: string): boolean =>
      !this.#fields.has(name) && !general.test(name) && before?.has(name) !== true
    const undescribed = this.#isClosed ? [...headers.keys()].filter(isUndescribed) : []
    const faults = undescribed.map((name) => `the document does not describe the header "${name}".`)
    for (const [key, { name, field }] of this.#fields) {
      const given = headers.get(key)
      if (field === undefined) continue
      if (given === undefined) {
        if (field.value.required === true) faults.push(`the header "${name}" is missing.`)
      } else faults.push(...this.#valueFaults(name, given, field))
    }
    return faults
  }

  #valueFaults(name: string, given: string, { value, tokens }: Place): readonly string[] {
    if (!isObject(value.schema)) return []
    const { type } = placeAt(this.#document, [...tokens, 'schema'])?.value ?? {}
    const typed = (type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given
    const faults = this.#validators.faults(typed, [...tokens, 'schema'])
    return faults.map((fault) => `the header "${name}" is "${given}": ${fault}.`)
  }
}

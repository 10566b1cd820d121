/** Compares the body of a response with the content in the document. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { isList, isObject, type JsonObject } from '../../definition/json.js'
import { mediaType, xmlTypes } from '../../wire.js'
import type { SentResponse } from './answered.js'
import { type Place, placeAt } from './places.js'
import { type ReadRows, rowReader } from './rows.js'
import type { Validators } from './validators.js'
import { xmlValue } from './xml-value.js'

/** Statuses whose responses have no body, by RFC 9110 or by the conventions. */
const bodiless: ReadonlySet<number> = new Set([204, 302, 304, 410])

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

const isJson = (type: string): boolean => /[/+]json$/.test(type)
const isXml = (type: string): boolean => xmlTypes.includes(type) || type === mediaType.problemXml

/**
 * The faults of a body, and its decoded value. `value` is set only for JSON and XML bodies that can
 * be read.
 */
interface ReadBody {
  readonly faults: readonly string[]
  readonly value?: unknown
}

const fault = (text: string): ReadBody => ({ faults: [text] })

/**
 * The media type of legacy errors in the document. A legacy error has the form that the service
 * used before it followed ERR-3. The document does not describe the body of a legacy error further.
 */
const anyType = '*/*'

/** Returns a media type in lower case, without its parameters. */
const essenceOf = (field: string): string => (field.split(';', 1)[0] ?? '').trim().toLowerCase()

const withoutSpaces = (field: string): string => field.toLowerCase().replace(/\s+/g, '')

/**
 * Returns the media type or range in a document that matches the type of a response. If several
 * match, the first in this order is returned: the type with the same parameters, the type without
 * parameters, the type with other parameters, a range such as `application/*`, and `*\/*`.
 */
function keyOf(types: readonly string[], field: string): string | undefined {
  const type = essenceOf(field)
  return (
    types.find((one) => withoutSpaces(one) === withoutSpaces(field)) ??
    types.find((one) => one.toLowerCase() === type) ??
    types.find((one) => essenceOf(one) === type) ??
    types.find((one) => essenceOf(one) === `${type.split('/', 1)[0]}/*`) ??
    types.find((one) => essenceOf(one) === anyType)
  )
}

/** The content of a response in a document, by media type. */
export class DescribedBody {
  readonly #document: unknown
  readonly #place: Place
  readonly #content: Readonly<JsonObject>
  readonly #validators: Validators

  constructor(document: unknown, place: Place, validators: Validators) {
    this.#document = document
    this.#place = place
    this.#content = isObject(place.value.content) ? place.value.content : {}
    this.#validators = validators
  }

  /** The `code` values that the document lists. Empty if the response is not a problem. */
  get codes(): readonly string[] {
    const tokens = [...this.#place.tokens, 'content', mediaType.problem, 'schema']
    const branches = placeAt(this.#document, tokens)?.value.allOf
    return (isList(branches) ? branches : []).flatMap((branch) => {
      const code = isObject(branch) && isObject(branch.properties) ? branch.properties.code : undefined
      return isObject(code) && isList(code.enum) ? code.enum.map(String) : []
    })
  }

  /** Returns the faults of a body, and its decoded value. */
  read({ method, status, headers, body }: SentResponse): ReadBody {
    // The header fields of a response to HEAD describe a body that is not sent.
    if (method === 'HEAD' || body === undefined) return { faults: [] }
    if (bodiless.has(status))
      return body.length === 0 ? { faults: [] } : fault(`the body must be empty, but has ${body.length} bytes.`)
    const types = Object.keys(this.#content)
    const field = headers.get('content-type') ?? ''
    const type = essenceOf(field)
    if (body.length === 0) return this.#empty(method, status, type)
    const key = keyOf(types, field)
    if (key === anyType) return { faults: [] }
    if (key === undefined) {
      return fault(
        `the document has no body of type "${type}"${types.length === 0 ? '' : `, only ${types.join(', ')}`}.`,
      )
    }
    const decode = decoders[headers.get('content-encoding') ?? 'identity']
    return decode === undefined ? { faults: [] } : this.#value(type, key, decode(body))
  }

  #empty(method: string, status: number, type: string): ReadBody {
    const content = this.#content
    // The response to a write may have no body, because the client asked for no body or is not
    // allowed to read the item. The body of a custom format may be empty.
    const mayBeEmpty =
      Object.keys(content).length === 0 ||
      (status < 400 && (method !== 'GET' || !(type === '' || isJson(type) || isXml(type))))
    return mayBeEmpty ? { faults: [] } : fault('the body is empty.')
  }

  #value(type: string, key: string, body: Buffer): ReadBody {
    const place = [...this.#place.tokens, 'content', key, 'schema']
    const media = this.#content[key]
    const readRows = isObject(media) ? rowReader(this.#document, type, media) : undefined
    if (readRows !== undefined) return this.#rows(readRows, body.toString(), [...place.slice(0, -1), 'x-item-schema'])
    const schema = placeAt(this.#document, place)?.value
    if (schema === undefined || !(isJson(type) || isXml(type))) return { faults: [] }
    const found = isJson(type) ? jsonValue(body) : xmlValue(this.#document, schema, body.toString())
    if ('fault' in found) return fault(`the body can't be read: ${found.fault.replace(/\.$/, '')}.`)
    const faults = this.#validators.faults(found.value, place)
    return { value: found.value, faults: faults.map((one) => `the body does not match the schema: ${one}.`) }
  }

  #rows(readRows: ReadRows, text: string, place: readonly string[]): ReadBody {
    const faulty: string[] = []
    try {
      for (const { line, value, fault: found } of readRows(text)) {
        const faults = found === undefined ? this.#validators.faults(value, place) : []
        if (found !== undefined) faulty.push(`line ${line}: ${found}.`)
        else if (faults.length > 0)
          faulty.push(`the body does not match the schema: line ${line}: ${faults.join('; ')}.`)
      }
    } catch (error) {
      return fault(`the body can't be read: ${messageOf(error)}.`)
    }
    const more = faulty.length - maxLines
    return {
      faults: [
        ...faulty.slice(0, maxLines),
        ...(more > 0 ? [`${more} more ${more === 1 ? 'line has' : 'lines have'} faults.`] : []),
      ],
    }
  }
}

/** The maximum number of faulty lines that are reported. */
const maxLines = 5

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function jsonValue(body: Buffer): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: JSON.parse(body.toString()) }
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

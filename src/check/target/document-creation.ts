/** How records are made that belong to the check alone, as far as a document tells it. */
import { isList, isObject, type JsonObject } from '../../definition/json.js'
import { asObject, contentOf, type Operation, parametersIn } from '../../spectral/document.js'
import { header, mediaType } from '../../wire.js'
import { membersOf, typesOf } from './schema-facts.js'
import type { Creation } from './target.js'

/** Characters of a marker. */
export const markerLength = 22

/**
 * A body by the examples of the document, with the member that can carry a marker. `undefined` where
 * the document gives no example, or offers neither a marker nor an `Idempotency-Key`: what was made
 * could not be found again.
 */
export function creationOf(post: Operation | undefined, filters: readonly string[]): Creation | undefined {
  if (post === undefined) return undefined
  const media = asObject(asObject(contentOf(asObject(post.operation.requestBody)))[mediaType.json])
  const body = exampleOf(media)
  if (body === undefined) return undefined
  const members = membersOf(media.schema)
  const marker = [...members].find(([name, schema]) => filters.includes(name) && carriesMarker(schema))?.[0]
  const idempotent = parametersIn(post, 'header').has(header.idempotencyKey.toLowerCase())
  if (marker === undefined && !idempotent) return undefined
  return { body, ...(marker === undefined ? {} : { marker }), idempotent }
}

function exampleOf({ example, examples, schema }: JsonObject): JsonObject | undefined {
  const named = isObject(examples) ? Object.values(examples).map((one) => asObject(one).value) : []
  const inSchema = asObject(schema)
  const all = [example, ...named, inSchema.example, ...(isList(inSchema.examples) ? inSchema.examples : [])]
  return all.find(isObject)
}

/** A free text that is long enough. */
function carriesMarker(schema: unknown): boolean {
  const { maxLength, pattern, format, readOnly, enum: values } = asObject(schema)
  const isFree = pattern === undefined && format === undefined && values === undefined && readOnly !== true
  return isFree && typesOf(schema).has('string') && (typeof maxLength !== 'number' || maxLength >= markerLength)
}

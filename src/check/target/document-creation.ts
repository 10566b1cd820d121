/** Derives from a document how checks can create their own records. */
import { isList, isObject, type JsonObject } from '../../definition/json.js'
import { asObject, contentOf, type Operation, parametersIn } from '../../spectral/document.js'
import { header, mediaType } from '../../wire.js'
import { membersOf, requiredMembers, typesOf } from './schema-facts.js'
import type { Creation } from './target.js'

/** The size of a marker in characters. */
const markerLength = 22

/** The facts from a document that determine how to create records in a collection. */
export interface Makeable {
  readonly post: Operation | undefined
  /**
   * The operation PUT of an item. If PUT has no body, it adds an existing item to the collection of
   * a parent (VERB-4).
   */
  readonly put: Operation | undefined
  readonly key: readonly string[]
  readonly filters: readonly string[]
}

/**
 * Describes how checks can create records in a collection: the body from the example in the
 * document, the members that POST accepts, and the member for a marker. A marker is a random string
 * by which a check finds its record again.
 *
 * Returns `undefined` if checks can't create records in the collection, for one of these reasons:
 * - The document describes no POST, or no members of its body.
 * - The document has neither a filter by a member that can contain the marker nor an
 *   `Idempotency-Key`, so a record could not be found again.
 * - No member can contain the marker. The marker makes each new record different from all existing
 *   ones. Without it, a service may respond to the POST with the URL of an existing record that has
 *   the same content.
 * - The client has to choose an id that can't contain the marker.
 * - PUT of an item has no body, so the items are records of another collection.
 */
export function creationOf({ post, put, key, filters }: Makeable): Creation | undefined {
  if (post === undefined || (put !== undefined && put.operation.requestBody === undefined)) return undefined
  const media = asObject(asObject(contentOf(asObject(post.operation.requestBody)))[mediaType.json])
  const members = membersOf(media.schema)
  const required = requiredMembers(media.schema)
  const chosen = key.filter((name) => required.has(name))
  if (members.size === 0 || !chosen.every((name) => carriesMarker(members.get(name)))) return undefined
  const free = [...members].filter(([name, schema]) => !key.includes(name) && carriesMarker(schema))
  const marker = free.find(([name]) => filters.includes(name))?.[0]
  const idempotent = parametersIn(post, 'header').has(header.idempotencyKey.toLowerCase())
  if (marker === undefined && !idempotent) return undefined
  const unique = marker === undefined && chosen.length === 0 ? free.slice(0, 1).map(([name]) => name) : chosen
  if (marker === undefined && unique.length === 0) return undefined
  const body = exampleOf(media)
  return {
    ...(body === undefined ? {} : { body }),
    members: [...members]
      .filter(([name, schema]) => !key.includes(name) && asObject(schema).readOnly !== true)
      .map(([name]) => name),
    ...(marker === undefined ? {} : { marker }),
    idempotent,
    unique,
  }
}

function exampleOf({ example, examples, schema }: JsonObject): JsonObject | undefined {
  const named = isObject(examples) ? Object.values(examples).map((one) => asObject(one).value) : []
  const inSchema = asObject(schema)
  const all = [example, ...named, inSchema.example, ...(isList(inSchema.examples) ? inSchema.examples : [])]
  return all.find(isObject)
}

/**
 * Whether a member can contain a marker: it is a string without `pattern`, `format` or `enum`, is
 * not read-only, and may be as long as a marker.
 */
function carriesMarker(schema: unknown): boolean {
  const { maxLength, pattern, format, readOnly, enum: values } = asObject(schema)
  const isFree = pattern === undefined && format === undefined && values === undefined && readOnly !== true
  return isFree && typesOf(schema).has('string') && (typeof maxLength !== 'number' || maxLength >= markerLength)
}

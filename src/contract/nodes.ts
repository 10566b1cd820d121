/** Places in an OpenAPI document: values with their JSON pointers (RFC 6901), and what references lead to. */
import { escapePointer, isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'

/** A document is malformed: its message says where and how. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

/** A value of a document, and where it stands. */
export interface Place {
  readonly value: unknown
  /** Such as `#/paths/~1orders/get`. */
  readonly pointer: string
}

/** One document, and the way around in it. */
export class Source {
  readonly root: Place
  /** OpenAPI 3.0: `nullable`, boolean `exclusiveMinimum`, and nothing beside `$ref`. */
  readonly legacy: boolean

  /** Throws `DocumentError` for what is not an OpenAPI document of version 3. */
  constructor(document: unknown) {
    const version = own(document, 'openapi')
    if (typeof version !== 'string' || !/^3\.\d/.test(version)) {
      throw new DocumentError('This is not an OpenAPI document of version 3: it has no member "openapi" such as "3.1.0".')
    }
    this.root = { value: document, pointer: '#' }
    this.legacy = version.startsWith('3.0')
  }

  /** What a chain of references leads to. Throws `DocumentError` where it leads to nothing, or in a circle. */
  resolve(place: Place): Place {
    let found = place
    const seen = new Set<string>()
    for (let ref = own(found.value, '$ref'); typeof ref === 'string'; ref = own(found.value, '$ref')) {
      if (seen.has(ref)) throw new DocumentError(`The reference "${ref}" at ${place.pointer} leads to itself.`)
      seen.add(ref)
      found = this.target(ref, found.pointer)
    }
    return found
  }

  /** What one reference leads to. */
  target(ref: string, from: string): Place {
    if (!ref.startsWith('#/'))
      throw new DocumentError(`The reference "${ref}" at ${from} leads out of the document. Bundle the document into one file first.`)
    let place = this.root
    for (const token of pointerTokens(fragmentOf(ref)) ?? []) place = child(place, token)
    if (place.value === undefined) throw new DocumentError(`The reference "${ref}" at ${from} leads to nothing.`)
    return place
  }

  /** A member, with its references followed; `undefined` where there is none. */
  member(place: Place | undefined, ...names: readonly string[]): Place | undefined {
    let found = place
    for (const name of names) {
      if (found === undefined) return undefined
      const next = child(found, name)
      found = next.value === undefined ? undefined : this.resolve(next)
    }
    return found
  }

  /** The members of a place by name, each with its references followed. */
  members(place: Place | undefined): ReadonlyMap<string, Place> {
    if (place === undefined || !isObject(place.value)) return new Map()
    return new Map(Object.keys(place.value).map((name) => [name, this.resolve(child(place, name))]))
  }

  /** The items of a list, each with its references followed. */
  items(place: Place | undefined): readonly Place[] {
    if (place === undefined || !isList(place.value)) return []
    return place.value.map((_, index) => this.resolve(child(place, String(index))))
  }
}

/** A member or an item, references and all. */
export function child(place: Place, token: string): Place {
  const { value } = place
  const found = isList(value) ? value[Number(token)] : own(value, token)
  return { value: found, pointer: `${place.pointer}/${escapePointer(token)}` }
}

/** The value of a place as an object; an empty one where it is none. */
export const objectAt = (place: Place | undefined): JsonObject => (place !== undefined && isObject(place.value) ? place.value : {})

/** A text member; `undefined` where there is none. */
export function textAt(place: Place | undefined, name: string): string | undefined {
  const value = own(place?.value, name)
  return typeof value === 'string' ? value : undefined
}

/** The pointer of a fragment: percent-encoded in a URI (RFC 6901 6). */
function fragmentOf(ref: string): string {
  try {
    return decodeURIComponent(ref.slice(1))
  } catch {
    return ref.slice(1)
  }
}

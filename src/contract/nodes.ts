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
  /** Places by what identifies them: `#name` of an `$anchor`, the `$id` of a schema. Found when the first is asked for. */
  #identified: ReadonlyMap<string, Place> | undefined

  /** Throws `DocumentError` for what is not an OpenAPI document of version 3. */
  constructor(document: unknown) {
    const version = own(document, 'openapi')
    if (typeof version !== 'string' || !/^3\.\d/.test(version)) {
      throw new DocumentError(
        'This is not an OpenAPI document of version 3: it has no member "openapi" such as "3.1.0".',
      )
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
    const [, base = '', fragment] = /^([^#]*)(#.*)?$/s.exec(ref) ?? []
    let place = base === '' && fragment?.startsWith('#/') ? this.root : this.#identifiedBy(ref, base, from)
    if (fragment?.startsWith('#/'))
      for (const token of pointerTokens(fragmentOf(fragment)) ?? []) place = child(place, token)
    if (place.value === undefined) throw new DocumentError(`The reference "${ref}" at ${from} leads to nothing.`)
    return place
  }

  /** The schema with an `$anchor`, or with an `$id`. Names of anchors count in the whole document. */
  #identifiedBy(ref: string, base: string, from: string): Place {
    this.#identified ??= identifiedIn(this.root)
    const anchor = ref.slice(base.length)
    const found =
      this.#identified.get(anchor === '' || anchor.startsWith('#/') ? base : anchor) ?? this.#identified.get(ref)
    if (found !== undefined) return found
    if (base === '')
      throw new DocumentError(`The reference "${ref}" at ${from} leads to nothing: no schema has that $anchor.`)
    throw new DocumentError(
      `The reference "${ref}" at ${from} leads out of the document. Give the document as a file, or bundle it first.`,
    )
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

/** Members whose value is data, in which nothing is a schema. */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'enum', 'value'])

/** Every schema that has an `$anchor`, a `$dynamicAnchor` or an `$id`. */
function identifiedIn(root: Place): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>()
  const visit = (place: Place): void => {
    const { value } = place
    if (isList(value)) for (const index of value.keys()) visit(child(place, String(index)))
    if (!isObject(value)) return
    for (const keyword of ['$anchor', '$dynamicAnchor'] as const)
      if (typeof value[keyword] === 'string') keep(`#${value[keyword]}`, place)
    if (typeof value.$id === 'string') keep(value.$id.replace(/#$/, ''), place)
    for (const name of Object.keys(value)) if (!data.has(name) || isObject(value[name])) visit(child(place, name))
  }
  const keep = (id: string, place: Place): unknown => found.has(id) || found.set(id, place)
  visit(root)
  return found
}

/** The value of a place as an object; an empty one where it is none. */
export const objectAt = (place: Place | undefined): JsonObject =>
  place !== undefined && isObject(place.value) ? place.value : {}

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

/**
 * Looks up values in an OpenAPI document, together with their JSON pointers (RFC 6901), and
 * resolves references.
 */
import { escapePointer, isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'

/** Thrown if a document is malformed. The message describes the fault. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

/** A value of a document, and its JSON pointer. */
export interface Place {
  readonly value: unknown
  /** The JSON pointer as a fragment, such as `#/paths/~1orders/get`. */
  readonly pointer: string
}

/** An OpenAPI document, with methods that look up its values. */
export class Source {
  readonly root: Place
  /**
   * Whether the document is OpenAPI 3.0. This version has a keyword `nullable`, its
   * `exclusiveMinimum` is a boolean, and it ignores siblings of `$ref`.
   */
  readonly legacy: boolean
  /**
   * The schemas with an `$anchor`, a `$dynamicAnchor` or an `$id`. They are keyed by `#` and the
   * anchor, or by the `$id`. Computed on first use.
   */
  #identified: ReadonlyMap<string, Place> | undefined

  /** Throws `DocumentError` if the document is not OpenAPI 3. */
  constructor(document: unknown) {
    const version = own(document, 'openapi')
    if (typeof version !== 'string' || !/^3\.\d/.test(version)) {
      throw new DocumentError(
        'This is not an OpenAPI document of version 3: it needs a member "openapi" with a value such as "3.1.0".',
      )
    }
    this.root = { value: document, pointer: '#' }
    this.legacy = version.startsWith('3.0')
  }

  /**
   * Returns the place itself, or the final target if the value is a reference. Throws
   * `DocumentError` if the target is missing or if the references form a cycle.
   */
  resolve(place: Place): Place {
    let found = place
    const seen = new Set<string>()
    for (let ref = own(found.value, '$ref'); typeof ref === 'string'; ref = own(found.value, '$ref')) {
      if (seen.has(ref)) throw new DocumentError(`The reference "${ref}" at ${place.pointer} is circular.`)
      seen.add(ref)
      found = this.target(ref, found.pointer)
    }
    return found
  }

  /** Returns the target of one reference. */
  target(ref: string, from: string): Place {
    const [, base = '', fragment] = /^([^#]*)(#.*)?$/s.exec(ref) ?? []
    let place = base === '' && fragment?.startsWith('#/') ? this.root : this.#identifiedBy(ref, base, from)
    if (fragment?.startsWith('#/'))
      for (const token of pointerTokens(fragmentOf(fragment)) ?? []) place = child(place, token)
    if (place.value === undefined) throw new DocumentError(`The reference "${ref}" at ${from} has no target.`)
    return place
  }

  /**
   * Returns the schema that a reference identifies by `$anchor`, `$dynamicAnchor` or `$id`. Anchors
   * are looked up in the whole document.
   */
  #identifiedBy(ref: string, base: string, from: string): Place {
    this.#identified ??= identifiedIn(this.root)
    const anchor = ref.slice(base.length)
    const found =
      this.#identified.get(anchor === '' || anchor.startsWith('#/') ? base : anchor) ?? this.#identified.get(ref)
    if (found !== undefined) return found
    if (base === '')
      throw new DocumentError(`The reference "${ref}" at ${from} has no target: no schema has that $anchor.`)
    throw new DocumentError(
      `The reference "${ref}" at ${from} leads outside the document. Bundle the document first, or give its file ` +
        'to the command express-rest-conventions, which bundles it.',
    )
  }

  /**
   * Returns the value at a path of member names, with references resolved; `undefined` if a member
   * is missing.
   */
  member(place: Place | undefined, ...names: readonly string[]): Place | undefined {
    let found = place
    for (const name of names) {
      if (found === undefined) return undefined
      const next = child(found, name)
      found = next.value === undefined ? undefined : this.resolve(next)
    }
    return found
  }

  /** Returns the members of an object, keyed by name, with references resolved. */
  members(place: Place | undefined): ReadonlyMap<string, Place> {
    if (place === undefined || !isObject(place.value)) return new Map()
    return new Map(Object.keys(place.value).map((name) => [name, this.resolve(child(place, name))]))
  }

  /** Returns the items of a list, with references resolved. */
  items(place: Place | undefined): readonly Place[] {
    if (place === undefined || !isList(place.value)) return []
    return place.value.map((_, index) => this.resolve(child(place, String(index))))
  }
}

/** Returns a member or an item without resolving references. */
export function child(place: Place, token: string): Place {
  const { value } = place
  const found = isList(value) ? value[Number(token)] : own(value, token)
  return { value: found, pointer: `${place.pointer}/${escapePointer(token)}` }
}

/**
 * Members with these names usually contain plain JSON values, such as examples or defaults, and not
 * schemas. A list in such a member is not searched for schemas. An object is searched, because it
 * can be the schema of a property with this name.
 */
const data: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'enum', 'value'])

/** Returns every schema that has an `$anchor`, a `$dynamicAnchor` or an `$id`. */
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

/** Returns the value of a place if the value is an object, otherwise an empty object. */
export const objectAt = (place: Place | undefined): JsonObject =>
  place !== undefined && isObject(place.value) ? place.value : {}

/** Returns a member if it is a string, otherwise `undefined`. */
export function textAt(place: Place | undefined, name: string): string | undefined {
  const value = own(place?.value, name)
  return typeof value === 'string' ? value : undefined
}

/**
 * Returns the JSON pointer in the fragment of a URI. In a fragment, a pointer is percent-encoded
 * (RFC 6901 6).
 */
function fragmentOf(ref: string): string {
  try {
    return decodeURIComponent(ref.slice(1))
  } catch {
    return ref.slice(1)
  }
}

/** References to components of an OpenAPI document. */
import { isList, isObject, own } from '../definition/json.js'
import type { OpenApiDocument } from '../openapi/document.js'
import { textIn } from './read.js'

/**
 * Returns the target of a reference, or `undefined` if the target is not a component of the
 * document, or if the references form a cycle. A value that is not a reference is returned
 * unchanged.
 */
export function follow(document: OpenApiDocument, value: unknown, depth = 0): unknown {
  const reference = textIn(value, '$ref')
  if (reference === undefined) return value
  const place = referenced(reference)
  if (place === undefined || depth > 20) return undefined
  return follow(document, own(document.components[place.kind], place.name), depth + 1)
}

/** Returns the kind and name of the component that a reference leads to. */
function referenced(reference: string): { readonly kind: string; readonly name: string } | undefined {
  const [, kind, name] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? []
  return kind === undefined || name === undefined
    ? undefined
    : { kind, name: name.replaceAll('~1', '/').replaceAll('~0', '~') }
}

/**
 * Returns the names of the types (the schemas in `components`) that a value references directly.
 * The names are in the order of the references, and each name occurs once.
 */
export function refsIn(value: unknown): readonly string[] {
  const found = new Set<string>()
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (isList(next)) pending.push(...next.toReversed())
    else if (isObject(next)) {
      const place = typeof next.$ref === 'string' ? referenced(next.$ref) : undefined
      if (place?.kind === 'schemas') found.add(place.name)
      pending.push(...Object.values(next).toReversed())
    }
  }
  return [...found]
}

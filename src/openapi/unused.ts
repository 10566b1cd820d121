/**
 * Removes unused components from a document. While the document is built, some schemas are made
 * only to be compared with another schema and are then discarded. Components that only these
 * discarded schemas reference are unused.
 */
import { isContainer } from '../definition/json.js'
import type { DocumentFragment } from '../plan/document-options.js'
import type { OpenApiDocument } from './document.js'

/**
 * Returns the document with only those components that a path references, directly or indirectly.
 * Security schemes and the components that `fragments` adds are always kept.
 */
export function withoutUnused(document: OpenApiDocument, fragments: readonly DocumentFragment[]): OpenApiDocument {
  const used = referencesIn(document)
  const isKept = (kind: string, name: string): boolean =>
    kind === 'securitySchemes' ||
    used.has(`#/components/${kind}/${name}`) ||
    fragments.some(({ components = {} }) => Object.hasOwn(components[kind] ?? {}, name))
  const components = Object.entries(document.components).map(
    ([kind, table]) =>
      [kind, Object.fromEntries(Object.entries(table).filter(([name]) => isKept(kind, name)))] as const,
  )
  return {
    ...document,
    components: Object.fromEntries(components.filter(([, table]) => Object.keys(table).length > 0)),
  }
}

/**
 * Returns the references in the paths, and in the components that the paths reference directly or
 * indirectly. A value that occurs in several places is visited once.
 */
function referencesIn({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const used = new Set<string>()
  const seen = new Set<object>()
  const look = (node: object): void => {
    if (seen.has(node)) return
    seen.add(node)
    for (const name in node) {
      const value = (node as Readonly<Record<string, unknown>>)[name]
      if (isContainer(value)) look(value)
      else if (name === '$ref' && typeof value === 'string' && !used.has(value)) {
        used.add(value)
        const [, , kind = '', part = ''] = value.split('/')
        const target = components[kind]?.[part]
        if (isContainer(target)) look(target)
      }
    }
  }
  look(paths)
  return used
}

/** Components that nothing refers to: some are made to find out whether two types are alike. */
import { isObject } from '../definition/json.js'
import type { OpenApiDocument } from './document.js'

/** The document without the components that no path leads to. Those in `kept`, by their kind, stay in any case: a team has written them. */
export function withoutUnused(document: OpenApiDocument, kept: readonly Readonly<Record<string, object>>[]): OpenApiDocument {
  const used = usedIn(document)
  const isKept = (kind: string, name: string): boolean =>
    kind === 'securitySchemes' ||
    used.has(`#/components/${kind}/${name}`) ||
    kept.some((components) => Object.hasOwn(components[kind] ?? {}, name))
  const components = Object.fromEntries(
    Object.entries(document.components).map(([kind, table]) => [
      kind,
      Object.fromEntries(Object.entries(table).filter(([name]) => isKept(kind, name))),
    ]),
  )
  return { ...document, components: Object.fromEntries(Object.entries(components).filter(([, table]) => Object.keys(table).length > 0)) }
}

/** References to components, as they stand in the paths and in what those lead to. */
function usedIn({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const used = new Set<string>()
  const open: unknown[] = [paths]
  while (open.length > 0) {
    const node = open.pop()
    if (Array.isArray(node)) open.push(...node)
    else if (isObject(node)) {
      const { $ref } = node
      for (const name in node) if (typeof node[name] === 'object') open.push(node[name])
      const [root, all, kind = '', name = ''] = typeof $ref === 'string' ? $ref.split('/') : []
      const place = `#/components/${kind}/${name}`
      if (root !== '#' || all !== 'components' || used.has(place)) continue
      used.add(place)
      open.push(components[kind]?.[name])
    }
  }
  return used
}

/** The text of schemas that are compared only as a whole. */
import { isDocumentData } from '../definition/document-maps.js'
import { canonicalText, isList, isObject, type JsonObject, put } from '../definition/json.js'
import type { Place, Source } from './nodes.js'

/**
 * Keywords that describe values and don't limit them. In a schema, each of these keywords has a
 * string as its value.
 */
const annotations: ReadonlySet<string> = new Set(['title', 'description', '$comment'])

/**
 * Returns the canonical JSON of schemas, followed by that of each schema to which they refer,
 * directly or indirectly. Descriptions are left out. Each schema occurs once, so the text stays
 * short if many schemas refer to the same one.
 */
export function wholeText(source: Source, schemas: readonly Place[]): string {
  const texts: string[] = []
  const seen = new Set<string>()
  const open = [...schemas]
  // The loop appends the targets of references to this list.
  for (const { value: schema, pointer } of open) {
    const visit = (value: unknown): unknown => {
      if (isList(value)) return value.map(visit)
      if (!isObject(value)) return value
      const result: JsonObject = {}
      for (const [name, one] of Object.entries(value)) {
        if (annotations.has(name) && typeof one === 'string') continue
        put(result, name, isDocumentData(name, one) ? one : visit(one))
      }
      const ref = value.$ref
      if (typeof ref !== 'string') return result
      const target = source.target(ref, pointer)
      if (!seen.has(target.pointer)) {
        seen.add(target.pointer)
        open.push(target)
      }
      return result
    }
    texts.push(canonicalText(visit(schema)))
  }
  return texts.join(' ')
}

/** One document of several files: what references lead to in other files is put into the document itself. */
import { posix } from 'node:path'
import { escapePointer, isList, isObject, type JsonObject, put } from '../definition/json.js'
import { DocumentError } from './nodes.js'

/** The member of a document that holds other files, by their paths from the folder of the document. */
export const filesMember = 'x-files'

/** Members whose value is data: what looks like a reference in them is none. */
const data: ReadonlySet<string> = new Set(['example', 'default', 'const', 'enum', 'value'])

/** Members whose value is a table, in which any name may stand. */
const tables: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'schemas', '$defs', 'dependentSchemas'])

/**
 * The document with everything that it refers to. `name` is that of its own file; `read` gives the
 * content of another by its path from the folder of the document. A document that refers to no other
 * is returned as it is. Throws `DocumentError` for references to other hosts, and what `read` throws.
 */
export function bundled(document: unknown, name: string, read: (path: string) => unknown): unknown {
  const bundle = new Bundle(name, read)
  const whole = bundle.rewritten(document, '')
  return isObject(whole) && bundle.files.size > 0
    ? { ...whole, [filesMember]: Object.fromEntries(bundle.files) }
    : document
}

class Bundle {
  readonly files = new Map<string, unknown>()
  readonly #name: string
  readonly #read: (path: string) => unknown

  constructor(name: string, read: (path: string) => unknown) {
    this.#name = name
    this.#read = read
  }

  /** A value of a file, with references into the document. `file`: its path; empty for the document. */
  rewritten(value: unknown, file: string, isTable = false): unknown {
    if (isList(value)) return value.map((item) => this.rewritten(item, file))
    if (!isObject(value)) return value
    const result: JsonObject = {}
    for (const [name, member] of Object.entries(value)) put(result, name, this.#member(name, member, file, isTable))
    return result
  }

  #member(name: string, value: unknown, file: string, isTable: boolean): unknown {
    if (isTable) return this.rewritten(value, file)
    if (name === '$ref' && typeof value === 'string') return this.#reference(value, file)
    if (data.has(name) || (name === 'examples' && isList(value))) return value
    return this.rewritten(value, file, tables.has(name))
  }

  #reference(ref: string, from: string): string {
    const at = ref.includes('#') ? ref.indexOf('#') : ref.length
    const [path, fragment] = [ref.slice(0, at), ref.slice(at + 1)]
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(path))
      throw new DocumentError(
        `The reference "${ref}"${from === '' ? '' : ` in ${from}`} leads to another host. Keep a copy of it beside the document.`,
      )
    const file = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), decoded(path)))
    if (file === '' || file === this.#name) return `#${fragment}`
    if (!this.files.has(file)) {
      // Files may refer to each other in a circle.
      this.files.set(file, undefined)
      this.files.set(file, this.rewritten(this.#read(file), file))
    }
    // An anchor is known throughout the document.
    return fragment === '' || fragment.startsWith('/')
      ? `#/${filesMember}/${encodeURIComponent(escapePointer(file))}${fragment}`
      : `#${fragment}`
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

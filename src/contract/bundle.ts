/**
 * Bundles an OpenAPI document that consists of several files. The files that the document
 * references are copied into the document.
 */
import { posix } from 'node:path'
import { isDocumentData, isDocumentMap } from '../definition/document-maps.js'
import { escapePointer, isList, isObject, type JsonObject, put } from '../definition/json.js'
import { DocumentError } from './nodes.js'

/**
 * The name of the member of a bundled document that contains the other files. The files are keyed
 * by their paths relative to the document's folder.
 */
export const filesMember = 'x-files'

/**
 * Returns the document together with all files that it references. `name` is the file name of the
 * document. `read` returns the content of another file, given its path relative to the document's
 * folder. A document without references to other files is returned unchanged. Throws
 * `DocumentError` if a reference has a scheme or a host, such as `https://host/a.json`. Exceptions
 * of `read` are not caught.
 */
export function bundled(document: unknown, name: string, read: (path: string) => unknown): unknown {
  const bundle = new Bundle(name, read)
  const rewritten = bundle.rewritten(document, '')
  return isObject(rewritten) && bundle.files.size > 0
    ? { ...rewritten, [filesMember]: Object.fromEntries(bundle.files) }
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

  /**
   * Returns a value of a file with its references rewritten to point into the bundle. `file` is the
   * path of that file, or `''` for the document itself.
   */
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
    if (isDocumentData(name, value)) return value
    return this.rewritten(value, file, isDocumentMap(name, value))
  }

  #reference(ref: string, from: string): string {
    const at = ref.includes('#') ? ref.indexOf('#') : ref.length
    const [path, fragment] = [ref.slice(0, at), ref.slice(at + 1)]
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(path))
      throw new DocumentError(
        `The reference "${ref}"${from === '' ? '' : ` in ${from}`} is an absolute URL. ` +
          'Put a copy of the file beside the document, and refer to the copy.',
      )
    const file = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), decoded(path)))
    if (file === '' || file === this.#name) return `#${fragment}`
    if (!this.files.has(file)) {
      // Files may reference each other in a cycle. So the file is registered before it is read.
      this.files.set(file, undefined)
      this.files.set(file, this.rewritten(this.#read(file), file))
    }
    // A reference to an anchor needs no path, because anchors are looked up in the whole document.
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

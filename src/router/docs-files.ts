/** The docs pages and their assets, built at their first request and cached as bytes. */
import type { Cache, Caches } from '../cache.js'
import { decodeSegments } from '../http/targets.js'
import { type DocsFile, type DocsPages, type DocsSubject, docsPolicy } from '../plan/docs-pages.js'
import { defaultProblemBase, HttpProblem } from '../problem.js'
import type { Headers } from '../representation/answer.js'
import { bodyTag } from '../representation/tags.js'
import { header } from '../wire.js'

/** A file with the header fields of its response. */
export interface WrittenFile {
  readonly bytes: Uint8Array
  /** Its strong entity tag. */
  readonly tag: string
  readonly headers: Headers
}

/** The parts of a request that determine a file. */
interface FileRequest {
  /** The raw path below the version. */
  readonly path: string
  /** Identifies the caller's view and the address: pages with equal keys are equal. */
  readonly key: string
  /** The absolute address of the version. */
  readonly server: string
  /** The OpenAPI document that the pages describe. */
  readonly document: () => Promise<object>
  readonly version: string
  readonly successor: DocsSubject['successor'] | undefined
}

/** The name of the file at a path below the version: `''` is the index. */
export const docsFileName = (path: string): string => decodeSegments(path)?.[1] ?? ''

/**
 * The relative address of the docs folder. `/docs` and `/docs/` serve the same page, but relative
 * links from them differ.
 */
function folderOf(path: string, name: string): string {
  if (name !== '') return path.endsWith('/') ? '../' : './'
  return path.endsWith('/') ? './' : 'docs/'
}

/** The files of one service. */
export class DocsFiles {
  readonly #pages: DocsPages
  readonly #problemBase: string
  readonly #kept: Cache<string, WrittenFile>

  constructor(pages: DocsPages, problemBase: string | undefined, caches: Caches) {
    this.#pages = pages
    this.#problemBase = problemBase ?? defaultProblemBase
    this.#kept = caches.make('docs-files', { sizeOf: ({ bytes }) => bytes.byteLength })
  }

  /** True if a file is the same for every caller. */
  isAsset(path: string): boolean {
    return this.#pages.assets.has(docsFileName(path))
  }

  /** The file at a path. Throws the `unknown-path` problem if there is none. */
  async of({ path, key: about, server, document, version, successor }: FileRequest): Promise<WrittenFile> {
    const name = docsFileName(path)
    const asset = this.#pages.assets.get(name)
    const folder = folderOf(path, name)
    const key = asset === undefined ? JSON.stringify([name, folder, server, about]) : JSON.stringify(name)
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const file = await (asset === undefined
      ? this.#pages.page(name, {
          document: await document(),
          server,
          problemBase: this.#problemBase,
          folder,
          version,
          ...(successor === undefined ? {} : { successor }),
        })
      : asset.read())
    if (file === undefined)
      throw new HttpProblem('unknown-path', { detail: 'The docs have no such page. The index lists them all.' })
    const made = written(file)
    this.#kept.set(key, made)
    return made
  }
}

function written({ body, policy = docsPolicy }: DocsFile): WrittenFile {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return {
    bytes,
    tag: bodyTag(bytes),
    headers: {
      [header.contentSecurityPolicy]: policy,
      [header.typeOptions]: 'nosniff',
      [header.referrerPolicy]: 'no-referrer',
    },
  }
}

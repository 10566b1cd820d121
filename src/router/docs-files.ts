/**
 * The docs pages and their assets. Each file is built when it is first requested, and cached as
 * bytes.
 */
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
  /** The strong entity tag of the file. */
  readonly tag: string
  readonly headers: Headers
}

/** The parts of a request that determine which file is served, and what the file contains. */
interface FileRequest {
  /** The raw path below the version. */
  readonly path: string
  /**
   * Identifies the documents that a page describes, and the parts of them that this caller may see.
   * This string becomes a part of the page's cache key.
   */
  readonly key: string
  /** The absolute URL of the version. */
  readonly server: string
  /** Returns the OpenAPI document that the pages describe. */
  readonly document: () => Promise<object>
  readonly version: string
  readonly successor: DocsSubject['successor'] | undefined
}

/**
 * Returns the name of the docs file at a path below the version: `x` for `/docs/x`, and `''` for
 * the index page.
 */
export const docsFileName = (path: string): string => decodeSegments(path)?.[1] ?? ''

/**
 * Returns the URL of the docs folder, relative to the requested path. `/docs` and `/docs/` serve
 * the same page, but browsers resolve relative links differently on these two paths.
 */
function folderOf(path: string, name: string): string {
  if (name !== '') return path.endsWith('/') ? '../' : './'
  return path.endsWith('/') ? './' : 'docs/'
}

/** The docs files of one service. */
export class DocsFiles {
  readonly #pages: DocsPages
  readonly #problemBase: string
  readonly #kept: Cache<string, WrittenFile>

  constructor(pages: DocsPages, problemBase: string | undefined, caches: Caches) {
    this.#pages = pages
    this.#problemBase = problemBase ?? defaultProblemBase
    this.#kept = caches.make('docs-files', { sizeOf: ({ bytes }) => bytes.byteLength })
  }

  /** True if the file at a path is an asset. An asset is the same for every caller. */
  isAsset(path: string): boolean {
    return this.#pages.assets.has(docsFileName(path))
  }

  /** Returns the file at a path. Throws the `unknown-path` problem if there is no such file. */
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
      throw new HttpProblem('unknown-path', { detail: 'The docs have no such page. The index lists all pages.' })
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

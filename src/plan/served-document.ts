/**
 * The paths at which a version serves its own documentation: the OpenAPI document and the docs
 * pages.
 */
import { decodeSegments } from '../http/targets.js'
import { type DocsPages, docsMediaTypes, html } from './docs-pages.js'

/**
 * A path that serves documentation: `openapi` (the format depends on `Accept`), a name with a
 * format such as `openapi.json`, or the path of the docs pages.
 */
export interface ServedDocument {
  readonly kind: 'document'
  /**
   * The path segment below the version. For the entry in `files`, it is the segment below the docs
   * pages: `{file}`, which means any file name.
   */
  readonly name: string
  /**
   * The available media types. The preferred media type comes first. For `files`, these are the
   * media types of all files, and each file has one of them.
   */
  readonly mediaTypes: readonly string[]
  /** Whether the document is served without authentication. */
  readonly public: boolean
  /** The docs pages, if this is a path of docs pages. */
  readonly pages?: DocsPages
  /**
   * One entry for all files directly below this path. Its `name` is the path parameter `{file}`.
   */
  readonly files?: ServedDocument
}

const jsonTypes = ['application/json', 'application/vnd.oai.openapi+json'] as const
const yamlTypes = ['application/yaml', 'application/vnd.oai.openapi', 'text/yaml'] as const

/** True for YAML media types (RFC 9512). */
export const isYaml = (mediaType: string): boolean => yamlTypes.some((type) => type === mediaType)

/**
 * Returns the paths of a version's documents. If `open` is true, the documents need no
 * authentication. PATH-4 allows no format in a path. The exceptions `openapi.json` and
 * `openapi.yaml` are for tools that send no `Accept` and rely on the name.
 */
export function servedDocuments(open: boolean, pages?: DocsPages): readonly ServedDocument[] {
  const document = (name: string, mediaTypes: readonly string[]): ServedDocument => ({
    kind: 'document',
    name,
    mediaTypes,
    public: open,
  })
  return [
    document('openapi', [...jsonTypes, ...yamlTypes]),
    document('openapi.json', jsonTypes),
    document('openapi.yaml', yamlTypes),
    ...(pages === undefined
      ? []
      : [{ ...document('docs', [html]), pages, files: { ...document('{file}', docsMediaTypes(pages)), pages } }]),
  ]
}

/**
 * Returns a test for the paths that need no authentication, which are the paths of public documents
 * and their files. Returns `undefined` if there are no such paths.
 */
export function openPaths(documents: readonly ServedDocument[]): ((path: string) => boolean) | undefined {
  const open = documents.filter((document) => document.public)
  if (open.length === 0) return undefined
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const names = open.map(({ name, files }) => escaped(name) + (files === undefined ? '' : '(?:/[^/]+)?'))
  const shape = new RegExp(`^/(?:${names.join('|')})/?$`)
  return (path) => shape.test(path.includes('%') ? normalized(path) : path)
}

/**
 * Normalizes the percent-encoding of a path. For example, `/%64ocs` and `/docs` are the same path
 * (RFC 3986 6.2.2.2).
 */
function normalized(path: string): string {
  const segments = decodeSegments(path)
  // Only one trailing slash is ignored. A path with two trailing slashes is a different path.
  return segments === undefined || segments.includes('') ? '/' : `/${segments.map(encodeURIComponent).join('/')}`
}

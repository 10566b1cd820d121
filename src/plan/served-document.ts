/** The addresses at which a version serves its own description. */
import { decodeSegments } from '../http/targets.js'
import { type DocsPages, docsMediaTypes, html } from './docs-pages.js'

/**
 * One address: `openapi` with the format by `Accept`, a name with the format in it, or a docs page.
 */
export interface ServedDocument {
  readonly kind: 'document'
  /** The segment below the version, or below the document that lists it in `files`. */
  readonly name: string
  /**
   * The available media types, the preferred one first. For `files`: all media types, of which each
   * file has one.
   */
  readonly mediaTypes: readonly string[]
  /** Whether it is served without authentication. */
  readonly public: boolean
  /** Builds it, if it is a page. */
  readonly pages?: DocsPages
  /** The files one segment below it, regardless of their names. */
  readonly files?: ServedDocument
}

const jsonTypes = ['application/json', 'application/vnd.oai.openapi+json'] as const
const yamlTypes = ['application/yaml', 'application/vnd.oai.openapi', 'text/yaml'] as const

/** True for YAML media types (RFC 9512). */
export const isYaml = (mediaType: string): boolean => yamlTypes.some((type) => type === mediaType)

/**
 * The addresses of a version's document. PATH-4 allows no format in a path: `openapi.json` and
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

/** Matches the paths that need no authentication: public documents with their files. */
export function openPaths(documents: readonly ServedDocument[]): ((path: string) => boolean) | undefined {
  const open = documents.filter((document) => document.public)
  if (open.length === 0) return undefined
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const names = open.map(({ name, files }) => escaped(name) + (files === undefined ? '' : '(?:/[^/]+)?'))
  const shape = new RegExp(`^/(?:${names.join('|')})/?$`)
  return (path) => shape.test(path.includes('%') ? normalized(path) : path)
}

/**
 * Normalizes the percent-encoding of a path: `/%64ocs` and `/docs` are the same address (RFC 3986
 * 6.2.2.2).
 */
function normalized(path: string): string {
  const segments = decodeSegments(path)
  // Only one trailing slash is ignored: with two, the path is another address.
  return segments === undefined || segments.includes('') ? '/' : `/${segments.map(encodeURIComponent).join('/')}`
}

/** Addresses of a version at which it serves a document that describes it. */
import { decodeSegments } from '../http/targets.js'
import { type DocsPages, docsMediaTypes, html } from './docs-pages.js'

/** One address: `openapi` by `Accept`, by a name that says the format, or a page for people. */
export interface ServedDocument {
  readonly kind: 'document'
  /** The segment below the version, or below the document that has it among its `files`. */
  readonly name: string
  /** What it can be had in, the preferred one first. Of `files`: all that there is, each in one of them. */
  readonly mediaTypes: readonly string[]
  /** Whether it is served without authentication. */
  readonly public: boolean
  /** What makes it, where it is a page. */
  readonly pages?: DocsPages
  /** What stands one segment below it, whatever its name. */
  readonly files?: ServedDocument
}

const jsonTypes = ['application/json', 'application/vnd.oai.openapi+json'] as const
const yamlTypes = ['application/yaml', 'application/vnd.oai.openapi', 'text/yaml'] as const

/** True for the media types that are YAML (RFC 9512). */
export const isYaml = (mediaType: string): boolean => yamlTypes.some((type) => type === mediaType)

/**
 * The addresses of a version's document. PATH-4 knows no format in a path: `openapi.json` and
 * `openapi.yaml` are for tools that send no `Accept` and go by the name.
 */
export function servedDocuments(open: boolean, pages?: DocsPages): readonly ServedDocument[] {
  const document = (name: string, mediaTypes: readonly string[]): ServedDocument => ({ kind: 'document', name, mediaTypes, public: open })
  return [
    document('openapi', [...jsonTypes, ...yamlTypes]),
    document('openapi.json', jsonTypes),
    document('openapi.yaml', yamlTypes),
    ...(pages === undefined
      ? []
      : [{ ...document('docs', [html]), pages, files: { ...document('{file}', docsMediaTypes(pages)), pages } }]),
  ]
}

/** Whether anybody may read what is at a path: the documents that are public, with their files. */
export function openPaths(documents: readonly ServedDocument[]): ((path: string) => boolean) | undefined {
  const open = documents.filter((document) => document.public)
  if (open.length === 0) return undefined
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const names = open.map(({ name, files }) => escaped(name) + (files === undefined ? '' : '(?:/[^/]+)?'))
  const shape = new RegExp(`^/(?:${names.join('|')})/?$`)
  return (path) => shape.test(path.includes('%') ? normalized(path) : path)
}

/** A path with no more percent-encoding than it needs: `/%64ocs` and `/docs` are one address (RFC 3986, section 6.2.2.2). */
function normalized(path: string): string {
  const segments = decodeSegments(path)
  // Of two slashes at the end only one does not count: the path is another address.
  return segments === undefined || segments.includes('') ? '/' : `/${segments.map(encodeURIComponent).join('/')}`
}

/**
 * Pages for people beside the document of a version. An entry of its own makes them
 * (`express-rest-conventions/docs`); the router serves what they give, and knows no more of them.
 */
import { type MadeKind, withMethod } from '../options/kinds.js'

/** A file as it is sent. */
export interface DocsFile {
  readonly body: string | Uint8Array
  /** Its `Content-Security-Policy`. Default: `docsPolicy`. */
  readonly policy?: string
}

/** A file that is the same in each version and for each caller, such as a style sheet. */
export interface DocsAsset {
  /** Such as `text/css`. */
  readonly mediaType: string
  /** Reads it. What comes of it is kept. */
  read(): DocsFile | Promise<DocsFile>
}

/** What a page is made of. */
export interface DocsSubject {
  /** The OpenAPI document of the version, as far as the caller may see it. The same object as long as it is kept. */
  readonly document: object
  /** The absolute address of the version without a slash at its end, such as `https://api.example.com/v1`. */
  readonly server: string
  /** What `type` of a problem begins with. */
  readonly problemBase: string
  /** The address of the folder of pages and assets, relative to this page: `docs/`, `./` or `../`. */
  readonly folder: string
  /** The name of the version, such as `v1`. */
  readonly version: string
  /** The version to go to, where it has one that is served. */
  readonly successor?: {
    readonly name: string
    /** Gives its document, as far as the caller may see it. */
    readonly document: () => object | Promise<object>
  }
}

/** What `docsPages()` makes. */
export interface DocsPages {
  /** The assets by their names below `/{version}/docs`. */
  readonly assets: ReadonlyMap<string, DocsAsset>
  /** The media types of the other files that are no HTML, by their names. */
  readonly data: ReadonlyMap<string, string>
  /** The page or the data of a name; the index has the name `''`. `undefined`: there is none. */
  page(name: string, subject: DocsSubject): DocsFile | undefined | Promise<DocsFile | undefined>
}

/** Scripts, styles and forms of the service itself, and nothing else. */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** The media type of pages. */
export const html = 'text/html'

export const docsPagesKind: MadeKind = withMethod('what docsPages() of express-rest-conventions/docs made, such as docsPages()', 'page')

/** The media type of a file of the docs. Names without one are those of pages. */
export const docsMediaType = ({ assets, data }: DocsPages, name: string): string => assets.get(name)?.mediaType ?? data.get(name) ?? html

/** Every media type that files of the docs have, that of pages first. */
export const docsMediaTypes = ({ assets, data }: DocsPages): readonly string[] => [
  ...new Set([html, ...[...assets.values()].map(({ mediaType }) => mediaType), ...data.values()]),
]

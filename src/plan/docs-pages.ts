/**
 * The docs pages next to the document of a version. They are built by a separate entry point
 * (`express-rest-conventions/docs`); the router only serves them.
 */
import { type MadeKind, withMethod } from '../options/kinds.js'

/** A file to be sent. */
export interface DocsFile {
  readonly body: string | Uint8Array
  /** Its `Content-Security-Policy`. Default: `docsPolicy`. */
  readonly policy?: string
}

/** A file that is the same in every version and for every caller, such as a style sheet. */
export interface DocsAsset {
  /** Such as `text/css`. */
  readonly mediaType: string
  /** Reads the file. The result is cached. */
  read(): DocsFile | Promise<DocsFile>
}

/** The data from which a page is built. */
export interface DocsSubject {
  /**
   * The OpenAPI document of the version, limited to what the caller may see. The same object while
   * it is cached.
   */
  readonly document: object
  /**
   * The absolute address of the version without a trailing slash, such as
   * `https://api.example.com/v1`.
   */
  readonly server: string
  /** The prefix of a problem's `type`. */
  readonly problemBase: string
  /** The address of the folder of pages and assets, relative to this page: `docs/`, `./` or `../`. */
  readonly folder: string
  /** The name of the version, such as `v1`. */
  readonly version: string
  /** The successor version, if it is still served. */
  readonly successor?: {
    readonly name: string
    /** Returns its document, limited to what the caller may see. */
    readonly document: () => object | Promise<object>
  }
}

/** The result of `docsPages()`. */
export interface DocsPages {
  /** The assets by their names below `/{version}/docs`. */
  readonly assets: ReadonlyMap<string, DocsAsset>
  /** The media types of the other files that are not HTML, by name. */
  readonly data: ReadonlyMap<string, string>
  /** The page or data file of a name; the index has the name `''`. `undefined` if there is none. */
  page(name: string, subject: DocsSubject): DocsFile | undefined | Promise<DocsFile | undefined>
}

/** Allows scripts, styles and forms of the service itself, and nothing else. */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** The media type of pages. */
export const html = 'text/html'

export const docsPagesKind: MadeKind = withMethod(
  'the result of docsPages() of express-rest-conventions/docs, such as docsPages()',
  'page',
)

/** The media type of a file of the docs. Names that are not listed are pages. */
export const docsMediaType = ({ assets, data }: DocsPages, name: string): string =>
  assets.get(name)?.mediaType ?? data.get(name) ?? html

/** Every media type of the docs, that of pages first. */
export const docsMediaTypes = ({ assets, data }: DocsPages): readonly string[] => [
  ...new Set([html, ...[...assets.values()].map(({ mediaType }) => mediaType), ...data.values()]),
]

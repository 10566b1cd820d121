/**
 * The HTML documentation pages that a version serves next to its OpenAPI document. A separate entry
 * point (`express-rest-conventions/docs`) builds the pages. The router only serves them.
 */
import { type MadeKind, withMethod } from '../options/kinds.js'

/** The content of a docs page, a generated file or an asset. */
export interface DocsFile {
  readonly body: string | Uint8Array
  /** The `Content-Security-Policy` of the response. Default: `docsPolicy`. */
  readonly policy?: string
}

/** A file that is the same in every version and for every caller, such as a style sheet. */
export interface DocsAsset {
  /** The media type, such as `text/css`. */
  readonly mediaType: string
  /** Reads the file. The result is cached. */
  read(): DocsFile | Promise<DocsFile>
}

/** The data from which a page is built. */
export interface DocsSubject {
  /**
   * The OpenAPI document of the version, limited to the parts that the caller may see. The object
   * stays the same as long as the document is cached.
   */
  readonly document: object
  /**
   * The absolute URL of the version without a trailing slash, such as `https://api.example.com/v1`.
   */
  readonly server: string
  /** The prefix of a problem's `type`. */
  readonly problemBase: string
  /** The URL of the folder of pages and assets, relative to the page: `docs/`, `./` or `../`. */
  readonly folder: string
  /** The name of the version, such as `v1`. */
  readonly version: string
  /** The successor version, if it is still served. */
  readonly successor?: {
    readonly name: string
    /** Returns the successor's document, limited to the parts that the caller may see. */
    readonly document: () => object | Promise<object>
  }
}

/** The result of `docsPages()`. */
export interface DocsPages {
  /** The assets by their names below `/{version}/docs`. */
  readonly assets: ReadonlyMap<string, DocsAsset>
  /**
   * The media types of the generated files that are neither HTML pages nor assets, by file name.
   */
  readonly generatedFiles: ReadonlyMap<string, string>
  /**
   * Returns the page or generated file with this name, or `undefined` if there is none. The name of
   * the index page is `''`.
   */
  page(name: string, subject: DocsSubject): DocsFile | undefined | Promise<DocsFile | undefined>
}

/**
 * The default `Content-Security-Policy`. It allows scripts, styles and forms of the service itself,
 * and nothing else.
 */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** The media type of pages. */
export const html = 'text/html'

export const docsPagesKind: MadeKind = withMethod(
  'the result of docsPages(), imported from "express-rest-conventions/docs"',
  'page',
)

/**
 * Returns the media type of a docs file. A name that is neither in `assets` nor in `generatedFiles`
 * belongs to an HTML page.
 */
export const docsMediaType = ({ assets, generatedFiles }: DocsPages, name: string): string =>
  assets.get(name)?.mediaType ?? generatedFiles.get(name) ?? html

/** Every media type of the docs files. The media type of HTML pages comes first. */
export const docsMediaTypes = ({ assets, generatedFiles }: DocsPages): readonly string[] => [
  ...new Set([html, ...[...assets.values()].map(({ mediaType }) => mediaType), ...generatedFiles.values()]),
]

/** The options of an OpenAPI document. */

import { type Kinds, withMethod } from '../options/kinds.js'
import type { DocumentExtensions } from './describe-options.js'
import type { ExampleSource } from './example-source.js'

/** The contact for the service. */
export interface DocumentContact {
  readonly name?: string
  readonly url?: string
  readonly email?: string
}

/** The title, version and contact of the service. */
export interface DocumentInfo extends DocumentExtensions {
  /** Default: the name of the version, such as `v1`. */
  readonly title?: string
  /**
   * The version number of the interface, such as `1.4.0`. Default: the name of the API version,
   * such as `v1`.
   */
  readonly version?: string
  /** One line. Not part of OpenAPI 3.0 documents. */
  readonly summary?: string
  /** Several lines, in Markdown (CommonMark). */
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: DocumentContact
  readonly license?: { readonly name: string; readonly url?: string; readonly identifier?: string }
}

/** A server of the OpenAPI document. Its `url` is the URL of the version. */
export interface DocumentServer extends DocumentExtensions {
  readonly url: string
  readonly description?: string
}

/**
 * The description of hand-written routes: the OpenAPI members `paths`, `components` and `tags`. The
 * paths are relative to the version. The generated document must not already contain the same
 * operation or component.
 */
export interface DocumentFragment {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
}

/**
 * The options for those parts of an OpenAPI document that the service itself does not determine.
 */
export interface OpenApiOptions {
  readonly info?: DocumentInfo
  /**
   * Default: the service's `baseUrl` followed by the version. Without a `baseUrl`, the default is
   * the URL of the version at the host that serves the document.
   */
  readonly servers?: readonly DocumentServer[]
  /**
   * Default `3.1.1`. Use `3.0.3` for tools that support no later version. With `3.0.3`, a schema
   * keyword that OpenAPI 3.0.3 can't express leads to a `ConfigurationError`.
   */
  readonly openapi?: '3.1.1' | '3.0.3'
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  /** Descriptions of hand-written routes, which are added to the descriptions of the resources. */
  readonly fragments?: readonly DocumentFragment[]
  /**
   * Generates examples for bodies and responses that have none. Give `generatedExamples()` of
   * `express-rest-conventions/mock`. Default: the document contains only your own examples.
   */
  readonly examples?: ExampleSource
}

export const infoKinds: Kinds<DocumentInfo> = {
  title: 'string',
  version: 'string',
  summary: 'string',
  description: 'string',
  termsOfService: 'string',
  contact: 'table',
  license: 'table',
}

export const fragmentKinds: Kinds<DocumentFragment> = {
  paths: { values: 'table' },
  components: { values: 'table' },
  tags: { each: 'table' },
}

export const documentServerKinds: Kinds<DocumentServer> = { url: { required: 'string' }, description: 'string' }

export const openApiKinds: Kinds<OpenApiOptions> = {
  info: { options: infoKinds, open: 'x-' },
  servers: { each: { options: documentServerKinds, open: 'x-' } },
  openapi: { oneOf: ['3.1.1', '3.0.3'] },
  externalDocs: 'table',
  fragments: { each: { options: fragmentKinds } },
  examples: withMethod('the result of generatedExamples()', 'candidates'),
}

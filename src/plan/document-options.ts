/** The options of a document. */

import { type Kinds, withMethod } from '../options/kinds.js'
import type { DocumentExtensions } from './describe-options.js'
import type { ExampleSource } from './example-source.js'

/** Who answers for the service. */
export interface DocumentContact {
  readonly name?: string
  readonly url?: string
  readonly email?: string
}

/** What the service is called and who answers for it. */
export interface DocumentInfo extends DocumentExtensions {
  /** Default: the name of the version, such as `v1`. */
  readonly title?: string
  /** The version of the interface, such as `1.4.0`. Default: the name of the version. */
  readonly version?: string
  /** One line (3.1 alone). */
  readonly summary?: string
  /** Several lines, in Markdown (CommonMark). */
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: DocumentContact
  readonly license?: { readonly name: string; readonly url?: string; readonly identifier?: string }
}

/** Where the service can be reached: the address of the version. */
export interface DocumentServer extends DocumentExtensions {
  readonly url: string
  readonly description?: string
}

/** What hand-written routes add: paths by their address below the version, and components. Nothing of it may stand in the document already. */
export interface DocumentFragment {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
}

/** What a document says beside what the service does. */
export interface OpenApiOptions {
  readonly info?: DocumentInfo
  /** Default: the service's `baseUrl` with the version; without one, the version on whichever host serves the document. */
  readonly servers?: readonly DocumentServer[]
  /** Default `3.1.1`. `3.0.3` is for tools that know no other; schemas with words that it lacks are refused. */
  readonly openapi?: '3.1.1' | '3.0.3'
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  /** Hand-written routes beside the resources. */
  readonly fragments?: readonly DocumentFragment[]
  /**
   * Gives bodies and answers an example where the team gives none: `generatedExamples()` of `express-rest-conventions/mock`. Default: only the team's own
   * examples stand there.
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
  examples: withMethod('what generatedExamples() made', 'candidates'),
}

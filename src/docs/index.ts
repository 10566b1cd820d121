/** `express-rest-conventions/docs`: HTML documentation of a service. */

export type { DocsAsset, DocsFile, DocsPages, DocsSubject } from '../plan/docs-pages.js'
export { type DocsPagesOptions, docsPages } from './docs-pages.js'

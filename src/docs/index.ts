/** `express-rest-conventions/docs`: pages for people that describe a service. */

export type { DocsAsset, DocsFile, DocsPages, DocsSubject } from '../plan/docs-pages.js'
export { type DocsPagesOptions, docsPages } from './docs-pages.js'

/** `express-rest-conventions/openapi`: a service describes itself. */

export type { DocumentExtensions, EndpointAnswer, EndpointText, OperationText, ResourceText } from '../plan/describe-options.js'
export type { DocumentOperation, DocumentPath, DocumentSchema, OpenApiDocument, Reference } from './document.js'
export { openapi } from './openapi.js'
export type { DocumentContact, DocumentFragment, DocumentInfo, DocumentServer, OpenApiOptions } from './options.js'
export { type DescribeStrictly, type DescribeStrictlyOptions, describeStrictly } from './strict/describe-strictly.js'

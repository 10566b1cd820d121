/** `express-rest-conventions/openapi`: OpenAPI documents of services, and their comparison. */

export { canonicalDocument } from '../contract/canonical.js'
export type { Change } from '../contract/changes.js'
export { type CompareOptions, compareContracts } from '../contract/compare.js'
export type { Level } from '../contract/findings.js'
export type { ContractKind } from '../contract/kinds.js'
export { DocumentError } from '../contract/nodes.js'
export { type UpgradeGuideOptions, upgradeGuide } from '../contract/upgrade-guide.js'
export type {
  DocumentExtensions,
  EndpointAnswer,
  EndpointText,
  OperationText,
  ResourceText,
} from '../plan/describe-options.js'
export type {
  DocumentContact,
  DocumentFragment,
  DocumentInfo,
  DocumentServer,
  OpenApiOptions,
} from '../plan/document-options.js'
export type { DocumentOperation, DocumentPath, DocumentSchema, OpenApiDocument, Reference } from './document.js'
export { openapi } from './openapi.js'
export { type DescribeStrictly, type DescribeStrictlyOptions, describeStrictly } from './strict/describe-strictly.js'

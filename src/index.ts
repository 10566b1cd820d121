/**
 * `express-rest-conventions`, the main entry point: definitions of resources, routers and errors.
 */

// Declaring

export type { KeyValue } from './definition/key.js'
export {
  defineResource,
  type ExternalLinkOptions,
  type FilterDeprecation,
  type FilterOperator,
  type FilterOptions,
  type LinkOptions,
  type PageOptions,
  type ResourceDefinition,
  type ResourceOptions,
  type RuleContext,
  type RuleViolation,
  type SubLinkOptions,
  type ToLinkOptions,
} from './definition/resource.js'
export type { FromSchema, JsonSchema, MemberName, MemberPath } from './definition/schema-types.js'

// Data

export type {
  Adapter,
  AdapterCall,
  Awaitable,
  Condition,
  Created,
  Idempotency,
  KeysetPosition,
  ListRequest,
  Operator,
  Page,
  ParentKey,
  Refused,
  Repeated,
  Scalar,
  ShownLink,
  ShownLinks,
  SortTerm,
  Stored,
  WriteAction,
  WriteMethod,
} from './adapters/contract.js'
export { type AdapterViewOptions, adapterView } from './adapters/view.js'

// Mounting

export type { CacheCount, CacheName } from './cache.js'
export type { BrownoutOptions, BrownoutsOption } from './middleware/brownouts.js'
export type { DeprecatedUse } from './plan/deprecated.js'
export {
  type Endpoint,
  type EndpointCall,
  type EndpointItem,
  type EndpointOptions,
  type EndpointReply,
  endpoint,
  endpointReply,
} from './plan/endpoint.js'
export type { EndpointLimits, EndpointMethod, EndpointMethods, EndpointQuery } from './plan/endpoint-types.js'
export type { DateOption, Deprecation, PartLifeOptions } from './plan/life.js'
export { type Mount, type MountOptions, mount } from './plan/mount.js'
export type { UnboundAdapter } from './plan/mounted-adapter.js'
export type { PathLives } from './plan/path-lives.js'
export type {
  ChangeOptions,
  JobOptions,
  JobRecords,
  LinkValue,
  RecordPatch,
  Records,
  RecordsOf,
  RecordsOptions,
  RecordValue,
  RefusedRecord,
  RefusedRecords,
  RowsOptions,
  WrittenRecord,
} from './plan/records.js'
export type { ExportOptions, TransferFormat } from './plan/transfer-format.js'
export { type Api, type ApiOptions, api, type VersionOptions } from './router/api.js'
export type { ErrorEvent, Hooks, QueryEvent, RequestEvent, ResponseEvent, StepEvent } from './router/hooks.js'
export { type ResourceRouter, type ResourceRouterOptions, resourceRouter } from './router/resource-router.js'
export type { ServiceOptions } from './router/service.js'
export type {
  CacheMessage,
  CallMessage,
  Facts,
  PoolWaitMessage,
  RequestMessage,
  SlowListMessage,
  StepMessage,
  StoreFailureMessage,
} from './telemetry/messages.js'

// Adopting the conventions in an existing service

export type { ModedClause } from './conventions/clauses.js'
export type { ExpiredConvention, Finding } from './conventions/finding.js'
export type { ConventionOption, Conventions, Mode, ModeOptions } from './conventions/options.js'
export type { ParameterAlias, ParameterOptions } from './conventions/parameters.js'
export type { ProblemFacts, ProblemShape, ShapedProblem } from './conventions/shape.js'

// Formats

export {
  type CustomRepresentation,
  type RepresentationCall,
  type RepresentationOptions,
  type Represented,
  representation,
} from './plan/custom-representation.js'

// Errors

export { causeText, type Failure, failureLine } from './failures/line.js'
export type { ErrorMiddleware, Middleware, NextFunction } from './middleware/middleware.js'
export { type ProblemsOptions, problems } from './middleware/problems.js'
export {
  type ConfigurationCode,
  ConfigurationError,
  type CustomProblem,
  HttpProblem,
  type HttpProblemOptions,
  type ProblemCode,
  Unavailable,
  type UnavailableOptions,
} from './problem.js'
export type { KnownViolation, ParamValue, Violation, ViolationCode, ViolationParams } from './violation.js'

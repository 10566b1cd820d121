/**
 * Options that affect only the OpenAPI documents: text, examples and extensions of resources and
 * endpoints.
 */
import type { JsonSchema } from '../definition/schema-types.js'
import type { Kinds } from '../options/kinds.js'
import type { CustomProblem, ProblemCode } from '../problem.js'

/** OpenAPI extensions, such as `x-owner` or `x-internal`. */
export interface DocumentExtensions {
  readonly [extension: `x-${string}`]: unknown
}

/** Text for one operation. A summary or description replaces the generated one. */
export interface OperationText extends DocumentExtensions {
  /** One line. Default: a generated text about the operation and the collection. */
  readonly summary?: string
  /** Several lines, in Markdown (CommonMark). */
  readonly description?: string
  /**
   * The method name in generated clients. Default: a name derived from the path, such as
   * `listPrePiezas`.
   */
  readonly operationId?: string
  readonly deprecated?: boolean
  /** Examples of the request body, by name. Each example must match the schema of the body. */
  readonly examples?: Readonly<Record<string, unknown>>
  /**
   * Problems that your own code responds with. Give one of the library's problems by its code. Give
   * a problem of your own as an object with its code, status and title.
   */
  readonly problems?: readonly (ProblemCode | CustomProblem)[]
}

/** Text about a mounted resource. */
export interface ResourceText extends DocumentExtensions {
  /** Describes the collection, in Markdown. Default: the `description` of the schema. */
  readonly description?: string
  /**
   * Text for single operations, by the names that the library gives them: `list`, `create`, `read`,
   * `replace`, `patch`, `remove`, `setFlag`, `attach` and so on.
   */
  readonly operations?: Readonly<Record<string, OperationText>>
}

/** One response of an endpoint. */
export interface EndpointAnswer {
  /** Default: a general text for the status, such as `Success.` for 200. */
  readonly description?: string
  /** JSON Schema of the response's value. Default: any value. */
  readonly schema?: JsonSchema
  /** Header fields that the handler sets, each with its description. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The text and the responses of an endpoint's method. The responses are declared here, because the
 * handler determines them and the library can't derive them.
 */
export interface EndpointText extends OperationText {
  /**
   * The successful responses by status: 200, 201, 202 or 204. Default: 200 with any value, and 204.
   */
  readonly responses?: Readonly<Partial<Record<'200' | '201' | '202' | '204', EndpointAnswer>>>
}

export const operationTextKinds: Kinds<OperationText> = {
  summary: 'string',
  description: 'string',
  operationId: { a: 'a name such as "listPieces"', like: /^[A-Za-z_][\w.-]*$/ },
  deprecated: 'boolean',
  examples: 'table',
  problems: 'list',
}

export const resourceTextKinds: Kinds<ResourceText> = {
  description: 'string',
  operations: { values: { options: operationTextKinds, open: 'x-' } },
}

export const endpointAnswerKinds: Kinds<EndpointAnswer> = {
  description: 'string',
  schema: 'table',
  headers: { values: 'string' },
}

const answer = { options: endpointAnswerKinds }

export const endpointTextKinds: Kinds<EndpointText> = {
  ...operationTextKinds,
  responses: { options: { 200: answer, 201: answer, 202: answer, 204: answer } },
}

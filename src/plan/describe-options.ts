/** Options that only documents use: text, examples and extensions of resources and endpoints. */
import type { JsonSchema } from '../definition/schema-types.js'
import type { Kinds } from '../options/kinds.js'
import type { CustomProblem, ProblemCode } from '../problem.js'

/** Extensions of OpenAPI: `x-owner`, `x-internal`. */
export interface DocumentExtensions {
  readonly [extension: `x-${string}`]: unknown
}

/** Text for one operation. What the service does is described without it. */
export interface OperationText extends DocumentExtensions {
  /** One line. Default: what the operation does to the collection. */
  readonly summary?: string
  /** Several lines, in Markdown (CommonMark). */
  readonly description?: string
  /** The name of the method in a client. Default: made of the address, such as `listPrePiezas`. */
  readonly operationId?: string
  readonly deprecated?: boolean
  /** Examples of the body that is sent, by name. Each must fit its schema. */
  readonly examples?: Readonly<Record<string, unknown>>
  /** Problems that the team's own code answers with: the library's by their code, others as they are thrown. */
  readonly problems?: readonly (ProblemCode | CustomProblem)[]
}

/** What a document says of a resource where it is mounted. */
export interface ResourceText extends DocumentExtensions {
  /** What the collection is about, in Markdown. Default: the `description` of the schema. */
  readonly description?: string
  /** One operation each, by the library's name: `list`, `create`, `read`, `replace`, `patch`, `remove`, `setFlag`, `attach` and so on. */
  readonly operations?: Readonly<Record<string, OperationText>>
}

/** One answer of an endpoint. */
export interface EndpointAnswer {
  /** Default: what the status means. */
  readonly description?: string
  /** JSON Schema of the value. Default: any value. */
  readonly schema?: JsonSchema
  /** Header fields that the handler sets, each with what it means. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Text and answers of a method of an endpoint: only its handler knows what it answers. */
export interface EndpointText extends OperationText {
  /** The answers of success by status: 200, 201, 202 or 204. Default: 200 with any value, and 204. */
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

export const endpointAnswerKinds: Kinds<EndpointAnswer> = { description: 'string', schema: 'table', headers: { values: 'string' } }

const answer = { options: endpointAnswerKinds }

export const endpointTextKinds: Kinds<EndpointText> = {
  ...operationTextKinds,
  responses: { options: { 200: answer, 201: answer, 202: answer, 204: answer } },
}

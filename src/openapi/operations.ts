/** Builds the operations of a document. */
import { STATUS_CODES } from 'node:http'
import { fieldsOfSuccess } from '../plan/answer-fields.js'
import type { EndpointAnswer, OperationText } from '../plan/describe-options.js'
import { endingsKind, type Situation, successesOf } from '../plan/endings.js'
import { isHeadLikeGet } from '../plan/legacy-endings.js'
import { lifeOf as lifeOfRoute } from '../plan/route-lives.js'
import type { Route } from '../plan/routes.js'
import { Bodies } from './bodies.js'
import { byStatus } from './by-status.js'
import type { Components } from './components.js'
import type { DocumentOperation, Reference } from './document.js'
import { fieldNames, headersOf } from './headers.js'
import { typeName } from './names.js'
import { operationIdsOf } from './operation-ids.js'
import { descriptionOf, summaryOf } from './operation-texts.js'
import { Parameters } from './parameters.js'
import { ProblemResponses } from './problem-schemas.js'
import type { RecordSchemas } from './record-schemas.js'

/** Descriptions of success statuses. */
const meanings: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted for later processing.',
  204: 'Success. There is no body.',
  302: 'The resource exists. There is no body and no `Location` (VERB-8).',
  304: "The client's representation is current (HDR-4).",
}

/**
 * A response that the library does not send, but that a server or proxy in front of the service may
 * send. The response to HEAD of an item is never 2xx (VERB-8), so some tools report that the
 * operation can't succeed. They accept the operation if it also has a `default` response, such as
 * this one.
 */
export const unlisted = { description: 'Any other response comes from a server or proxy in front of the service.' }

/** Builds the operations of a document. */
export class Operations {
  readonly #components: Components
  readonly #bodies: Bodies
  readonly #parameters: Parameters
  readonly #problems: ProblemResponses
  readonly #sharedPartsByKey = new Map<string, SharedParts>()
  readonly #common = new Map<Route, Common>()
  readonly #bodiless = new WeakMap<Success, Reference>()
  /** References to the components that describe success responses without content. */
  readonly #shared = new Set<unknown>()

  constructor(components: Components, records: RecordSchemas) {
    this.#components = components
    this.#bodies = new Bodies(components, records)
    this.#parameters = new Parameters(components)
    this.#problems = new ProblemResponses(components)
  }

  of(situation: Situation): DocumentOperation {
    const { method, operation: described, route, facts, life } = situation
    const text = textOf(situation)
    const { idOf, tags } = this.#commonOf(route)
    const sharedParts = this.#sharedParts(situation, text.problems)
    const body = this.#bodies.request(situation, text.examples)
    const query = this.#parameters.query(situation)
    const parameters =
      query.length === 0
        ? sharedParts.fields
        : sharedParts.fields.length === 0
          ? query
          : [...query, ...sharedParts.fields]
    const operation: Partial<Writable<DocumentOperation>> = {
      operationId: (method === 'HEAD' ? undefined : text.operationId) ?? idOf(method),
      summary: text.summary ?? summaryOf(situation),
      description: text.description ?? sharedParts.description ?? descriptionOf(situation),
      tags,
    }
    if (route.lives !== undefined) Object.assign(operation, lifeOf(situation, text.deprecated === true))
    else if (text.deprecated === true || life?.deprecated !== undefined) operation.deprecated = true
    if (facts.permission && described.actions.length > 0) operation['x-permission'] = permissionOf(situation)
    if (parameters.length > 0) operation.parameters = parameters
    if (body !== undefined) operation.requestBody = body
    if (route.document?.public === true) operation.security = []
    operation.responses = this.#responses(situation, sharedParts)
    if (text !== plain) Object.assign(operation, extensionsIn({ ...text }))
    return operation as DocumentOperation
  }

  #responses(situation: Situation, sharedParts: SharedParts): Readonly<Record<string, unknown>> {
    if (sharedParts.responses !== undefined) return sharedParts.responses
    const successes = sharedParts.successes.map(
      ({ status, response }) => [status, this.#withContent(situation, status, response)] as const,
    )
    const responses = byStatus<unknown>([...successes, ...sharedParts.others])
    // If no success response has content, the responses do not depend on schemas. All operations
    // with these shared parts then share the responses too.
    if (successes.every(([, response]) => this.#shared.has(response))) sharedParts.responses = responses
    return responses
  }

  /**
   * Returns the parts of an operation that do not depend on the schemas of bodies. In all routes of
   * one kind, operations with the same name and method share these parts.
   */
  #sharedParts(situation: Situation, problems: OperationText['problems']): SharedParts {
    const { method, operation, route } = situation
    const { kind } = this.#commonOf(route)
    const key = problems === undefined && kind !== undefined ? `${method} ${operation.name} ${kind}` : undefined
    const known = key === undefined ? undefined : this.#sharedPartsByKey.get(key)
    if (known !== undefined) return known
    const sharedParts: SharedParts = {
      description: key === undefined ? undefined : descriptionOf(situation),
      fields: this.#parameters.fields(situation),
      successes: successesOf(situation).map((status) => ({ status, response: this.#success(situation, status) })),
      others: [
        ...Object.entries(this.#problems.of(situation, problems)),
        ...(method === 'HEAD' && operation.headStatus !== undefined && !isHeadLikeGet(situation)
          ? [['default', unlisted] as const]
          : []),
      ],
    }
    if (key !== undefined) this.#sharedPartsByKey.set(key, sharedParts)
    return sharedParts
  }

  #commonOf(route: Route): Common {
    const known = this.#common.get(route)
    if (known !== undefined) return known
    const common = { kind: endingsKind(route), idOf: operationIdsOf(route), tags: [tagOf({ route })] }
    this.#common.set(route, common)
    return common
  }

  #success(situation: Situation, status: number): Success {
    const stated = statedAnswer(situation, status)
    return {
      description: stated?.description ?? meanings[status] ?? STATUS_CODES[status] ?? 'Done.',
      headers: headersOf(fieldsOfSuccess(situation, status), this.#components, stated?.headers),
    }
  }

  #withContent(situation: Situation, status: number, response: Success): unknown {
    const content = situation.method === 'HEAD' ? undefined : this.#bodies.answer(situation, status)
    if (content !== undefined) return { ...response, content }
    if (statedAnswer(situation, status) !== undefined) return response
    const shared = this.#bodiless.get(response) ?? this.#shareBodiless(situation, status, response)
    this.#bodiless.set(response, shared)
    this.#shared.add(shared)
    return shared
  }

  #shareBodiless({ operation }: Situation, status: number, response: Success): Reference {
    const name = typeName(STATUS_CODES[status] ?? 'Done')
    const fields = Object.keys(response.headers).map(typeName).join('')
    const own = `Of${typeName(operation.name)}`
    const names = [
      name,
      `${name}${own}`,
      `${name}${fields}`,
      `${name}${fields}${own}`,
      `${name}${fieldNames(response.headers)}${own}`,
    ]
    return this.#components.share('responses', names, response)
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface Success {
  readonly description: string
  readonly headers: ReturnType<typeof headersOf>
}

/** The parts that the operations of one route share. */
interface Common {
  /** The kind of the route. Routes of the same kind share `SharedParts`. */
  readonly kind: string | undefined
  readonly idOf: (method: string) => string
  readonly tags: readonly string[]
}

/** The parts that operations with the same name and method share in all routes of one kind. */
interface SharedParts {
  /** The shared description; `undefined` if the operation shares nothing with other operations. */
  readonly description: string | undefined
  /** The header fields of requests. */
  readonly fields: readonly unknown[]
  readonly successes: readonly { readonly status: number; readonly response: Success }[]
  /** The responses that are not a success. */
  readonly others: readonly (readonly [status: string, response: unknown])[]
  /** All responses. Set if no success response has content. */
  responses?: Readonly<Record<string, unknown>>
}

/** Returns what the endpoint declares about the response with this status. */
const statedAnswer = ({ method, route }: Situation, status: number): EndpointAnswer | undefined =>
  route.endpoint?.methods.get(method)?.text.responses?.[String(status) as '200']

/** Returns the texts that the service declares for an operation. */
function textOf({ method, operation, route }: Situation): OperationText {
  const called = route.endpoint?.methods.get(method)
  if (called !== undefined) {
    const { responses: _, ...text } = called.text
    return text
  }
  return route.resource?.text.operations?.[operation.name] ?? plain
}

/** Used for operations without texts. */
const plain: OperationText = Object.freeze({})

const extensionsIn = (given: Readonly<Record<string, unknown>>): Readonly<Record<`x-${string}`, unknown>> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('x-')))

/**
 * Returns the tag of a route: `openapi` for documents, otherwise the name of the collection or of
 * the top-level endpoint. For an association, returns the name of the parent's collection.
 */
export function tagOf({ route }: Pick<Situation, 'route'>): string {
  const { resource, association, endpoint, document } = route
  if (document !== undefined) return 'openapi'
  return association?.parent.plan.collection ?? resource?.plan.collection ?? endpoint?.name ?? ''
}

/**
 * Returns the members that announce the deprecation of an operation. The sunset of a whole version
 * is not among these members, because it is at the root of the document (VER-3).
 */
function lifeOf(
  { method, route, life }: Situation,
  declared: boolean,
): Pick<DocumentOperation, 'deprecated' | `x-${string}`> {
  const part = lifeOfRoute(route, method)
  const sunset = part === undefined ? undefined : life?.sunset
  return {
    ...(declared || life?.deprecated !== undefined || sunset !== undefined ? { deprecated: true } : {}),
    ...(sunset === undefined ? {} : { 'x-sunset': new Date(sunset).toISOString() }),
    ...(part?.use === undefined ? {} : { 'x-successor': part.use }),
  }
}

/**
 * Returns the permissions that the operation requires, each as an action and the name of a resource
 * or endpoint: `list orders`.
 */
function permissionOf({ operation, route }: Situation): readonly string[] {
  const name = route.resource?.plan.collection ?? route.endpoint?.name ?? ''
  return operation.actions.map((action) => `${action} ${name}`)
}

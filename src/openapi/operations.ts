/** One operation of a document: all that the service does with a method at an address. */
import { STATUS_CODES } from 'node:http'
import { fieldsOfSuccess } from '../plan/answer-fields.js'
import type { EndpointAnswer, OperationText } from '../plan/describe-options.js'
import type { ServiceFacts } from '../plan/description.js'
import { endingsKind, type Situation, successesOf } from '../plan/endings.js'
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
import { RecordSchemas } from './record-schemas.js'

/** What statuses of success mean. */
const meanings: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: it will be done.',
  204: 'Done. There is no body.',
  302: 'It exists. There is no body, and nowhere to go (VERB-8).',
  304: 'The client has the current representation already (HDR-4).',
}

/**
 * HEAD of an item never ends with 2xx, which tools take for an operation that can't succeed (VERB-8). This
 * answer is not one of the library: servers and proxies in front of it give it.
 */
export const unlisted = { description: 'Any other answer is that of a server or a proxy in front of the service.' }

/** Makes the operations of a document. */
export class Operations {
  readonly #components: Components
  readonly #bodies: Bodies
  readonly #parameters: Parameters
  readonly #problems: ProblemResponses
  readonly #endings = new Map<string, Endings>()
  readonly #common = new Map<Route, Common>()
  readonly #bodiless = new WeakMap<Success, Reference>()
  /** Responses that are components. */
  readonly #shared = new Set<unknown>()

  constructor(components: Components, { bodyLimit }: Pick<ServiceFacts, 'bodyLimit'>) {
    this.#components = components
    this.#bodies = new Bodies(components, new RecordSchemas(components, bodyLimit))
    this.#parameters = new Parameters(components)
    this.#problems = new ProblemResponses(components)
  }

  of(situation: Situation): DocumentOperation {
    const text = textOf(situation)
    const {
      summary = summaryOf(situation),
      description = descriptionOf(situation),
      examples,
      problems,
      operationId: id,
      deprecated,
      ...extensions
    } = text
    const { idOf, tags } = this.#commonOf(situation.route)
    const body = this.#bodies.request(situation, examples)
    const parameters = this.#parameters.of(situation)
    return {
      operationId: (situation.method === 'HEAD' ? undefined : id) ?? idOf(situation.method),
      summary,
      description,
      tags,
      ...lifeOf(situation, deprecated === true),
      ...(situation.facts.permission && situation.operation.actions.length > 0 ? { 'x-permission': permissionOf(situation) } : {}),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: body }),
      ...(situation.route.document?.public === true ? { security: [] } : {}),
      responses: this.#responses(situation, problems),
      ...(text === plain ? {} : extensionsIn(extensions)),
    }
  }

  #responses(situation: Situation, problems: OperationText['problems']): Readonly<Record<string, unknown>> {
    const endings = this.#endingsOf(situation, problems)
    if (endings.whole !== undefined) return endings.whole
    const successes = endings.successes.map(({ status, response }) => [status, this.#withContent(situation, status, response)] as const)
    const { headStatus } = situation.operation
    const whole = {
      ...byStatus<unknown>([...successes, ...endings.refusals]),
      ...(situation.method === 'HEAD' && headStatus !== undefined ? { default: unlisted } : {}),
    }
    // What has no content of its own is the same for all of its kind.
    if (successes.every(([, response]) => this.#shared.has(response))) endings.whole = whole
    return whole
  }

  /** How an operation ends, whatever its bodies hold: the same for all resources of a kind. */
  #endingsOf(situation: Situation, problems: OperationText['problems']): Endings {
    const { kind } = this.#commonOf(situation.route)
    const key = problems === undefined && kind !== undefined ? `${situation.method} ${situation.operation.name} ${kind}` : undefined
    const known = key === undefined ? undefined : this.#endings.get(key)
    if (known !== undefined) return known
    const endings: Endings = {
      successes: successesOf(situation).map((status) => ({ status, response: this.#success(situation, status) })),
      refusals: Object.entries(this.#problems.of(situation, problems)),
    }
    if (key !== undefined) this.#endings.set(key, endings)
    return endings
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
    const names = [name, `${name}${own}`, `${name}${fields}`, `${name}${fields}${own}`, `${name}${fieldNames(response.headers)}${own}`]
    return this.#components.share('responses', names, response)
  }
}

interface Success {
  readonly description: string
  readonly headers: ReturnType<typeof headersOf>
}

/** What the operations of one route have in common. */
interface Common {
  /** Equal for routes whose operations end alike. */
  readonly kind: string | undefined
  readonly idOf: (method: string) => string
  readonly tags: readonly string[]
}

interface Endings {
  readonly successes: readonly { readonly status: number; readonly response: Success }[]
  readonly refusals: readonly (readonly [status: string, Reference])[]
  /** All of them, where no success has content. */
  whole?: Readonly<Record<string, unknown>>
}

/** What the team of an endpoint says of an answer. */
const statedAnswer = ({ method, route }: Situation, status: number): EndpointAnswer | undefined =>
  route.endpoint?.methods.get(method)?.text.responses?.[String(status) as '200']

/** What a team says of an operation. */
function textOf({ method, operation, route }: Situation): OperationText {
  const called = route.endpoint?.methods.get(method)
  if (called !== undefined) {
    const { responses: _, ...text } = called.text
    return text
  }
  return route.resource?.text.operations?.[operation.name] ?? plain
}

/** Of what most teams say nothing. */
const plain: OperationText = Object.freeze({})

const extensionsIn = (given: Readonly<Record<string, unknown>>): Readonly<Record<`x-${string}`, unknown>> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('x-')))

/** The resource whose operations stand together; of an endpoint on top its own name. */
export function tagOf({ route }: Pick<Situation, 'route'>): string {
  const { resource, association, endpoint, document } = route
  if (document !== undefined) return 'openapi'
  return association?.parent.plan.collection ?? resource?.plan.collection ?? endpoint?.name ?? ''
}

/** What is said of the end of an operation. That of a whole version stands at the top of its document (VER-3). */
function lifeOf({ method, route, life }: Situation, said: boolean): Pick<DocumentOperation, 'deprecated' | `x-${string}`> {
  const part = lifeOfRoute(route, method)
  const sunset = part === undefined ? undefined : life?.sunset
  return {
    ...(said || life?.deprecated !== undefined || sunset !== undefined ? { deprecated: true } : {}),
    ...(sunset === undefined ? {} : { 'x-sunset': new Date(sunset).toISOString() }),
    ...(part?.use === undefined ? {} : { 'x-successor': part.use }),
  }
}

/** What a permission is asked, as `scopePermission()` and its like know it. */
function permissionOf({ operation, route }: Situation): readonly string[] {
  const name = route.resource?.plan.collection ?? route.endpoint?.name ?? ''
  return operation.actions.map((action) => `${action} ${name}`)
}

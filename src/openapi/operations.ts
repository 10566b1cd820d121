/** One operation of a document: all that the service does with a method at an address. */
import { STATUS_CODES } from 'node:http'
import { fieldsOfSuccess } from '../plan/answer-fields.js'
import type { OperationText } from '../plan/describe-options.js'
import { type Situation, successesOf } from '../plan/endings.js'
import { Bodies } from './bodies.js'
import type { Components } from './components.js'
import type { DocumentOperation } from './document.js'
import { headersOf } from './headers.js'
import { typeName } from './names.js'
import { operationId } from './operation-ids.js'
import { parametersOf } from './parameters.js'
import { ProblemResponses } from './problem-schemas.js'
import { RecordSchemas } from './record-schemas.js'

/** What each operation does to the collection `{}`, by its name. HEAD has the words of its own after the slash. */
const summaries: Readonly<Record<string, string>> = {
  list: 'List {}',
  create: 'Create one of {}',
  read: 'Get one of {}',
  replace: 'Replace one of {}',
  patch: 'Change one of {}',
  remove: 'Delete one of {}',
  listMembers: 'List the {} of one of {parent}',
  createMember: 'Create one of {} for one of {parent}',
  readMember: 'Get one of the {} of one of {parent}',
  attach: 'Put one of {} into one of {parent}',
  detach: 'Take one of {} out of one of {parent}',
  readFlag: 'Tell whether the flag is set',
  setFlag: 'Set the flag',
  unsetFlag: 'Unset the flag',
  options: 'List the methods',
}

/** What statuses of success mean. */
const meanings: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: it will be done.',
  204: 'Done. There is no body.',
  302: 'It exists. There is no body, and nowhere to go (VERB-8).',
  304: 'The client has the current representation already (HDR-4).',
}

/** Makes the operations of a document. */
export class Operations {
  readonly #components: Components
  readonly #bodies: Bodies
  readonly #problems: ProblemResponses

  constructor(components: Components) {
    this.#components = components
    this.#bodies = new Bodies(components, new RecordSchemas(components))
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
    const body = this.#bodies.request(situation, examples)
    const parameters = parametersOf(situation, this.#components)
    return {
      operationId: (situation.method === 'HEAD' ? undefined : id) ?? operationId(situation),
      summary,
      ...(description === undefined ? {} : { description }),
      tags: [tagOf(situation)],
      ...(deprecated === true || situation.life?.deprecated !== undefined ? { deprecated: true } : {}),
      ...(situation.facts.permission && situation.operation.actions.length > 0 ? { 'x-permission': permissionOf(situation) } : {}),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: body }),
      responses: this.#responses(situation, problems),
      ...extensionsIn(extensions),
    }
  }

  #responses(situation: Situation, problems: OperationText['problems']): Readonly<Record<string, unknown>> {
    const found: Record<string, unknown> = {}
    for (const status of successesOf(situation)) found[status] = this.#success(situation, status)
    return { ...found, ...this.#problems.of(situation, problems) }
  }

  #success(situation: Situation, status: number): unknown {
    const { method, route } = situation
    const stated = route.endpoint?.methods.get(method)?.text.responses?.[String(status) as '200']
    const content = method === 'HEAD' ? undefined : this.#bodies.answer(situation, status)
    const response = {
      description: stated?.description ?? meanings[status] ?? STATUS_CODES[status] ?? 'Done.',
      headers: headersOf(fieldsOfSuccess(situation, status), this.#components, stated?.headers),
      ...(content === undefined ? {} : { content }),
    }
    if (content !== undefined || stated !== undefined) return response
    const name = typeName(STATUS_CODES[status] ?? 'Done')
    const fields = Object.keys(response.headers).map(typeName).join('')
    return this.#components.share(
      'responses',
      [
        name,
        `${name}Of${typeName(situation.operation.name)}`,
        `${name}${fields}`,
        `${name}${fields}Of${typeName(situation.operation.name)}`,
      ],
      response,
    )
  }
}

/** What a team says of an operation. */
function textOf({ method, operation, route }: Situation): OperationText {
  const called = route.endpoint?.methods.get(method)
  if (called !== undefined) {
    const { responses: _, ...text } = called.text
    return text
  }
  return route.resource?.text.operations?.[operation.name] ?? {}
}

const extensionsIn = (given: Readonly<Record<string, unknown>>): Readonly<Record<`x-${string}`, unknown>> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('x-')))

function summaryOf({ method, operation, route }: Situation): string {
  const { resource, endpoint, association } = route
  if (endpoint !== undefined && operation.method !== 'OPTIONS') return `${method} ${endpoint.name}`
  const words = summaries[operation.name] ?? `${method} {}`
  const text = words
    .replace('{}', resource?.plan.collection ?? endpoint?.name ?? '')
    .replace('{parent}', association?.parent.plan.collection ?? '')
  return method === 'HEAD' ? `${text}, without a body` : text
}

/** An endpoint says what it is for; so does a team's text of a resource. */
const descriptionOf = ({ route, operation }: Situation): string | undefined =>
  operation.method === 'OPTIONS' ? undefined : route.endpoint?.description

/** The resource whose operations stand together; of an endpoint on top its own name. */
export function tagOf({ route }: Pick<Situation, 'route'>): string {
  const { resource, association, endpoint } = route
  return association?.parent.plan.collection ?? resource?.plan.collection ?? endpoint?.name ?? ''
}

/** What a permission is asked, as `scopePermission()` and its like know it. */
function permissionOf({ operation, route }: Situation): readonly string[] {
  const name = route.resource?.plan.collection ?? route.endpoint?.name ?? ''
  return operation.actions.map((action) => `${action} ${name}`)
}

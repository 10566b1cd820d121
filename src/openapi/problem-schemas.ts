/** The schema of problems, and their answers by status: each says its codes (ERR-3). */
import { STATUS_CODES } from 'node:http'
import { type FieldSituation, fieldsOfProblem } from '../plan/answer-fields.js'
import { problemsOf, type Situation, takesBody } from '../plan/endings.js'
import { problemForms } from '../plan/legacy-endings.js'
import { type CustomProblem, type ProblemCode, problemKinds } from '../problem.js'
import { problemWire } from '../representation/problem-form.js'
import { longestProblemText, mostProblemItems } from '../violation.js'
import { mediaType } from '../wire.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { fieldNames, headersOf } from './headers.js'
import { typeName } from './names.js'

const text = (description: string): DocumentSchema => ({ type: 'string', description, maxLength: longestProblemText })

const violation: DocumentSchema = {
  type: 'object',
  description: 'One thing that is wrong with the request.',
  properties: {
    detail: text('What is wrong, in a sentence that says how to fix it.'),
    pointer: text('An RFC 6901 pointer into the body; empty for the whole body.'),
    parameter: text('The name of a query parameter.'),
    header: text('The name of a request header field.'),
    code: text('A stable word for the kind of violation, such as `required`.'),
    params: {
      type: 'object',
      description: 'What the kind says besides, such as `{ "limit": 10 }`.',
      additionalProperties: true,
    },
    clause: text('The clause of the conventions.'),
    allowed: {
      type: 'array',
      description: 'What would have been allowed.',
      items: { xml: { name: problemWire.items } },
      maxItems: mostProblemItems,
      xml: { wrapped: true },
    },
    suggestion: text('The allowed name that is nearest to what was sent.'),
  },
  required: ['detail'],
  xml: { name: problemWire.items },
}

const problemSchema = (violations: Reference): DocumentSchema => ({
  type: 'object',
  description: 'Why a request was refused (RFC 9457).',
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      maxLength: longestProblemText,
      description: 'Names the problem. It may lead to its documentation.',
    },
    title: text('What the problem is, the same for each of its code.'),
    status: { type: 'integer', minimum: 400, maximum: 599, format: 'int32', description: 'The status of the answer.' },
    detail: text('What is wrong with this request.'),
    // As it was sent: what can not be decoded is no URI.
    instance: text('The path of the request.'),
    code: text('A stable word for the problem, such as `invalid-query`.'),
    clause: text('The clause of the conventions that the problem stands for.'),
    requestId: text('The id of the request, for questions to the service.'),
    errors: {
      type: 'array',
      description: 'Everything that is wrong, each by its place.',
      items: violations,
      maxItems: mostProblemItems,
      xml: { wrapped: true },
    },
  },
  required: ['type', 'title', 'status', 'code', 'clause'],
  xml: { name: problemWire.root, namespace: problemWire.namespace },
})

/** Codes that a status usually stands for: they need no mention in the name of a response. */
const usual: Readonly<Record<number, readonly string[]>> = {
  400: ['bad-request', 'malformed-path', 'malformed-host', 'invalid-query'],
  404: ['unknown-path', 'absent'],
  412: ['stale', 'precondition-failed'],
  415: ['unsupported-accept', 'unsupported-content'],
  422: ['invalid-body', 'duplicate', 'reference', 'referenced', 'rule'],
}

const statusOf = (problem: ProblemCode | CustomProblem): number =>
  typeof problem === 'string' ? problemKinds[problem].status : problem.status

/** Errors in a form of the service's own (ERR-3). */
const anyContent = { '*/*': {} }

const formerError = { description: 'An error in the form that the service had before.', content: anyContent }

/** The answers to a request that is refused, by status. */
export class ProblemResponses {
  readonly #components: Components

  constructor(components: Components) {
    this.#components = components
  }

  of(situation: Situation, stated: readonly (ProblemCode | CustomProblem)[] = []): Readonly<Record<string, Reference>> {
    return this.ofProblems({ ...situation, body: takesBody(situation), modes: situation.route.modes }, [
      ...problemsOf(situation),
      ...stated,
    ])
  }

  /** The answers of these problems, whatever the operation is. */
  ofProblems(
    situation: FieldSituation,
    given: readonly (ProblemCode | CustomProblem)[],
  ): Readonly<Record<string, Reference>> {
    const byStatus = new Map<number, CustomProblem[]>()
    // Node's parser refuses a request of any operation, before a step sees it.
    const codes = given.some((problem) => statusOf(problem) === 400) ? (['bad-request', ...given] as const) : given
    for (const problem of codes) {
      const known = typeof problem === 'string' ? { code: problem, ...problemKinds[problem] } : problem
      const others = byStatus.get(known.status) ?? []
      if (!others.some(({ code }) => code === known.code)) byStatus.set(known.status, [...others, known])
    }
    const known = [...byStatus].map(
      ([status, problems]) => [String(status), this.#response(situation, status, problems)] as const,
    )
    if (problemForms(situation.modes) === 'problem' || known.length === 0) return Object.fromEntries(known)
    // Such a form may come with another status.
    return Object.fromEntries([
      ...known,
      ['default', this.#components.share('responses', ['FormerError'], formerError)],
    ])
  }

  #response(situation: FieldSituation, status: number, problems: readonly CustomProblem[]): Reference {
    const codes = problems.map(({ code }) => code)
    const headers = headersOf(fieldsOfProblem(situation, status), this.#components)
    // A HEAD has no body, whatever it ends with (RFC 9110 9.3.2).
    const isHead = situation.method === 'HEAD'
    const former = problemForms(situation.modes) === 'problem' ? '' : 'Former'
    const name = `${former}${typeName(STATUS_CODES[status] ?? `Status ${status}`)}${isHead ? 'WithoutBody' : ''}`
    const odd = codes.filter((code) => usual[status]?.includes(code) !== true)
    const base = codes.length === 1 && usual[status] === undefined ? name : `${name}${odd.map(typeName).join('')}`
    const long = `${name}${codes.map(typeName).join('')}`
    const ofMethod = `${long}Of${typeName(situation.method)}`
    // Where a part of the version has a life of its own, its answers have fields that others lack (VER-3).
    const names = [base, long, ofMethod, `${ofMethod}With${fieldNames(headers)}`]
    // The answer of what has ended has no body (VER-2).
    if (status === 410)
      return this.#components.share('responses', names, { description: 'It is no longer served.', headers })
    const list = problems.map(({ code, title }) => `- \`${code}\`: ${title}.`).join('\n')
    return this.#components.share('responses', names, {
      description: `${STATUS_CODES[status] ?? 'Problem'}.\n\n${list}`,
      headers,
      ...(isHead ? {} : { content: this.#contentIn(problemForms(situation.modes), status, codes) }),
    })
  }

  #contentIn(
    forms: ReturnType<typeof problemForms>,
    status: number,
    codes: readonly string[],
  ): Readonly<Record<string, unknown>> {
    const own = forms === 'shaped' ? {} : this.#content(status, codes)
    return forms === 'problem' ? own : { ...own, ...anyContent }
  }

  #content(status: number, codes: readonly string[]): Readonly<Record<string, unknown>> {
    const problem = this.#components.define('Problem', 'the library', () =>
      problemSchema(this.#components.define('Violation', 'the library', () => violation)),
    )
    // A request may be refused for another reason one day: clients go by the status where they do not know the code.
    const code = { enum: codes, 'x-extensible-enum': codes }
    const schema = { allOf: [problem, { type: 'object', properties: { status: { const: status }, code } }] }
    return { [mediaType.problem]: { schema }, [mediaType.problemXml]: { schema } }
  }
}

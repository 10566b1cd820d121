/** The schema of problems, and the error responses by status with their codes (ERR-3). */
import { STATUS_CODES } from 'node:http'
import { type FieldSituation, fieldsOfProblem } from '../plan/answer-fields.js'
import { problemsOf, type Situation, takesBody } from '../plan/endings.js'
import { problemForms } from '../plan/legacy-endings.js'
import { type CustomProblem, type ProblemCode, problemKinds } from '../problem.js'
import { problemWire } from '../representation/problem-form.js'
import { longestProblemText, maxProblemItems } from '../violation.js'
import { mediaType } from '../wire.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { fieldNames, headersOf } from './headers.js'
import { typeName } from './names.js'

const text = (description: string): DocumentSchema => ({ type: 'string', description, maxLength: longestProblemText })

const violation: DocumentSchema = {
  type: 'object',
  description: 'One violation in the request.',
  properties: {
    detail: text('A sentence that says what is wrong and how to fix it.'),
    pointer: text('An RFC 6901 pointer into the body. It is empty for the whole body.'),
    parameter: text('The name of a query parameter.'),
    header: text('The name of a request header field.'),
    code: text('A stable code for the kind of violation, such as `required`.'),
    params: {
      type: 'object',
      description: 'The parameters of the violation, such as `{ "limit": 10 }`.',
      additionalProperties: true,
    },
    clause: text('The clause of the conventions.'),
    allowed: {
      type: 'array',
      description: 'The allowed values.',
      items: { xml: { name: problemWire.nestedItem } },
      maxItems: maxProblemItems,
      xml: { wrapped: true },
    },
    suggestion: text('The allowed name that is most similar to the name in the request.'),
  },
  required: ['detail'],
  xml: { name: problemWire.nestedItem },
}

const problemSchema = (violations: Reference): DocumentSchema => ({
  type: 'object',
  description: 'Problem details: the reason why a request failed (RFC 9457).',
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      maxLength: longestProblemText,
      description: 'Identifies the problem type. It may be the address of its documentation.',
    },
    title: text('A short summary of the problem, the same for all problems with this code.'),
    status: {
      type: 'integer',
      minimum: 400,
      maximum: 599,
      format: 'int32',
      description: 'The status of the response.',
    },
    detail: text('An explanation of why this request failed.'),
    // The format is not `uri-reference`, because the path is returned as it was received, and may
    // be invalid.
    instance: text('The path of the request.'),
    code: text('A stable code for the problem, such as `invalid-query`.'),
    clause: text('The clause of the conventions that the request violates.'),
    requestId: text('The id of the request, for questions to the operators of the service.'),
    errors: {
      type: 'array',
      description: 'All violations in the request, with their positions.',
      items: violations,
      maxItems: maxProblemItems,
      xml: { wrapped: true },
    },
  },
  required: ['type', 'title', 'status', 'code', 'clause'],
  xml: { name: problemWire.root, namespace: problemWire.namespace },
})

/**
 * The usual codes of each status. The name of a response in `components`, such as `BadRequest`,
 * omits these codes, unless a different response already has that name.
 */
const usual: Readonly<Record<number, readonly string[]>> = {
  400: ['bad-request', 'malformed-path', 'malformed-host', 'invalid-query'],
  404: ['unknown-path', 'absent'],
  412: ['stale', 'precondition-failed'],
  415: ['unsupported-accept', 'unsupported-content'],
  422: ['invalid-body', 'duplicate', 'reference', 'referenced', 'rule'],
}

const statusOf = (problem: ProblemCode | CustomProblem): number =>
  typeof problem === 'string' ? problemKinds[problem].status : problem.status

/**
 * The content of errors in the form that the service used before it followed ERR-3. The document
 * does not describe this content further.
 */
const anyContent = { '*/*': {} }

const formerError = { description: "An error in the service's previous form.", content: anyContent }

/** The error responses, by status. */
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

  /**
   * Returns the responses for the given problems. The method `of` also adds the problems that the
   * library itself may respond with.
   */
  ofProblems(
    situation: FieldSituation,
    given: readonly (ProblemCode | CustomProblem)[],
  ): Readonly<Record<string, Reference>> {
    const byStatus = new Map<number, CustomProblem[]>()
    // Before the library handles a request, Node's HTTP parser may respond to it with 400.
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
    // Errors in the service's previous form may have statuses other than those of the problems.
    return Object.fromEntries([
      ...known,
      ['default', this.#components.share('responses', ['FormerError'], formerError)],
    ])
  }

  #response(situation: FieldSituation, status: number, problems: readonly CustomProblem[]): Reference {
    const codes = problems.map(({ code }) => code)
    const headers = headersOf(fieldsOfProblem(situation, status), this.#components)
    // A response to HEAD has no body, regardless of its status (RFC 9110 9.3.2).
    const isHead = situation.method === 'HEAD'
    const former = problemForms(situation.modes) === 'problem' ? '' : 'Former'
    const name = `${former}${typeName(STATUS_CODES[status] ?? `Status ${status}`)}${isHead ? 'WithoutBody' : ''}`
    const odd = codes.filter((code) => usual[status]?.includes(code) !== true)
    const base = codes.length === 1 && usual[status] === undefined ? name : `${name}${odd.map(typeName).join('')}`
    const long = `${name}${codes.map(typeName).join('')}`
    const ofMethod = `${long}Of${typeName(situation.method)}`
    // Parts of a version with their own life cycle have further header fields (VER-3).
    const names = [base, long, ofMethod, `${ofMethod}With${fieldNames(headers)}`]
    // Responses of retired parts have no body (VER-2).
    if (status === 410)
      return this.#components.share('responses', names, {
        description: 'The version, or this part of it, is no longer served.',
        headers,
      })
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
    // Codes may be added later. Clients fall back to the status if they don't recognize a code.
    const code = { enum: codes, 'x-extensible-enum': codes }
    const schema = { allOf: [problem, { type: 'object', properties: { status: { const: status }, code } }] }
    return { [mediaType.problem]: { schema }, [mediaType.problemXml]: { schema } }
  }
}

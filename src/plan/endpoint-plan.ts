/**
 * Compiles an endpoint once, so that each request only runs the compiled parsers and validators of
 * its parameters and body (PATH-8).
 */

import type { Scalar } from '../adapters/contract.js'
import { compileCanonical } from '../definition/conversion.js'
import { put } from '../definition/json.js'
import { checkRequired } from '../definition/required-members.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { isScalar, Shape } from '../definition/shape.js'
import { nearMiss } from '../near-miss.js'
import { ConfigurationError, type KnownViolation } from '../problem.js'
import { longestTimer } from '../timeout.js'
import type { ViolationParams } from '../violation.js'
import type { CustomRepresentation } from './custom-representation.js'
import { compileDeprecated, type DeprecatedMembers } from './deprecated.js'
import type { EndpointText } from './describe-options.js'
import type { Endpoint, EndpointCall } from './endpoint.js'
import type { EndpointMethod, EndpointQuery, UploadOptions } from './endpoint-types.js'
import { type Form, formOf } from './form.js'
import { compileNormalize } from './members.js'
import { onceEach, readPairs, refuse } from './query-pairs.js'
import type { QueryNote, QueryRules } from './query-rules.js'
import { refuseBody } from './record.js'
import { type ScalarGrammar, scalarGrammar } from './scalar-grammar.js'
import { compileValidator } from './validator.js'
import { typeParams } from './violations.js'

export interface CompiledEndpoint {
  readonly name: string
  readonly description: string
  readonly methods: ReadonlyMap<string, CompiledMethod>
}

export interface CompiledMethod {
  readonly handle: (call: EndpointCall) => unknown
  readonly representations: readonly CustomRepresentation[]
  /** The text for OpenAPI documents. */
  readonly text: EndpointText
  /** The query parameters, as the method's option `query` declares them. */
  readonly query: EndpointQuery | undefined
  readonly parseQuery: (
    raw: string,
    rules?: QueryRules,
    report?: (notes: readonly QueryNote[]) => void,
  ) => Readonly<Record<string, Scalar>>
  /**
   * Adds the defaults of the parameters that a request has not sent. A default does not count as a
   * use of a deprecated parameter, so defaults are added after the deprecated parameters are found.
   */
  readonly withDefaults: (sent: Readonly<Record<string, Scalar>>) => Readonly<Record<string, Scalar>>
  /** Finds the deprecated parameters among the parsed parameters. */
  readonly deprecatedParameters: DeprecatedMembers | undefined
  /** `undefined` if the method takes no body. */
  readonly body: EndpointBody | undefined
  /** Replaces `body` for a method that takes the raw bytes of the request body. */
  readonly upload: UploadOptions | undefined
  /** The maximum size of a body in bytes. If `undefined`, the service's maximum applies. */
  readonly bodyLimit: number | undefined
  /** The time limit in milliseconds. If `undefined`, the service's time limit applies. */
  readonly timeout: number | undefined
}

interface EndpointBody {
  readonly schema: JsonSchema
  readonly form: Form
  /** Finds the deprecated members in a body. */
  readonly deprecatedMembers: DeprecatedMembers | undefined
  /**
   * Returns the body with defaults filled in. Throws `invalid-body` if the body violates the
   * schema.
   */
  readonly read: (sent: unknown) => unknown
}

/**
 * Compiles an endpoint. Throws `ConfigurationError` if a parameter is not a scalar, if a required
 * parameter is not declared, or if a schema is invalid.
 */
export function compileEndpoint(endpoint: Endpoint<never>): CompiledEndpoint {
  const methods = new Map<string, CompiledMethod>()
  for (const [method, options] of Object.entries(endpoint.methods)) {
    if (options === undefined) continue
    const name = `${method} ${endpoint.name}`
    methods.set(method, {
      // The type of a handler's parameter depends on the schemas of its method. These schemas are
      // not known here, so the handler is cast.
      handle: options.handle as CompiledMethod['handle'],
      representations: options.representations ?? [],
      text: options.describe ?? {},
      query: options.query,
      parseQuery: compileParameters(name, options),
      withDefaults: compileDefaults(name, options),
      deprecatedParameters: compileDeprecated(
        Shape.of({ type: 'object', properties: { ...options.query?.properties } }),
      ),
      body: compileBody(name, options),
      upload: options.upload,
      bodyLimit: options.bodyLimit ?? endpoint.bodyLimit,
      timeout: timeoutOf(options.timeout ?? endpoint.timeout),
    })
  }
  // HEAD is available wherever GET is (VERB-8).
  const get = methods.get('GET')
  if (get !== undefined) methods.set('HEAD', get)
  return { name: endpoint.name, description: endpoint.description, methods }
}

const timeoutOf = (given: number | undefined): number | undefined =>
  given === undefined ? undefined : Math.min(given, longestTimer)

/**
 * The options of a method that the functions below compile. Their types do not depend on the type
 * of the handler.
 */
type Given = Pick<EndpointMethod, 'query' | 'body'>

function compileParameters(name: string, { query }: Given): CompiledMethod['parseQuery'] {
  const grammars = new Map(
    Object.entries(query?.properties ?? {}).map(([parameter, schema]) => [
      parameter,
      grammarOf(name, parameter, schema),
    ]),
  )
  const names = onceEach([...grammars.keys()])
  const required = new Set(query?.required)
  for (const parameter of required) {
    if (!grammars.has(parameter)) {
      const suggestion = nearMiss(parameter, grammars.keys())
      throw new ConfigurationError(
        'unknown-member',
        `The endpoint "${name}" has "${parameter}" in "query.required", but does not declare this parameter. ` +
          (suggestion === undefined ? 'Declare it in "query.properties".' : `Did you mean "${suggestion}"?`),
      )
    }
  }
  // The grammar checks types. The validator checks bounds, lengths and patterns.
  const validate = compileValidator(name, { type: 'object', properties: { ...query?.properties } }, new Set())
  return (raw, rules, report) => {
    const { seen, found, translated } = readPairs(raw, names, rules)
    const values: Record<string, Scalar> = {}
    for (const [parameter, grammar] of grammars) {
      const text = seen.get(parameter)?.[0]
      const value = text === undefined ? undefined : grammar.parse(text)
      if (value !== undefined) put(values, parameter, value)
      else if (text !== undefined) found.push(malformed(parameter, grammar))
      else if (required.has(parameter))
        found.push({
          parameter,
          detail: `"${parameter}" is required.`,
          code: 'required',
          params: { member: parameter },
          clause: 'QUERY-8',
        })
    }
    found.push(
      ...validate(values).map(({ pointer = '', ...violation }) => ({
        ...violation,
        parameter: pointer.slice(1),
        clause: 'QUERY-8',
      })),
    )
    refuse(found)
    if (translated !== undefined) report?.(translated.notes)
    return values
  }
}

function compileDefaults(name: string, { query }: Given): CompiledMethod['withDefaults'] {
  const defaults: Record<string, Scalar> = {}
  for (const [parameter, schema] of Object.entries(query?.properties ?? {})) {
    const { fallback } = Shape.of(schema)
    if (fallback === undefined) continue
    const owner = `${name}, parameter ${parameter}`
    const [violation] = compileValidator(owner, schema, new Set())(fallback.value)
    // A parameter is never null, so a default of null has no effect.
    if (violation === undefined && fallback.value === null) continue
    if (violation !== undefined || !isScalar(fallback.value)) {
      throw new ConfigurationError(
        'invalid-schema',
        `The default of the parameter "${parameter}" of the endpoint "${name}" is ` +
          `${JSON.stringify(fallback.value)}, which its schema does not allow. Correct the default, or leave it out.`,
      )
    }
    put(defaults, parameter, compileCanonical(Shape.of(schema))(fallback.value))
  }
  return Object.keys(defaults).length === 0 ? (sent) => sent : (sent) => ({ ...defaults, ...sent })
}

/** The grammar of a parameter, and the type that its violations report. */
interface ParameterGrammar extends ScalarGrammar {
  readonly params: ViolationParams['type']
}

const malformed = (parameter: string, { expects, allowed, params }: ParameterGrammar): KnownViolation<'type'> => ({
  parameter,
  detail: `"${parameter}" must be ${expects}.`,
  code: 'type',
  params,
  clause: 'QUERY-8',
  ...(allowed === undefined ? {} : { allowed }),
})

function grammarOf(name: string, parameter: string, schema: Parameters<typeof Shape.of>[0]): ParameterGrammar {
  const shape = Shape.of(schema)
  if (shape.isObject || shape.isArray) {
    throw new ConfigurationError(
      'unsuitable-member',
      `The parameter "${parameter}" of the endpoint "${name}" is not a string, number or boolean: a query can't ` +
        'hold other types. Declare one of these types.',
    )
  }
  return { ...scalarGrammar(shape), params: typeParams(shape) }
}

function compileBody(name: string, { body }: Given): CompiledMethod['body'] {
  if (body === undefined) return undefined
  const shape = Shape.of(body)
  checkRequired(`The body of the endpoint "${name}"`, body, shape)
  const complete = compileNormalize(shape, 'create')
  const validate = compileValidator(name, body, new Set())
  return {
    schema: body,
    form: formOf(shape),
    deprecatedMembers: compileDeprecated(shape),
    read(sent) {
      const value = complete(sent)
      refuseBody(validate(value))
      return value
    },
  }
}

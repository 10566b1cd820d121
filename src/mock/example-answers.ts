/**
 * Example responses of endpoints and hand-written routes. The service's own handlers are not
 * called.
 */

import { compileCanonical } from '../definition/conversion.js'
import { type JsonObject, own } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Shape } from '../definition/shape.js'
import { gapsOf, mostFrequent, tries } from '../examples/record-maker.js'
import { Unmade } from '../examples/unmade.js'
import { Values } from '../examples/values.js'
import { type Endpoint, type EndpointCall, type EndpointReply, endpoint, endpointReply } from '../plan/endpoint.js'
import type { EndpointMethod } from '../plan/endpoint-types.js'
import { compileValidator } from '../plan/validator.js'
import { HttpProblem } from '../problem.js'
import { Random } from '../random.js'
import { header } from '../wire.js'

/** Returns an example value that matches a schema. Throws `Unmade` if no such value was found. */
export function exampleValue(name: string, schema: JsonSchema, seed: number): unknown {
  const values = new Values(schema)
  const canonical = compileCanonical(Shape.of(schema))
  const validate = compileValidator(name, schema, new Set())
  const faults: Unmade[] = []
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      const random = Random.of(seed, name, attempt)
      const given = attempt < tries / 2
      const value = canonical(
        values.make({ random, gaps: gapsOf(0, attempt), given, first: attempt === 0, name: '', path: '', depth: 0 }),
      )
      const [found] = validate(value)
      if (found === undefined) return value
      faults.push(new Unmade((found.pointer ?? '').slice(1).replaceAll('/', '.'), found.code ?? 'schema', found.detail))
    } catch (error) {
      if (!(error instanceof Unmade)) throw error
      faults.push(error)
    }
  }
  throw mostFrequent(faults)
}

/**
 * Thrown if the mock can't respond to a request (501): the response is not described, or no example
 * of it could be generated.
 */
export class Undescribed extends HttpProblem {
  constructor(detail: string) {
    super({ code: 'not-implemented', status: 501, title: "The mock can't respond to this request" }, { detail })
  }
}

/**
 * Returns an endpoint with the methods of the given endpoint. Each method returns an example of one
 * of its described responses: the one with the lowest status.
 */
export function mockedEndpoint(given: Endpoint, seed: number, note: (text: string) => void): Endpoint {
  const { kind: _, name, methods: declared, ...details } = given
  const methods = Object.entries(declared).flatMap(([method, options]) =>
    options === undefined
      ? []
      : [[method, { ...options, handle: exampleHandler(method, name, options, { seed, note }) }] as const],
  )
  return endpoint(name, { ...details, methods: Object.fromEntries(methods) } as never) as Endpoint
}

type Described = Pick<EndpointMethod, 'describe'>

interface ExampleContext {
  readonly seed: number
  readonly note: (text: string) => void
}

const hrefOf = (item: unknown): string | undefined => {
  const href = own(item, 'href')
  return typeof href === 'string' ? href : undefined
}

type Handle = (call: EndpointCall) => EndpointReply

function exampleHandler(
  method: string,
  endpointName: string,
  { describe }: Described,
  { seed, note }: ExampleContext,
): Handle {
  const name = `${method} ${endpointName}`
  const [status, answer] = Object.entries(describe?.responses ?? {})[0] ?? []
  if (status === undefined) {
    return () => {
      throw new Undescribed(
        `The handler of ${name} is not called in a mock. ` +
          'Set "describe.responses" of this method, and the mock returns an example.',
      )
    }
  }
  const code = Number(status) as EndpointReply['status']
  // A 201 or 202 needs a `Location` (VERB-2). The URL in it is invented, and the mock has no record
  // there.
  const headersOf = ({ item, base }: EndpointCall): Pick<EndpointReply, 'headers'> =>
    code === 201 || code === 202 ? { headers: { [header.location]: `${hrefOf(item) ?? base}/${endpointName}/1` } } : {}
  if (answer?.schema === undefined)
    return (call) => endpointReply({ status: code, ...headersOf(call), ...(code === 200 ? { body: {} } : {}) })
  try {
    const body = exampleValue(name, answer.schema, seed)
    return (call) => endpointReply({ status: code, ...headersOf(call), body: structuredClone(body) })
  } catch (error) {
    if (!(error instanceof Unmade)) throw error
    const why =
      `No example response of ${name} could be generated: ${error.message}. ` +
      'Add "examples" to the schema of this response.'
    note(why)
    return () => {
      throw new Undescribed(why)
    }
  }
}

/**
 * Returns a copy of the schema with all component schemas as `$defs`. Its references to components
 * point to `$defs`.
 */
export function standalone(schema: JsonObject, schemas: JsonObject): JsonSchema {
  const text = JSON.stringify({ ...schema, $defs: schemas }).replaceAll('"#/components/schemas/', '"#/$defs/')
  return JSON.parse(text) as JsonSchema
}

/**
 * Replaces the hand-written routes of a service in a mock. The handlers of these routes are not
 * called. The mock returns examples from the descriptions of these routes in `fragments`.
 */
import { isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'
import { Unmade } from '../examples/unmade.js'
import { decodeSegments, splitTarget } from '../http/targets.js'
import type { Middleware } from '../middleware/middleware.js'
import type { DocumentFragment } from '../plan/document-options.js'
import { HttpProblem } from '../problem.js'
import { header, mediaType } from '../wire.js'
import { exampleValue, standalone, Undescribed } from './example-answers.js'

interface Answer {
  readonly status: number
  /** The body as JSON; `undefined` if there is none. */
  readonly body: string | undefined
}

interface Path {
  readonly segments: readonly string[]
  readonly methods: ReadonlyMap<string, Answer | HttpProblem>
}

/** Returns a middleware that takes the place of the hand-written routes. */
export function exampleRoutes(
  fragments: readonly DocumentFragment[],
  seed: number,
  note: (text: string) => void,
): Middleware {
  // If several paths fit, the path with the fewest parameters is used.
  const paths = fragments
    .flatMap((fragment) => pathsOf(fragment, fragments, { seed, note }))
    .toSorted((one, other) => parametersOf(one) - parametersOf(other))
  const exampleRoutesMiddleware: Middleware = (req, res, next) => {
    const segments = decodeSegments(splitTarget(req.url ?? '/').path) ?? []
    const found = paths.find((path) => fits(path.segments, segments))
    if (found === undefined) {
      const detail = 'A mock serves hand-written routes only if a fragment in "describe" describes them.'
      return next(new HttpProblem('unknown-path', { detail }))
    }
    const method = req.method ?? 'GET'
    // Express passes HEAD to the handler of GET.
    const answer = found.methods.get(method) ?? (method === 'HEAD' ? found.methods.get('GET') : undefined)
    if (answer === undefined) {
      const allow = [...new Set([...found.methods.keys(), ...(found.methods.has('GET') ? ['HEAD'] : [])])].join(', ')
      return next(
        new HttpProblem('method-not-allowed', { detail: `Allowed: ${allow}.`, headers: { [header.allow]: allow } }),
      )
    }
    if (answer instanceof HttpProblem) return next(answer)
    res.statusCode = answer.status
    if (answer.body !== undefined) res.setHeader(header.contentType, mediaType.json)
    res.end(req.method === 'HEAD' ? undefined : answer.body)
  }
  return exampleRoutesMiddleware
}

interface ExampleContext {
  readonly seed: number
  readonly note: (text: string) => void
}

function pathsOf(
  { paths = {} }: DocumentFragment,
  all: readonly DocumentFragment[],
  making: ExampleContext,
): readonly Path[] {
  const components = mergedComponents(all)
  return Object.entries(paths).map(([template, item]) => ({
    segments: template.split('/').slice(1),
    methods: new Map(
      Object.entries(follow(components, item) ?? {})
        .filter(([method, operation]) => isMethod(method) && isObject(operation))
        .map(([method, operation]) => {
          const name = `${method.toUpperCase()} ${template}`
          return [method.toUpperCase(), answerOf(name, operation as JsonObject, components, making)]
        }),
    ),
  }))
}

/** The components of all fragments, by kind and name. */
type Components = Readonly<Record<string, JsonObject>>

function mergedComponents(fragments: readonly DocumentFragment[]): Components {
  const merged: Record<string, JsonObject> = {}
  for (const { components = {} } of fragments)
    for (const [kind, table] of Object.entries(components)) merged[kind] = { ...merged[kind], ...table }
  return merged
}

/** The maximum length of a chain of references. A longer chain is treated as a loop. */
const maxReferences = 20

/** Returns the component to which a reference leads. Returns other values unchanged. */
function follow(components: Components, value: unknown): unknown {
  let found = value
  for (let count = 0; count <= maxReferences; count++) {
    const reference = own(found, '$ref')
    if (typeof reference !== 'string') return found
    const [, kind = '', name = ''] = pointerTokens(reference.slice(1))
    found = reference.startsWith('#/components/') ? own(own(components, kind), name) : undefined
  }
  return undefined
}

const isMethod = (name: string): boolean => ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'].includes(name)

const isParameter = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}')

const parametersOf = ({ segments }: Path): number => segments.filter(isParameter).length

const fits = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length && template.every((part, i) => isParameter(part) || part === segments[i])

/**
 * Returns an example of a described success response (2xx or 3xx, but not 304): the one with the
 * lowest status. If there is no such response, or no example of it could be generated, returns the
 * problem to respond with.
 */
function answerOf(
  name: string,
  operation: JsonObject,
  components: Components,
  { seed, note }: ExampleContext,
): Answer | HttpProblem {
  const responses = isObject(operation.responses) ? operation.responses : {}
  const status = Object.keys(responses).find((code) => /^[23]\d\d$/.test(code) && code !== '304')
  if (status === undefined)
    return new Undescribed(
      `${name} describes no success response, so the mock can't return one. Describe one in the fragment.`,
    )
  const response = follow(components, own(responses, status))
  if (response === undefined) {
    const why = `The response ${status} of ${name} is a reference without a target in the components of a fragment.`
    note(why)
    return new Undescribed(why)
  }
  const content = own(response, 'content')
  const media = own(content, mediaType.json)
  const code = Number(status)
  if (!isObject(media)) return { status: code, body: undefined }
  const [first] = isObject(media.examples) ? Object.values(media.examples) : []
  const given = media.example ?? own(follow(components, first), 'value')
  if (given !== undefined) return { status: code, body: JSON.stringify(given) }
  if (!isObject(media.schema)) return { status: code, body: undefined }
  try {
    return {
      status: code,
      body: JSON.stringify(exampleValue(name, standalone(media.schema, components.schemas ?? {}), seed)),
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const why = `No example response of ${name} could be generated: ${reason}`
    // A valid schema can be too hard for the generator, for example because of a pattern. Such a
    // failure (`Unmade`) is not passed to `note`. Only the 501 response mentions it.
    if (!(error instanceof Unmade)) note(why)
    return new Undescribed(why)
  }
}

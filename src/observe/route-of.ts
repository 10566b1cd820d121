/**
 * Finds the route template of a request to a hand-written service. The number of templates is
 * bounded, so that clients can't fill the memory with invented paths.
 */
import type { IncomingMessage } from 'node:http'
import { decodeSegments, splitTarget } from '../http/targets.js'
import { unawaited } from '../promise.js'
import { otherName } from '../usage/counts.js'

/** The properties that Express sets on a routed request. */
interface RoutedRequest extends IncomingMessage {
  readonly baseUrl?: string
  readonly route?: { readonly path?: unknown }
  readonly app?: unknown
}

type ParameterNames = ReadonlyMap<unknown, string>

export interface ObservedRoute {
  /**
   * The template, such as `/v1/orders/{id}`. A new template is replaced with `(other)` if the
   * maximum number of templates (`maxTemplates` or `maxShapes`) is already stored.
   */
  readonly template: string
  /**
   * `routed`: Express matched the template for this request, or the option `route` returned it.
   * `learned`: the path matches a template that was stored for an earlier request. `shape`: the
   * template of the route matches any path, or is unknown. If the template of the route is unknown,
   * this `template` is the path, with placeholders for segments that may be ids.
   */
  readonly from: 'routed' | 'learned' | 'shape'
  /**
   * Whether Express matched a route, or the option `route` returned its template. True even if the
   * route is a regular expression, whose template is unknown. False for a route that matches any
   * path.
   */
  readonly isRouted: boolean
}

/** The maximum number of stored templates. */
const maxTemplates = 500
/** The maximum number of stored shapes: paths in which possible ids are replaced. */
const maxShapes = 200

export class RouteFinder {
  /** Templates, by number of segments. */
  readonly #known = new Map<number, (readonly string[])[]>()
  readonly #templates = new Set<string>()
  readonly #shapes = new Set<string>()
  readonly #given: ((req: IncomingMessage) => string | undefined) | undefined

  constructor(given: ((req: IncomingMessage) => string | undefined) | undefined) {
    this.#given = given
  }

  /**
   * Finds the route of a request after its response. `path`: the path as it was sent, without the
   * query. `names` maps the value of each Express path parameter to the name of the parameter.
   */
  find(req: IncomingMessage, path: string, names: ParameterNames, status: number): ObservedRoute {
    const given = unawaited(this.#given?.(req))
    const segments = segmentsOf(path)
    const template = typeof given === 'string' ? given : expressTemplate(req, segments, names)
    if (template !== undefined) {
      const isRouted = !isCatchAll(template)
      return { template: this.#learn(template), from: isRouted ? 'routed' : 'shape', isRouted }
    }
    // The error handler of an outer router often handles an error of a route. At that point,
    // Express has already dropped the paths of the inner routers.
    const passed = status >= 400 ? passedOn(req) : undefined
    const isRouted = passed !== undefined || (req as RoutedRequest).route?.path instanceof RegExp
    const learned = this.#closest(segments)
    if (learned !== undefined) return { template: `/${learned.join('/')}`, from: 'learned', isRouted }
    return { template: this.#shape(`/${shapesOf(segments, passed).join('/')}`), from: 'shape', isRouted }
  }

  /**
   * The matching template with the most literal segments. A template that consists only of
   * parameters would match every path with the same number of segments, so it is not used.
   */
  #closest(segments: readonly string[]): readonly string[] | undefined {
    let best: readonly string[] | undefined
    let maxWords = segments.length === 0 ? -1 : 0
    for (const one of this.#known.get(segments.length) ?? []) {
      if (!one.every((part, at) => isParameter(part) || part === segments[at])) continue
      const words = one.filter((part) => !isParameter(part)).length
      if (words > maxWords) [best, maxWords] = [one, words]
    }
    return best
  }

  #shape(shape: string): string {
    if (this.#shapes.has(shape)) return shape
    if (this.#shapes.size >= maxShapes) return otherName
    this.#shapes.add(shape)
    return shape
  }

  /**
   * Whether a known template adds exactly one parameter to this template, as `/orders/{id}` does to
   * `/orders`.
   */
  isCollection(template: string): boolean {
    return (this.#known.get(segmentsOf(template).length + 1) ?? []).some(
      (parts) => isParameter(parts.at(-1) ?? '') && `/${parts.slice(0, -1).join('/')}` === template,
    )
  }

  #learn(template: string): string {
    if (this.#templates.has(template)) return template
    if (this.#templates.size >= maxTemplates) return otherName
    this.#templates.add(template)
    const parts = segmentsOf(template)
    const same = this.#known.get(parts.length) ?? []
    same.push(parts)
    this.#known.set(parts.length, same)
    return template
  }
}

export const isParameter = (segment: string): boolean => /^\{(?!\*).*\}$/s.test(segment)

/** Whether the end of a template matches any path, as in `app.all('/v1/*', ...)`. */
export const takesAnyPath = (template: string): boolean => /\/\{\*[^/]*$/.test(template)

/** Whether a template matches all paths, as `*` or `*rest` does in Express. */
const isCatchAll = (template: string): boolean => /^\/\{\*[^/]*$/.test(template)

/** The placeholder for a segment that looks like a file name. Other possible ids become `{id}`. */
export const fileShape = '{file}'

export const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')

/**
 * Whether the service uses Express. If it does, a response without a matched route is a file, or
 * comes from a middleware.
 */
export const isBehindExpress = (req: IncomingMessage): boolean => (req as RoutedRequest).app !== undefined

/**
 * Returns the template that Express matched. Returns `undefined` if Express matched no template, if
 * the template is not a string, or if it does not match the original path.
 */
function expressTemplate(req: IncomingMessage, segments: readonly string[], names: ParameterNames): string | undefined {
  const { baseUrl = '' } = req as RoutedRequest
  const base = segmentsOf(baseUrl).map((segment) => baseSegment(segment, names))
  for (const path of pathsOf(req)) {
    const template = [...base, ...segmentsOf(readable(path))]
    // A template that consists only of parameters matches any path. If a middleware has replaced
    // the path, such a match shows nothing about the original path.
    if (template.length > 0 && template.every(isParameter) && isRewritten(req, segments)) continue
    // An optional parameter that is absent is not part of the template.
    if (fits(template, segments))
      return `/${(isShorter(segments, template) ? template.slice(0, -1) : template).join('/')}`
  }
  return undefined
}

const pathsOf = (req: IncomingMessage): readonly string[] =>
  [(req as RoutedRequest).route?.path].flat().filter((path) => typeof path === 'string')

/** Whether a middleware has replaced the path. */
function isRewritten(req: IncomingMessage, segments: readonly string[]): boolean {
  const now = segmentsOf(`${(req as RoutedRequest).baseUrl ?? ''}/${splitTarget(req.url ?? '/').path}`)
  return now.join('/') !== segments.join('/')
}

/**
 * Returns the templates of the route that Express matched, without the paths of the routers around
 * the route. Returns `undefined` if the route has no templates, or if the end of a template matches
 * any path.
 */
function passedOn(req: IncomingMessage): readonly (readonly string[])[] | undefined {
  const templates = pathsOf(req).map(readable)
  return templates.length > 0 && !templates.some(takesAnyPath) ? templates.map(segmentsOf) : undefined
}

/**
 * Replaces possible ids in a path without a known template. `ends`: templates that may match the
 * last segments of the path.
 */
function shapesOf(segments: readonly string[], ends: readonly (readonly string[])[] = []): readonly string[] {
  const end =
    ends.find((one) => one.length < segments.length && fits(one, segments.slice(segments.length - one.length))) ?? []
  return [...segments.slice(0, segments.length - end.length).map(shapeOf), ...end]
}

/**
 * Converts Express's parameters to `{id}` and `{*rest}`. In Express, they are spelled `:id`,
 * `:id(\d+)`, `:id?`, `{/:id}` and `*rest`.
 */
export const readable = (path: string): string =>
  path
    .replace(/[{}]/g, '')
    .replace(/:(\w+)(?:\((?:[^()]|\([^()]*\))*\))?[?*+]?/g, '{$1}')
    .replace(/\*(\w*)/g, (_, name: string) => `{*${name}}`)

/**
 * Whether a template matches the path. A mismatch is possible, because `req.route` may be a
 * different route after an error handler has run.
 */
function fits(template: readonly string[], segments: readonly string[]): boolean {
  const rest = template.findIndex((part) => part.includes('{*'))
  if (rest >= 0)
    return segments.length >= rest && template.slice(0, rest).every((part, at) => fitsPart(part, segments[at]))
  return (
    (template.length === segments.length || isShorter(segments, template)) &&
    segments.every((segment, at) => fitsPart(template[at] ?? '', segment))
  )
}

const isShorter = (segments: readonly string[], template: readonly string[]): boolean =>
  template.length === segments.length + 1 && isParameter(template.at(-1) ?? '')

/** Whether a segment matches a part of a template. Case is ignored, as in Express. */
const fitsPart = (part: string, segment: string | undefined): boolean =>
  part.includes('{') || part.toLowerCase() === (decodeSegments(`/${segment}`)?.[0] ?? segment ?? '').toLowerCase()

/**
 * The template of one segment of `baseUrl`. The segment may be the value of a parameter whose name
 * Express has dropped.
 */
function baseSegment(segment: string, names: ParameterNames): string {
  const name = names.get(decodeSegments(`/${segment}`)?.[0])
  return name === undefined ? shapeOf(segment) : `{${name}}`
}

/** Replaces a segment that may be an id or a file name. Only words and versions are kept. */
function shapeOf(segment: string): string {
  if (segment.length <= 40 && /^(?:v\d{1,3}|[a-z]+(?:[_-][a-z]+){0,3})$/i.test(segment)) return segment
  return /^[\w-]+(?:\.[\w-]+)*\.[a-z]\w{1,4}$/i.test(segment) ? fileShape : '{id}'
}

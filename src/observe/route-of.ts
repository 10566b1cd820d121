/** The route template of a request to a hand-written service. The number of templates is bounded, whatever clients send. */
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
  /** Such as `/v1/orders/{id}`. */
  readonly template: string
  /**
   * `routed`: Express has matched it for this request, or the option `route` has returned it. `learned`: it was matched for another
   * request. `shape`: it is unknown, and segments that may be ids are replaced.
   */
  readonly from: 'routed' | 'learned' | 'shape'
  /** Express has matched a route, whose template may be unknown: that of a regular expression. A route that takes any path is none. */
  readonly isRouted: boolean
}

/** Maximum number of templates that are kept, and of shapes of paths without a known template. */
const mostKnown = 500
const mostShapes = 200

export class RouteFinder {
  /** By the number of their segments. */
  readonly #known = new Map<number, (readonly string[])[]>()
  readonly #templates = new Set<string>()
  readonly #shapes = new Set<string>()
  readonly #given: ((req: IncomingMessage) => string | undefined) | undefined

  constructor(given: ((req: IncomingMessage) => string | undefined) | undefined) {
    this.#given = given
  }

  /** The route of an answered request. `path`: as it came, without its query. `names`: of the parameters that Express has set, by their values. */
  find(req: IncomingMessage, path: string, names: ParameterNames, status: number): ObservedRoute {
    const given = unawaited(this.#given?.(req))
    const segments = segmentsOf(path)
    const template = typeof given === 'string' ? given : expressTemplate(req, segments, names)
    if (template !== undefined) {
      const isRouted = !isCatchAll(template)
      return { template: this.#learn(template), from: isRouted ? 'routed' : 'shape', isRouted }
    }
    // An error of a route is often answered further out, where the route has lost the path of its routers.
    const passed = status >= 400 ? passedOn(req) : undefined
    const isRouted = passed !== undefined || (req as RoutedRequest).route?.path instanceof RegExp
    const learned = this.#closest(segments)
    if (learned !== undefined) return { template: `/${learned.join('/')}`, from: 'learned', isRouted }
    return { template: this.#shape(`/${shapesOf(segments, passed).join('/')}`), from: 'shape', isRouted }
  }

  /** Of the templates that fit, the one with the most words. One of parameters alone fits everything, and says nothing. */
  #closest(segments: readonly string[]): readonly string[] | undefined {
    let best: readonly string[] | undefined
    let most = segments.length === 0 ? -1 : 0
    for (const one of this.#known.get(segments.length) ?? []) {
      if (!one.every((part, at) => isParameter(part) || part === segments[at])) continue
      const words = one.filter((part) => !isParameter(part)).length
      if (words > most) [best, most] = [one, words]
    }
    return best
  }

  #shape(shape: string): string {
    if (this.#shapes.has(shape)) return shape
    if (this.#shapes.size >= mostShapes) return otherName
    this.#shapes.add(shape)
    return shape
  }

  /** True if items below this template have been requested. */
  isCollection(template: string): boolean {
    return (this.#known.get(segmentsOf(template).length + 1) ?? []).some(
      (parts) => isParameter(parts.at(-1) ?? '') && `/${parts.slice(0, -1).join('/')}` === template,
    )
  }

  #learn(template: string): string {
    if (this.#templates.has(template)) return template
    if (this.#templates.size >= mostKnown) return otherName
    this.#templates.add(template)
    const parts = segmentsOf(template)
    const same = this.#known.get(parts.length) ?? []
    same.push(parts)
    this.#known.set(parts.length, same)
    return template
  }
}

export const isParameter = (segment: string): boolean => /^\{(?!\*).*\}$/s.test(segment)

/** True of a template whose end takes any path, as that of a guard does: `app.all('/v1/*', ...)`. */
export const takesAnyPath = (template: string): boolean => /\/\{\*[^/]*$/.test(template)

/** True of what Express calls `*` or `*rest`: it takes what no route has taken. */
const isCatchAll = (template: string): boolean => /^\/\{\*[^/]*$/.test(template)

/** The placeholder for the name of a file, which is no id. */
export const fileShape = '{file}'

export const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')

/** True with Express. An answer without a matched route is then a file or comes from a middleware. */
export const isBehindExpress = (req: IncomingMessage): boolean => (req as RoutedRequest).app !== undefined

/** The template that Express has matched; `undefined` where it has not, or its route is no text. */
function expressTemplate(req: IncomingMessage, segments: readonly string[], names: ParameterNames): string | undefined {
  const { baseUrl = '' } = req as RoutedRequest
  const base = segmentsOf(baseUrl).map((segment) => baseSegment(segment, names))
  for (const path of pathsOf(req)) {
    const template = [...base, ...segmentsOf(readable(path))]
    // Parameters alone fit any path, also one that was replaced on the way.
    if (template.length > 0 && template.every(isParameter) && isRewritten(req, segments)) continue
    // An optional parameter that is not there is no part of the address.
    if (fits(template, segments))
      return `/${(isShorter(segments, template) ? template.slice(0, -1) : template).join('/')}`
  }
  return undefined
}

const pathsOf = (req: IncomingMessage): readonly string[] =>
  [(req as RoutedRequest).route?.path].flat().filter((path) => typeof path === 'string')

/** True where a middleware has replaced the address. */
function isRewritten(req: IncomingMessage, segments: readonly string[]): boolean {
  const now = segmentsOf(`${(req as RoutedRequest).baseUrl ?? ''}/${splitTarget(req.url ?? '/').path}`)
  return now.join('/') !== segments.join('/')
}

/** The templates, without the paths of their routers, of the route that Express has matched; `undefined` of none, and of one that takes any path. */
function passedOn(req: IncomingMessage): readonly (readonly string[])[] | undefined {
  const templates = pathsOf(req).map(readable)
  return templates.length > 0 && !templates.some(takesAnyPath) ? templates.map(segmentsOf) : undefined
}

/** What is left of a path whose template nobody knows; `ends` may stand for its last segments. */
function shapesOf(segments: readonly string[], ends: readonly (readonly string[])[] = []): readonly string[] {
  const end =
    ends.find((one) => one.length < segments.length && fits(one, segments.slice(segments.length - one.length))) ?? []
  return [...segments.slice(0, segments.length - end.length).map(shapeOf), ...end]
}

/** Express spells parameters `:id`, `:id(\\d+)`, `:id?`, `{/:id}` and `*rest`. */
export const readable = (path: string): string =>
  path
    .replace(/[{}]/g, '')
    .replace(/:(\w+)(?:\((?:[^()]|\([^()]*\))*\))?[?*+]?/g, '{$1}')
    .replace(/\*(\w*)/g, (_, name: string) => `{*${name}}`)

/** After an error handler, `req.route` may belong to another path. */
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

/** Express compares case-insensitively. */
const fitsPart = (part: string, segment: string | undefined): boolean =>
  part.includes('{') || part.toLowerCase() === (decodeSegments(`/${segment}`)?.[0] ?? segment ?? '').toLowerCase()

/** A router below a parameter has its value in `baseUrl`, and may have forgotten its name. */
function baseSegment(segment: string, names: ParameterNames): string {
  const name = names.get(decodeSegments(`/${segment}`)?.[0])
  return name === undefined ? shapeOf(segment) : `{${name}}`
}

/** Any segment that may be an id is treated as one; only words and versions are kept. */
function shapeOf(segment: string): string {
  if (segment.length <= 40 && /^(?:v\d{1,3}|[a-z]+(?:[_-][a-z]+){0,3})$/i.test(segment)) return segment
  return /^[\w-]+(?:\.[\w-]+)*\.[a-z]\w{1,4}$/i.test(segment) ? fileShape : '{id}'
}

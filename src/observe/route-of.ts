/** The template of a request that a hand-written service has answered, bounded whatever its path. */
import type { IncomingMessage } from 'node:http'
import { decodeSegments } from '../http/targets.js'
import { unawaited } from '../promise.js'
import { otherName } from '../usage/counts.js'

/** What Express says of a request that it has routed. */
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
   * `routed`: Express has matched it for this request, or the option `route` has given it. `learned`: it was for another
   * request. `shape`: nobody knows it, and what may be an id is replaced.
   */
  readonly from: 'routed' | 'learned' | 'shape'
  /** Express has matched a route, whose template may be unknown: that of a regular expression. A route that takes any path is none. */
  readonly isRouted: boolean
}

/** Templates that are kept, and shapes of paths whose template nobody knows. */
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
  find(req: IncomingMessage, path: string, names: ParameterNames): ObservedRoute {
    const given = unawaited(this.#given?.(req))
    const segments = segmentsOf(path)
    const template = typeof given === 'string' ? given : expressTemplate(req, segments, names)
    if (template !== undefined) {
      const isRouted = !isCatchAll(template)
      return { template: this.#learn(template), from: isRouted ? 'routed' : 'shape', isRouted }
    }
    const isRouted = (req as RoutedRequest).route?.path instanceof RegExp
    const learned = this.#known.get(segments.length)?.find((one) => one.every((part, at) => isParameter(part) || part === segments[at]))
    if (learned !== undefined) return { template: `/${learned.join('/')}`, from: 'learned', isRouted }
    const shape = `/${segments.map(shapeOf).join('/')}`
    if (this.#shapes.has(shape)) return { template: shape, from: 'shape', isRouted }
    if (this.#shapes.size >= mostShapes) return { template: otherName, from: 'shape', isRouted }
    this.#shapes.add(shape)
    return { template: shape, from: 'shape', isRouted }
  }

  /** True where items have been asked for below this template. */
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

/** True of what Express calls `*` or `*rest`: it takes what no route has taken. */
const isCatchAll = (template: string): boolean => /^\/\{\*[^/]*$/.test(template)

/** What stands for the name of a file, which is no id. */
export const fileShape = '{file}'

export const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')

/** True behind Express, which knows its routes: what it has not routed is a file, or was answered by a middleware. */
export const isBehindExpress = (req: IncomingMessage): boolean => (req as RoutedRequest).app !== undefined

/** The template that Express has matched; `undefined` where it has not, or its route is no text. */
function expressTemplate(req: IncomingMessage, segments: readonly string[], names: ParameterNames): string | undefined {
  const { baseUrl = '', route } = req as RoutedRequest
  const paths = [route?.path].flat().filter((path) => typeof path === 'string')
  const base = segmentsOf(baseUrl).map((segment) => baseSegment(segment, names))
  for (const path of paths) {
    const template = [...base, ...segmentsOf(readable(path))]
    // An optional parameter that is not there is no part of the address.
    if (fits(template, segments)) return `/${(isShorter(segments, template) ? template.slice(0, -1) : template).join('/')}`
  }
  return undefined
}

/** Express spells parameters `:id`, `:id(\\d+)`, `:id?`, `{/:id}` and `*rest`. */
export const readable = (path: string): string =>
  path
    .replace(/[{}]/g, '')
    .replace(/:(\w+)(?:\((?:[^()]|\([^()]*\))*\))?[?*+]?/g, '{$1}')
    .replace(/\*(\w*)/g, (_, name: string) => `{*${name}}`)

/** After an error handler `req.route` may be that of another path. */
function fits(template: readonly string[], segments: readonly string[]): boolean {
  const rest = template.findIndex((part) => part.includes('{*'))
  if (rest >= 0) return segments.length >= rest && template.slice(0, rest).every((part, at) => fitsPart(part, segments[at]))
  return (
    (template.length === segments.length || isShorter(segments, template)) &&
    segments.every((segment, at) => fitsPart(template[at] ?? '', segment))
  )
}

const isShorter = (segments: readonly string[], template: readonly string[]): boolean =>
  template.length === segments.length + 1 && isParameter(template.at(-1) ?? '')

/** Express compares in either case. */
const fitsPart = (part: string, segment: string | undefined): boolean =>
  part.includes('{') || part.toLowerCase() === (decodeSegments(`/${segment}`)?.[0] ?? segment ?? '').toLowerCase()

/** A router below a parameter has its value in `baseUrl`, and may have forgotten its name. */
function baseSegment(segment: string, names: ParameterNames): string {
  const name = names.get(decodeSegments(`/${segment}`)?.[0])
  return name === undefined ? shapeOf(segment) : `{${name}}`
}

/** A segment that may hold an id is one; what is left are words and versions. */
function shapeOf(segment: string): string {
  if (segment.length <= 40 && /^(?:v\d{1,3}|[a-z]+(?:[_-][a-z]+){0,3})$/i.test(segment)) return segment
  return /^[\w-]+(?:\.[\w-]+)*\.[a-z]\w{1,4}$/i.test(segment) ? fileShape : '{id}'
}

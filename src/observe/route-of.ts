/** The route template of a request to a hand-written service. The number of templates is bounded, whatever clients send. */
import type { IncomingMessage } from 'node:http'
import { decodeSegments } from '../http/targets.js'
import { otherName } from '../usage/counts.js'

/** The properties that Express sets on a routed request. */
interface RoutedRequest extends IncomingMessage {
  readonly baseUrl?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly route?: { readonly path?: unknown }
  readonly app?: unknown
}

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

  /** The route of an answered request. `path`: as the client sent it, without the query. */
  find(req: IncomingMessage, path: string): ObservedRoute {
    const given = this.#given?.(req)
    const segments = segmentsOf(path)
    const template = typeof given === 'string' ? given : expressTemplate(req, segments)
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

/** True for Express's `*` or `*rest`: a catch-all route. */
const isCatchAll = (template: string): boolean => /^\/\{\*[^/]*$/.test(template)

/** The placeholder for the name of a file, which is no id. */
export const fileShape = '{file}'

export const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')

/** True with Express. An answer without a matched route is then a file or comes from a middleware. */
export const isBehindExpress = (req: IncomingMessage): boolean => (req as RoutedRequest).app !== undefined

/** The template that Express has matched; `undefined` if it has matched none, or if the route path is no string. */
function expressTemplate(req: IncomingMessage, segments: readonly string[]): string | undefined {
  const { baseUrl = '', params = {}, route } = req as RoutedRequest
  const paths = [route?.path].flat().filter((path) => typeof path === 'string')
  const base = segmentsOf(baseUrl).map((segment) => baseSegment(segment, params))
  for (const path of paths) {
    const template = [...base, ...segmentsOf(readable(path))]
    // An absent optional parameter is not part of the address.
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

/** After an error handler, `req.route` may belong to another path. */
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

/** Express compares case-insensitively. */
const fitsPart = (part: string, segment: string | undefined): boolean =>
  part.includes('{') || part.toLowerCase() === (decodeSegments(`/${segment}`)?.[0] ?? segment ?? '').toLowerCase()

/** In a router that is mounted below a parameter, `baseUrl` holds the value of the parameter. */
function baseSegment(segment: string, params: Readonly<Record<string, unknown>>): string {
  const value = decodeSegments(`/${segment}`)?.[0]
  for (const name of Object.keys(params)) if (params[name] === value) return `{${name}}`
  return shapeOf(segment)
}

/** Any segment that may be an id is treated as one; only words and versions are kept. */
function shapeOf(segment: string): string {
  if (segment.length <= 40 && /^(?:v\d{1,3}|[a-z]+(?:[_-][a-z]+){0,3})$/i.test(segment)) return segment
  return /^[\w-]+(?:\.[\w-]+)*\.[a-z]\w{1,4}$/i.test(segment) ? fileShape : '{id}'
}

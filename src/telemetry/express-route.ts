/**
 * Finds the templates of the routes that Express has mounted and matched. Labels of metrics need
 * templates, because labels must not contain the values of path parameters.
 */
import type { IncomingMessage } from 'node:http'

/** The properties of a request that describe its route in Express. */
interface RoutedRequest extends IncomingMessage {
  readonly baseUrl?: string
  params?: Params | undefined
  route?: { readonly path?: unknown } | undefined
}

type Params = Readonly<Record<string, unknown>>

/**
 * The path at which the current router is mounted, with `{name}` in place of the value of a path
 * parameter.
 *
 * @example app.use('/areas/:area', service) // '/areas/{area}'
 */
export function mountTemplate(req: IncomingMessage): string {
  const { baseUrl = '', params } = req as RoutedRequest
  return baseUrl === '' || params === undefined ? baseUrl : templateOf(baseUrl, namesIn(params))
}

/**
 * The template of the route that Express matched last, such as `/v1/cosas/:id`; `undefined` if
 * Express matched none.
 */
export function expressRoute(req: IncomingMessage): string | undefined {
  const path = pathOf((req as RoutedRequest).route?.path)
  return path === undefined ? undefined : `${mountTemplate(req)}${path}`
}

/**
 * Whenever Express matches a route below `mountPath`, calls `matched` with the template of that
 * route, relative to `mountPath`. The template is computed when Express sets `req.route`, because
 * `req.baseUrl` contains the path of a nested router only until Express leaves that router. Inside
 * a nested router, `req.params` can lack the parameters in the router's own path. So this function
 * collects the parameters each time that Express sets `req.params`.
 */
export function followRoutes(req: IncomingMessage, mountPath: string, matched: (template: string) => void): void {
  const names = followParameters(req)
  watchProperty(req, 'route', (route) => {
    const path = pathOf(route?.path)
    if (path === undefined) return
    const nested = templateOf(((req as RoutedRequest).baseUrl ?? '').slice(mountPath.length), names)
    matched(`${nested}${path === '/' ? '' : path}` || '/')
  })
}

/**
 * Returns a map that is updated from now on. It contains the names of all parameters that Express
 * sets, keyed by the values of the parameters.
 */
export function followParameters(req: IncomingMessage): ReadonlyMap<unknown, string> {
  const names = new Map<unknown, string>()
  watchProperty(req, 'params', (params) => {
    if (params !== undefined) for (const [value, name] of namesIn(params)) names.set(value, name)
  })
  return names
}

/**
 * Replaces a property with an accessor that reports new values. Earlier watchers of the property
 * still get the new values. A property that can't be redefined is left unchanged.
 */
function watchProperty<Name extends 'params' | 'route'>(
  req: RoutedRequest,
  name: Name,
  seen: (value: RoutedRequest[Name]) => void,
): void {
  const before = Object.getOwnPropertyDescriptor(req, name)?.set
  let current = req[name]
  Reflect.defineProperty(req, name, {
    configurable: true,
    enumerable: true,
    get: () => current,
    set(value: RoutedRequest[Name]) {
      current = value
      before?.call(req, value)
      seen(value)
    },
  })
}

function templateOf(path: string, names: ReadonlyMap<unknown, string>): string {
  if (names.size === 0) return path
  return path
    .split('/')
    .map((segment) => {
      const name = names.get(decoded(segment))
      return name === undefined ? segment : `{${name}}`
    })
    .join('/')
}

/**
 * The names of parameters, keyed by the values of the parameters. In Express 5, the value of a
 * wildcard is a list of segments.
 */
function namesIn(params: Params): ReadonlyMap<unknown, string> {
  const names = new Map<unknown, string>()
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) if (one !== '') names.set(one, name)
  }
  return names
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * An Express path as a string. The path may be a string, a regular expression, or a list of strings
 * and regular expressions.
 */
function pathOf(path: unknown): string | undefined {
  if (typeof path === 'string') return path
  if (Array.isArray(path)) return path.map(String).join(',')
  return path instanceof RegExp ? String(path) : undefined
}

/**
 * The route of a request as events and traces name it. Most answers are given behind the step `route`.
 * For the others, such as 401 and 429, the path is matched early, for this name alone: it changes
 * nothing about the order of answers (ERR-2). A path that leads nowhere has no name.
 */
import { decodeSegments } from '../http/targets.js'
import type { Route } from '../plan/routes.js'
import { followRoutes, mountTemplate } from '../telemetry/express-route.js'
import { nameRoute, tracedRequest } from '../telemetry/http-route.js'
import type { Exchange } from './exchange.js'
import type { Operation } from './operations/operation.js'

/** Gives the route to the tracer of this request, where there is one: it becomes `http.route` of the server span. */
export function nameForTracer(exchange: Exchange): void {
  const traced = tracedRequest()
  if (traced === undefined) return
  const { routeName, res } = exchange
  routeName.onOwnRoute = () => nameRoute(traced, res, routeName.whole)
  routeName.onOwnRoute()
}

export class RouteName {
  readonly #exchange: Exchange
  /** With the path that the router is mounted at, before hand-written routes change what Express says of it. */
  readonly #base: string
  /** What the path leads to; `undefined` for hand-written routes and unknown paths. */
  readonly route: Route<Operation> | undefined
  #own: string | undefined
  /** Called when a hand-written route has matched, or has passed the request on. */
  onOwnRoute: () => void = () => {}

  constructor(exchange: Exchange) {
    const { req, entrance } = exchange
    this.#exchange = exchange
    const { versionName } = entrance
    this.#base = `${mountTemplate(req)}${versionName === '' ? '' : `/${versionName}`}`
    this.route = earlyRoute(exchange)
  }

  /** The template below the version, such as `/contratos/{id}`; `undefined` where nothing matches. */
  get belowVersion(): string | undefined {
    return this.#exchange.entrance.template ?? this.route?.template ?? this.#own
  }

  /** The whole template, such as `/private/v1/contratos/{id}`. */
  get whole(): string | undefined {
    const { belowVersion } = this
    return belowVersion === undefined ? undefined : `${this.#base}${belowVersion}`
  }

  /** Learns the template of the hand-written route that will match below `mountPath`. */
  followOwnRoutes(mountPath: string): void {
    followRoutes(this.#exchange.req, mountPath, (template) => {
      this.#own = template
      this.onOwnRoute()
    })
  }

  /** No hand-written route has answered. */
  forgetOwnRoute(): void {
    this.#own = undefined
    this.onOwnRoute()
  }
}

function earlyRoute({ entrance, path }: Exchange): Route<Operation> | undefined {
  if (entrance.match !== undefined) return entrance.match.route
  const { soleVersion, versions, versionName } = entrance
  const version = soleVersion ?? versions?.get(versionName)
  if (version === undefined || version === 'retired') return undefined
  const segments = decodeSegments(path)
  return segments === undefined ? undefined : version.table.match(segments)?.route
}

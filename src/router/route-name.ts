/**
 * The name of a request's route in events and traces. Some responses, such as 401 and 429, are sent
 * before the step `route`, and their events need the name too. So this file matches the path on its
 * own, only to find the name. The additional match does not change which step decides the response
 * (ERR-2). An unknown path has no name.
 */
import { decodeSegments } from '../http/targets.js'
import type { Route } from '../plan/routes.js'
import { followRoutes, mountTemplate } from '../telemetry/express-route.js'
import { nameRoute, tracedRequest } from '../telemetry/http-route.js'
import type { Exchange } from './exchange.js'
import type { Operation } from './operations/operation.js'

/**
 * Reports the route to the tracer of this request, if there is one. The route becomes the attribute
 * `http.route` of the server span.
 */
export function nameForTracer(exchange: Exchange): void {
  const traced = tracedRequest()
  if (traced === undefined) return
  const { routeName, res } = exchange
  routeName.onOwnRoute = () => nameRoute(traced, res, routeName.whole)
  routeName.onOwnRoute()
}

export class RouteName {
  readonly #exchange: Exchange
  /**
   * The template of the mount path, followed by the version. The mount path is read at the start,
   * because `req` has a different mount path while hand-written routes run.
   */
  readonly #base: string
  /** The matched route; `undefined` for hand-written routes and unknown paths. */
  readonly route: Route<Operation> | undefined
  #own: string | undefined
  /** Called when a hand-written route matches, and again if no hand-written route responds. */
  onOwnRoute: () => void = () => {}

  constructor(exchange: Exchange) {
    const { req, entrance } = exchange
    this.#exchange = exchange
    const { versionName } = entrance
    this.#base = `${mountTemplate(req)}${versionName === '' ? '' : `/${versionName}`}`
    this.route = earlyRoute(exchange)
  }

  /** The template below the version, such as `/contratos/{id}`. `undefined` if no route matches. */
  get belowVersion(): string | undefined {
    return this.#exchange.entrance.template ?? this.route?.template ?? this.#own
  }

  /** The whole template, with mount path and version, such as `/private/v1/contratos/{id}`. */
  get whole(): string | undefined {
    const { belowVersion } = this
    return belowVersion === undefined ? undefined : `${this.#base}${belowVersion}`
  }

  /** Records the template of the hand-written route that matches below `mountPath`. */
  followHandWrittenRoutes(mountPath: string): void {
    followRoutes(this.#exchange.req, mountPath, (template) => {
      this.#own = template
      this.onOwnRoute()
    })
  }

  /** Discards the recorded template. Called when no hand-written route has responded. */
  forgetHandWrittenRoute(): void {
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

/** The base URL of links in the responses of hand-written routes (REP-5). */

import type { IncomingMessage } from 'node:http'
import { requestOrigin, type TrustProxy } from '../http/origin.js'
import { splitTarget } from '../http/targets.js'
import type { Kinds } from '../options/kinds.js'
import { HttpProblem } from '../problem.js'
import type { ExpressRequest } from './middleware.js'

/** The base URL of absolute links. */
export interface BaseAddressOptions {
  /**
   * The absolute URL of the app, to which the paths of the app's routes are appended, such as
   * `https://api.example.com/private`. Default: derived from the request. The app's setting
   * `trust proxy` determines whether forwarded header fields are used (REP-5).
   */
  readonly baseUrl?: string | undefined
}

/**
 * Returns the absolute base URL for a request, without a trailing slash, or `undefined` if the host
 * of the request is malformed or unknown.
 */
export type BaseAddress = (req: IncomingMessage) => string | undefined

export const baseAddressKinds: Kinds<BaseAddressOptions> = {
  baseUrl: {
    a: 'an absolute http or https URL without query and fragment, such as "https://api.example.com/private"',
    like: { test: (text) => URL.canParse(text) && /^https?:\/\/[^?#]+$/i.test(text) },
  },
}

/**
 * Creates the function that returns the base URL. `baseUrl` must have been checked with
 * `baseAddressKinds`.
 */
export function baseAddress({ baseUrl }: BaseAddressOptions): BaseAddress {
  if (baseUrl === undefined) return originOf
  const { origin, pathname } = new URL(baseUrl)
  const base = origin + pathname.replace(/\/+$/, '')
  return () => base
}

/**
 * The 400 for a request with a malformed `Host`. Links cannot be built from such a `Host` (REP-5).
 */
export function malformedHost(): HttpProblem {
  return new HttpProblem('malformed-host', { detail: 'The Host field must contain a host and optionally a port.' })
}

function originOf(req: IncomingMessage): string | undefined {
  return requestOrigin(req, (req as ExpressRequest).app?.get('trust proxy fn') as TrustProxy | undefined)
}

/**
 * The whole path of the request, still percent-encoded. If the handler is mounted below a path,
 * that path is included.
 */
export function requestPath(req: IncomingMessage): string {
  return splitTarget((req as ExpressRequest).originalUrl ?? req.url ?? '/').path
}

/** The absolute address that the links of hand-written routes begin with (REP-5). */

import type { IncomingMessage } from 'node:http'
import { requestOrigin, type TrustProxy } from '../http/origin.js'
import { splitTarget } from '../http/targets.js'
import type { Kinds } from '../options/kinds.js'
import { HttpProblem } from '../problem.js'
import type { ExpressRequest } from './middleware.js'

/** Where absolute links begin. */
export interface BaseAddressOptions {
  /**
   * The absolute address before the path that the app itself sees, such as `https://api.example.com/private`. Default: from the request, as far as the app's
   * `trust proxy` allows (REP-5).
   */
  readonly baseUrl?: string | undefined
}

/** Gives the absolute address for a request, without a trailing slash; `undefined` where the request's host is malformed. */
export type BaseAddress = (req: IncomingMessage) => string | undefined

export const baseAddressKinds: Kinds<BaseAddressOptions> = {
  baseUrl: {
    a: 'an absolute address without query, such as "https://api.example.com/private"',
    like: { test: (text) => URL.canParse(text) && /^https?:\/\/[^?#]+$/i.test(text) },
  },
}

/** Where `baseUrl` is of its kind. */
export function baseAddress({ baseUrl }: BaseAddressOptions): BaseAddress {
  if (baseUrl === undefined) return originOf
  const { origin, pathname } = new URL(baseUrl)
  const base = origin + pathname.replace(/\/+$/, '')
  return () => base
}

/** The refusal of a request whose links would have no address to begin with (REP-5). */
export function malformedHost(): HttpProblem {
  return new HttpProblem('malformed-host', { detail: 'The Host field must name a host and perhaps a port.' })
}

function originOf(req: IncomingMessage): string | undefined {
  return requestOrigin(req, (req as ExpressRequest).app?.get('trust proxy fn') as TrustProxy | undefined)
}

/** The whole path that was asked for, still encoded, however deep the handler is mounted. */
export function requestPath(req: IncomingMessage): string {
  return splitTarget((req as ExpressRequest).originalUrl ?? req.url ?? '/').path
}

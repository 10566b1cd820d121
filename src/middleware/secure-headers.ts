/** Header fields that keep an API's answers from being taken for anything else by a browser (OWASP REST Security Cheat Sheet, "Security headers"). */

import type { ServerResponse } from 'node:http'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { header } from '../wire.js'
import type { Middleware } from './middleware.js'

/** The fields that a service may want otherwise. The others of `secureHeaders()` suit every API. */
export interface SecureHeadersOptions {
  /**
   * `Strict-Transport-Security`: seconds for which browsers reach this host by https alone (RFC 6797), or the whole value. Default: not sent, since it binds the host
   * and whatever else is served there. Two years are 63072000.
   */
  readonly strictTransport?: number | string
  /** `Content-Security-Policy`, or `false`. Default `default-src 'none'; frame-ancestors 'none'`: an answer of an API loads nothing and stands in no frame. */
  readonly contentSecurityPolicy?: string | false
  /** `Cross-Origin-Resource-Policy`, or `false`. Default `same-origin`: other sites read answers by CORS or not at all. */
  readonly resourcePolicy?: (typeof resourcePolicies)[number] | false
}

const resourcePolicies = ['same-origin', 'same-site', 'cross-origin'] as const

export const secureHeadersKinds: Kinds<SecureHeadersOptions> = {
  strictTransport: [
    { from: 0, whole: true, unit: 'seconds' },
    { a: 'a value such as "max-age=63072000; includeSubDomains"', like: /^(?=.*max-age=)[\x20-\x7e]+$/i },
  ],
  contentSecurityPolicy: [{ a: 'a text of printable ASCII', like: /^[\x20-\x7e]+$/ }, { oneOf: [false] }],
  resourcePolicy: { oneOf: [...resourcePolicies, false] },
}

/**
 * Sets `X-Content-Type-Options`, `Content-Security-Policy`, `X-Frame-Options`, `Referrer-Policy` and `Cross-Origin-Resource-Policy` on every answer, and takes
 * `X-Powered-By` away. What another middleware has set stays. `api` does so by itself. Throws `ConfigurationError` where an option makes no sense.
 *
 * @example app.use(secureHeaders({ strictTransport: 63_072_000 }))
 */
export function secureHeaders(options: SecureHeadersOptions = {}): Middleware {
  const fields = resolveSecureHeaders(options)
  return function secureHeadersMiddleware(_req, res, next) {
    setSecureHeaders(res, fields)
    next()
  }
}

/** The fields that the options come to. Throws `ConfigurationError`. */
export function resolveSecureHeaders(options: SecureHeadersOptions): Readonly<Record<string, string>> {
  checkOptions('secureHeaders()', options, secureHeadersKinds)
  const {
    strictTransport,
    contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'",
    resourcePolicy = 'same-origin',
  } = options
  return Object.freeze({
    [header.typeOptions]: 'nosniff',
    ...field(header.contentSecurityPolicy, contentSecurityPolicy),
    [header.frameOptions]: 'DENY',
    [header.referrerPolicy]: 'no-referrer',
    ...field(header.crossOriginResourcePolicy, resourcePolicy),
    ...field(
      header.strictTransport,
      typeof strictTransport === 'number' ? `max-age=${strictTransport}` : (strictTransport ?? false),
    ),
  })
}

/** Sets the fields that nobody has set before. */
export function setSecureHeaders(res: ServerResponse, fields: Readonly<Record<string, string>>): void {
  res.removeHeader(header.poweredBy)
  for (const name of Object.keys(fields)) if (!res.hasHeader(name)) res.setHeader(name, fields[name] as string)
}

const field = (name: string, value: string | false): Readonly<Record<string, string>> =>
  value === false ? {} : { [name]: value }

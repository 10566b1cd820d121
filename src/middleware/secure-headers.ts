/**
 * Header fields that prevent browsers from misusing an API's responses (OWASP REST Security Cheat
 * Sheet, "Security headers").
 */

import type { ServerResponse } from 'node:http'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { header } from '../wire.js'
import type { Middleware } from './middleware.js'

/** The configurable header fields. The other fields of `secureHeaders()` suit every API. */
export interface SecureHeadersOptions {
  /**
   * The value of `Strict-Transport-Security` (RFC 6797): the number of seconds for which browsers
   * use only https for this host, or the whole value as a string. For two years, pass 63072000.
   * Default: the field is not sent, because it affects every service on the host.
   */
  readonly strictTransport?: number | string
  /**
   * The value of `Content-Security-Policy`, or `false` to omit the field. Default
   * `default-src 'none'; frame-ancestors 'none'`. With the default, a response loads nothing and
   * cannot be framed.
   */
  readonly contentSecurityPolicy?: string | false
  /**
   * The value of `Cross-Origin-Resource-Policy`, or `false` to omit the field. Default
   * `same-origin`. With the default, pages of other origins can load responses only with CORS
   * requests.
   */
  readonly resourcePolicy?: (typeof resourcePolicies)[number] | false
}

const resourcePolicies = ['same-origin', 'same-site', 'cross-origin'] as const

export const secureHeadersKinds: Kinds<SecureHeadersOptions> = {
  strictTransport: [
    { from: 0, whole: true, unit: 'seconds' },
    { a: 'a value such as "max-age=63072000; includeSubDomains"', like: /^(?=.*max-age=)[\x20-\x7e]+$/i },
  ],
  contentSecurityPolicy: [{ a: 'a string of printable ASCII', like: /^[\x20-\x7e]+$/ }, { oneOf: [false] }],
  resourcePolicy: { oneOf: [...resourcePolicies, false] },
}

/**
 * Creates a middleware that sets `X-Content-Type-Options`, `Content-Security-Policy`,
 * `X-Frame-Options`, `Referrer-Policy` and `Cross-Origin-Resource-Policy` on every response, and
 * removes `X-Powered-By`. Fields that are already set are kept. `api` does all of this itself.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
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

/**
 * Returns the header fields for these options. Throws `ConfigurationError` if an option is invalid.
 */
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

/** Sets the fields that are not set yet, and removes `X-Powered-By`. */
export function setSecureHeaders(res: ServerResponse, fields: Readonly<Record<string, string>>): void {
  res.removeHeader(header.poweredBy)
  for (const name of Object.keys(fields)) if (!res.hasHeader(name)) res.setHeader(name, fields[name] as string)
}

const field = (name: string, value: string | false): Readonly<Record<string, string>> =>
  value === false ? {} : { [name]: value }

/** Header fields that keep an API's answers from being taken for anything else by a browser (OWASP REST Security Cheat Sheet, "Security headers"). */
import type { ServerResponse } from 'node:http'
import { checkOptions, type Kinds } from '../definition/option-kinds.js'
import { ConfigurationError } from '../problem.js'
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

const optionKinds: Kinds<SecureHeadersOptions> = {
  strictTransport: 'checked',
  contentSecurityPolicy: ['string', 'false'],
  resourcePolicy: 'checked',
}

const resourcePolicies = ['same-origin', 'same-site', 'cross-origin'] as const

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
  checkOptions('secureHeaders()', options, optionKinds)
  const { strictTransport, contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'", resourcePolicy = 'same-origin' } = options
  const given: unknown = strictTransport === undefined ? false : strictTransport
  if (given !== false && typeof given !== 'string' && !(Number.isSafeInteger(given) && (given as number) >= 0)) {
    throw new ConfigurationError(
      'invalid-option',
      `strictTransport of secureHeaders() is ${typeof given === 'object' ? 'an object' : String(given)}. Give whole seconds, such as 63072000, or the whole value.`,
    )
  }
  if (typeof strictTransport === 'string' && !/max-age=/i.test(strictTransport)) {
    throw new ConfigurationError(
      'invalid-option',
      'strictTransport of secureHeaders() has no max-age (RFC 6797 6.1.1). Give seconds, such as 63072000.',
    )
  }
  if (resourcePolicy !== false && !resourcePolicies.includes(resourcePolicy)) {
    throw new ConfigurationError(
      'invalid-option',
      `resourcePolicy of secureHeaders() is ${JSON.stringify(resourcePolicy)}, which browsers would pass over. Give one of ${resourcePolicies.join(', ')}, or false.`,
    )
  }
  return Object.freeze({
    [header.typeOptions]: 'nosniff',
    ...field(header.contentSecurityPolicy, contentSecurityPolicy),
    [header.frameOptions]: 'DENY',
    [header.referrerPolicy]: 'no-referrer',
    ...field(header.crossOriginResourcePolicy, resourcePolicy),
    ...field(header.strictTransport, typeof strictTransport === 'number' ? `max-age=${strictTransport}` : (strictTransport ?? false)),
  })
}

/** Sets the fields that nobody has set before. */
export function setSecureHeaders(res: ServerResponse, fields: Readonly<Record<string, string>>): void {
  res.removeHeader(header.poweredBy)
  for (const name of Object.keys(fields)) if (!res.hasHeader(name)) res.setHeader(name, fields[name] as string)
}

function field(name: string, value: string | false): Readonly<Record<string, string>> {
  if (value === false) return {}
  if (typeof value !== 'string' || !/^[\x20-\x7e]+$/.test(value)) {
    throw new ConfigurationError(
      'invalid-option',
      `${name} of secureHeaders() is no value that a header can have. Give a text of ASCII, or false.`,
    )
  }
  return { [name]: value }
}

/**
 * Errors in a service's own declarations and options. Each error has a stable code, which
 * `docs/errors.md` explains.
 */
import { brandClass, hasBrand } from './brand.js'

/** The clause of each configuration error, by the stable code of the error. */
export const configurationKinds = {
  'name-malformed': 'PATH-10',
  'name-not-plural': 'PATH-2',
  'name-is-verb': 'PATH-3',
  'name-has-format': 'PATH-4',
  'path-taken': 'PATH-1',
  'version-malformed': 'VER-1',
  'unknown-member': 'PATH-10',
  'unsuitable-member': 'QUERY-1',
  'exposes-write-only': 'REP-8',
  'reserved-parameter': 'QUERY-1',
  'invalid-schema': 'ERR-2',
  'unresolved-link': 'REP-1',
  'unmounted-parent': 'PATH-7',
  'adapter-incomplete': 'VERB-9',
  'undocumented-endpoint': 'PATH-8',
  'invalid-option': 'ERR-1',
  'store-unfit': 'HDR-3',
  'weak-key': 'AUTH-5',
  'middleware-missing': 'ERR-1',
  'description-clash': 'PATH-1',
  'description-unfit': 'ERR-2',
  'no-example': 'ERR-2',
} as const satisfies Record<string, string>

/** The stable code of a configuration error. */
export type ConfigurationCode = keyof typeof configurationKinds

/**
 * Thrown if a definition or an option is wrong. The error is thrown when the service is built, or
 * when a function of the library is called. If only a request can reveal the mistake, the error is
 * thrown during that request. Examples of such mistakes are a missing middleware, and an argument
 * `version` of `sendTag()` that is not a string. The response to the request is then a 500 that
 * discloses nothing. The message of the error says how to fix the mistake.
 */
export class ConfigurationError extends TypeError {
  override readonly name = 'ConfigurationError'
  readonly code: ConfigurationCode
  readonly clause: string

  static {
    brandClass('configuration-error', ConfigurationError)
  }

  constructor(code: ConfigurationCode, message: string) {
    super(`${message} [${configurationKinds[code]} ${code}]`)
    this.code = code
    this.clause = configurationKinds[code]
  }
}

/** Whether a value is a `ConfigurationError` of this copy of the library or of another. */
export const isConfigurationError = (error: unknown): error is ConfigurationError =>
  hasBrand('configuration-error', error)

/** The options of a middleware, as JavaScript callers may write them. */
import { knownOptions } from '../definition/known-options.js'
import { ConfigurationError } from '../problem.js'

/** What an option must be where it is given; `checked` is for those that the middleware checks itself. */
export type Kind = 'boolean' | 'string' | 'number' | 'function' | 'checked'

/** The kind of each option, for `checkOptions`: an option that is missing here, or one too many, does not compile. */
export type Kinds<Options> = Readonly<Record<keyof Options, Kind>>

/** Throws `ConfigurationError` where `given` has an option that `kinds` does not know, with the near miss, or one of another kind. */
export function checkOptions(what: string, given: unknown, kinds: Readonly<Record<string, Kind>>): void {
  const options = knownOptions(what, given, kinds)
  for (const [name, value] of Object.entries(options)) {
    const kind = kinds[name]
    if (value === undefined || kind === 'checked' || typeof value === kind) continue
    throw new ConfigurationError(
      'invalid-option',
      `The option "${name}" of ${what} is ${value === null ? 'null' : `of type ${typeof value}`}. Give a ${kind}.`,
    )
  }
}

/** The realm of a challenge: it stands in a quoted string (RFC 9110 11.5). Throws `ConfigurationError`. */
export function realmOption(what: string, realm: string): string {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(realm)) return realm
  throw new ConfigurationError(
    'invalid-option',
    `realm of ${what} is ${JSON.stringify(realm)}. Use printable ASCII without quotes and backslashes.`,
  )
}

/** Who calls: tokens, and the header field that carries them. */
import { header } from '../../wire.js'
import type { Caller } from './exchange.js'

/** A caller with a token. */
export interface Principal {
  /** How reports call it, such as `reader`. */
  readonly name: string
  readonly token: string
  /** The header field that carries the token. Default `Authorization`, with the scheme `Bearer`. */
  readonly header?: string
  /** The environment variable that a script takes the token from. Default: made from the name, such as `READER_TOKEN`. */
  readonly variable?: string
  /** Templates of collections that it may not read, such as `/orders`: they must be 403 for it. */
  readonly forbidden?: readonly string[]
}

export const variableOf = ({ name, variable }: Principal): string =>
  variable ??
  `${name
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase()}_TOKEN`

/** A header field, as its name and the text before the token. */
export function carrierOf({ header: name = header.authorization }: Principal): {
  readonly name: string
  readonly scheme: string
} {
  return { name, scheme: name.toLowerCase() === 'authorization' ? 'Bearer ' : '' }
}

/** How many characters at the end of an altered token differ. */
export const alteredLength = 12

/** What stands in their place: some of them differ from any signature. */
export const alteredEnd = 'Q'.repeat(alteredLength)

/** The header field of a caller; none for nobody. `principals`: by name. */
export function credentialOf(
  caller: Caller,
  principals: ReadonlyMap<string, Principal>,
): Readonly<Record<string, string>> {
  if (caller.kind === 'nobody') return {}
  const [first] = principals.values()
  const principal = caller.kind === 'forged' ? first : principals.get(caller.name)
  if (principal === undefined) return {}
  const { name, scheme } = carrierOf(principal)
  if (caller.kind === 'forged') return { [name]: `${scheme}${caller.token}` }
  const { token } = principal
  return { [name]: `${scheme}${caller.kind === 'altered' ? `${token.slice(0, -alteredLength)}${alteredEnd}` : token}` }
}

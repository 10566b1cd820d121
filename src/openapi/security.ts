/** How a client says who it is (AUTH-1..3). */
import type { ServiceFacts } from '../plan/description.js'
import { header } from '../wire.js'

interface Security {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly schemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The security scheme of a service, by the header that its credentials come in. */
export function securityOf({ authenticate }: ServiceFacts): Security {
  if (authenticate === undefined) return { security: [], schemes: {} }
  const { field, challenge, format } = authenticate
  // Linters look for the number as one word.
  const checks = format === undefined ? '' : ' It is a JSON Web Token, checked as RFC8725 asks (AUTH-5).'
  if (field === header.authorization) {
    const scheme = challenge.split(' ', 1)[0]?.toLowerCase() ?? 'bearer'
    const described = {
      type: 'http',
      scheme,
      description: `Credentials in \`${field}\` by the scheme ${scheme} (AUTH-1).${checks}`,
      ...(scheme === 'bearer' && format !== undefined ? { bearerFormat: format } : {}),
    }
    return { security: [{ [scheme]: [] }], schemes: { [scheme]: described } }
  }
  const isToken = field === header.token
  const name = isToken ? 'token' : 'apiKey'
  const description = isToken
    ? `The token that a login gives, in \`${field}\` (AUTH-3).${checks}`
    : `Credentials in \`${field}\`.`
  return { security: [{ [name]: [] }], schemes: { [name]: { type: 'apiKey', in: 'header', name: field, description } } }
}

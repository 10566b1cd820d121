/** The security schemes of a service (AUTH-1..3). */
import type { ServiceFacts } from '../plan/description.js'
import { header } from '../wire.js'

interface Security {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly schemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/**
 * Returns the security scheme of a service. The scheme depends on the header field that contains
 * the credentials.
 */
export function securityOf({ authenticate }: ServiceFacts): Security {
  if (authenticate === undefined) return { security: [], schemes: {} }
  const { field, challenge, format } = authenticate
  // Linters search for "RFC8725" as one word.
  const checks =
    format === undefined ? '' : ' The credential is a JSON Web Token, verified according to RFC8725 (AUTH-5).'
  if (field === header.authorization) {
    const scheme = challenge.split(' ', 1)[0]?.toLowerCase() ?? 'bearer'
    const described = {
      type: 'http',
      scheme,
      description: `Credentials in \`${field}\` with the scheme ${scheme} (AUTH-1).${checks}`,
      ...(scheme === 'bearer' && format !== undefined ? { bearerFormat: format } : {}),
    }
    return { security: [{ [scheme]: [] }], schemes: { [scheme]: described } }
  }
  const isToken = field === header.token
  const name = isToken ? 'token' : 'apiKey'
  const description = isToken
    ? `The token of a login, in \`${field}\` (AUTH-3).${checks}`
    : `Credentials in \`${field}\`.`
  return { security: [{ [name]: [] }], schemes: { [name]: { type: 'apiKey', in: 'header', name: field, description } } }
}

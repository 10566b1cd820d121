/** The client that a token was issued to. */
import { own } from '../definition/json.js'

/** The name of the client: `azp` (OpenID Connect Core 2) or `client_id` (RFC 9068) of the token; `undefined` where it has neither. */
export function principalClient(principal: unknown): string | undefined {
  for (const name of ['azp', 'client_id']) {
    const client = own(principal, name)
    if (typeof client === 'string' && client !== '') return client
  }
  return undefined
}

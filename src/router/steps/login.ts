/** `GET {base_url}/login` (AUTH-2): the one path of `api` that stands outside of every version. */
import type { Answered, Received } from '../stages.js'

export async function login({ patience, req, service }: Received): Promise<Answered> {
  const answer = await patience.settle(service.login?.answer(req, patience.signal()))
  if (answer === undefined) throw new Error('This service has no login.')
  return { answer }
}

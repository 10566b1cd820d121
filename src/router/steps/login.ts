/** `GET {base_url}/login` (AUTH-2): the only path of `api` outside all versions. */
import type { Answered, Received } from '../stages.js'

export async function login({ timeLimit, req, service }: Received): Promise<Answered> {
  const answer = await timeLimit.waitFor(service.login?.answer(req, timeLimit.signal()))
  if (answer === undefined) throw new Error('This service has no login.')
  return { answer }
}

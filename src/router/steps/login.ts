/** `GET {base_url}/login` (AUTH-2): the one path of `api` that stands outside of every version. */
import { route } from '../../plan/route-methods.js'
import type { Exchange } from '../exchange.js'
import { calls, options } from '../operations/call.js'

const methods = [...calls.filter(({ method }) => method === 'GET'), options]
const loginRoute = route('endpoint', '/login', methods, { resource: undefined })

export async function login(exchange: Exchange): Promise<void> {
  exchange.route = loginRoute
  const { patience, req, service } = exchange
  exchange.answer = await patience.settle(service.login?.answer(req, patience.signal()))
}

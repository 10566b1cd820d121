/** The login of a public API, which stands beside its versions (AUTH-2). */
import type { ServiceFacts } from '../plan/description.js'
import { header } from '../wire.js'
import type { Components } from './components.js'

/** The path of the login, on the server of the service itself. */
export function loginPath(facts: ServiceFacts, components: Components): Record<string, unknown> {
  components.share('securitySchemes', ['basic'], { type: 'http', scheme: 'basic', description: 'User and password (AUTH-2).' })
  void header
  return { servers: [{ url: facts.root ?? '/' }] }
}

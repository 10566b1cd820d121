/** The login of a public API. It does not belong to a version (AUTH-2). */
import { modesOf } from '../conventions/modes.js'
import { fieldsOfLogin } from '../plan/answer-fields.js'
import type { ServiceFacts } from '../plan/description.js'
import { loginProblems } from '../plan/endings.js'
import type { Components } from './components.js'
import { headersOf } from './headers.js'
import { unlisted } from './operations.js'
import { ProblemResponses } from './problem-schemas.js'

const loginText = 'Returns, in the header `x-authorization-token`, a token for a user name and a password (AUTH-2).'
const optionsText = 'Returns the methods of the login in the header `Allow`. Needs no credentials.'

/** Returns the path item of the login. `root`: the URL of the service, without a version. */
export function loginPath(facts: ServiceFacts, root: string, components: Components): Record<string, unknown> {
  components.share('securitySchemes', ['basic'], {
    type: 'http',
    scheme: 'basic',
    description: 'User and password (AUTH-2).',
  })
  const problems = new ProblemResponses(components)
  // The rate limit of the service does not count logins. Logins have their own limit.
  const own: ServiceFacts = { ...facts, rateLimit: false }
  const operation = (method: string, operationId: string, status: number, summary: string): unknown => ({
    operationId,
    summary,
    description: method === 'OPTIONS' ? optionsText : loginText,
    tags: ['login'],
    security: method === 'OPTIONS' ? [] : [{ basic: [] }],
    responses: {
      [status]: {
        description: status === 204 ? 'The methods of the login.' : 'The token.',
        headers: headersOf(fieldsOfLogin(method, own), components),
      },
      // The service responds to every OPTIONS request with 204. Only a server or proxy in front of
      // it can respond with 4xx.
      ...(method === 'OPTIONS'
        ? { '4XX': unlisted }
        : problems.ofProblems(
            { method, facts: own, life: undefined, body: false, modes: modesOf(facts.conventions, '', '/login') },
            loginProblems,
          )),
    },
  })
  return {
    servers: [{ url: root }],
    get: operation('GET', 'login', 200, 'Log in'),
    head: operation('HEAD', 'checkLogin', 200, 'Log in, without a body'),
    options: operation('OPTIONS', 'optionsLogin', 204, 'List the methods of the login'),
  }
}

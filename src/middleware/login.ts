/**
 * The login of public APIs: a client sends Basic credentials and gets a token in a header field
 * (AUTH-2, AUTH-6).
 */

import type { IncomingMessage } from 'node:http'
import type { Awaitable } from '../adapters/contract.js'
import { parseBasic } from '../auth/login/basic-credentials.js'
import { type AttemptsOptions, attemptsKinds, LoginThrottle } from '../auth/login/login-throttle.js'
import { makePasswordCheck, type PasswordCheckOptions } from '../auth/login/password-check.js'
import { soleField } from '../http/sole-field.js'
import { splitTarget } from '../http/targets.js'
import { storeKinds } from '../limits/limit-options.js'
import type { StoreOptions } from '../limits/store.js'
import { notify } from '../notify.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds } from '../options/kinds.js'
import { refuseQuery } from '../plan/query-pairs.js'
import { HttpProblem } from '../problem.js'
import { type Headers, send, type Answer as Written } from '../representation/answer.js'
import { header } from '../wire.js'
import type { Middleware } from './middleware.js'
import { realmKind } from './options.js'

/** The options of `login()`. Either `find` or `verify` is required. */
export interface LoginOptions<P> extends PasswordCheckOptions<P>, StoreOptions {
  /**
   * Creates the token for a principal. If the function throws, the error becomes the response, so
   * throw `Unavailable` if a dependency is down.
   */
  readonly token: (principal: P) => Awaitable<string>
  /** How many failed logins are allowed before further attempts get 429. */
  readonly attempts?: AttemptsOptions
  /** The realm of the challenge (RFC 9110 11.5), in printable ASCII. Default `login`. */
  readonly realm?: string
  /**
   * Called with errors that the response does not show, such as an exception in `upgrade`, or a
   * stored hash that cannot be parsed. The errors contain no password and no hash. Default
   * `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

/** The return value of `login()`: a middleware that responds to every request. */
export interface Login extends Middleware {
  /**
   * Returns the response to a request: 200 with the token, or 204 for OPTIONS. `api` calls this
   * function. No password is hashed after `signal` has been aborted. Without `signal`, no password
   * is hashed after the connection has been closed. Rejects with 400 for a query, 401
   * `unauthenticated`, 405, 429 `too-many-requests`, or `Unavailable` (503).
   */
  answer(req: IncomingMessage, signal?: AbortSignal): Promise<Written>
}

/**
 * Creates a middleware that exchanges a user name and a password in the Basic scheme for a token
 * (AUTH-2; RFC 7617). If the credentials are valid, the response is 200, without a body and with
 * the token in `x-authorization-token`. Otherwise the response is 401. An unknown user and a wrong
 * password get the same response. With `find`, both also take the same amount of work (AUTH-6). The
 * middleware accepts GET and HEAD without a query, and OPTIONS. Failed attempts are counted by
 * account and by IP address. An attempt whose password is still being checked counts as failed too.
 * After too many failures, the response is 429.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * app.all('/login', login({
 *   find: (user) => users.find(user), // { hash, principal }, with a hash of hashPassword()
 *   token: (principal) => sign(principal),
 * }))
 */
export function login<P>(options: LoginOptions<P>): Login {
  checkOptions('login()', options, loginKinds)
  const { token, realm = 'login', onError = (error) => console.error(error) } = options
  checkCallbacks(options)
  const challenge = `Basic realm="${realm}", charset="UTF-8"`
  const throttle = new LoginThrottle(options.attempts, options)
  const check = makePasswordCheck(options, (error) => notify(onError, () => error))

  const logIn = async (req: IncomingMessage, isGone: () => boolean): Promise<Headers> => {
    const field = soleField(req, header.authorization)
    if (field === undefined) throw refusal(challenge, `The request has no credentials. ${sendBasic}`)
    // The scheme is public, so this detail reveals nothing about the account.
    if (typeof field === 'string' && !/^ *basic(?: |$)/i.test(field))
      throw refusal(challenge, `The value of Authorization does not begin with the scheme Basic. ${sendBasic}`)
    const credentials = typeof field === 'string' ? parseBasic(field) : undefined
    if (credentials === undefined) throw refusal(challenge, wrong)
    const attempt = await throttle.admit(credentials.user, req)
    const found = await check(credentials, isGone).catch(async (error: unknown) => {
      await attempt.abandoned()
      throw error
    })
    if (found === undefined) {
      attempt.failed()
      throw refusal(challenge, wrong)
    }
    await attempt.succeeded()
    return { [header.token]: checkToken(await token(found.principal)), [header.cacheControl]: 'no-store' }
  }
  const respond = async (req: IncomingMessage, isGone: () => boolean): Promise<Written> => {
    if (req.method === 'OPTIONS') return { status: 204, headers: { [header.allow]: allowed } }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new HttpProblem('method-not-allowed', {
        detail: `To log in, send a GET. Allowed: ${allowed}.`,
        headers: { [header.allow]: allowed },
      })
    }
    refuseQuery(splitTarget(req.url ?? '/').query)
    return { status: 200, headers: await logIn(req, isGone) }
  }
  const answer: Login['answer'] = (req, signal) =>
    respond(req, signal === undefined ? () => req.socket?.destroyed === true : () => signal.aborted)
  const loginMiddleware: Middleware = (req, res, next) => {
    // `writableEnded` is true if another middleware has already sent a response, for example after
    // a timeout.
    respond(req, () => res.destroyed || res.writableEnded)
      .then((written) => send(res, written, req.method === 'HEAD'))
      .catch(next)
  }
  return Object.assign(loginMiddleware, { answer })
}

declareFactory(login, 'login({ find, token })')

export const loginKinds: Kinds<LoginOptions<unknown>> = {
  ...storeKinds,
  find: 'function',
  verify: 'function',
  token: { required: 'function' },
  upgrade: 'function',
  attempts: { options: attemptsKinds },
  realm: realmKind,
  onError: 'function',
}

const allowed = 'GET, HEAD, OPTIONS'

/**
 * The `detail` for all credentials that are malformed or not valid. It does not say whether the
 * user or the password is wrong.
 */
const wrong = 'The user or the password is not valid.'

const sendBasic = 'Send the user name and the password in the header field Authorization, in the Basic scheme.'

function refusal(challenge: string, detail: string): HttpProblem {
  return new HttpProblem('unauthenticated', { detail, headers: { [header.wwwAuthenticate]: challenge } })
}

function checkCallbacks<P>({ find, verify, upgrade }: LoginOptions<P>): void {
  if ((find === undefined) === (verify === undefined)) {
    throw invalidOption(
      `login() has ${find === undefined ? 'neither "find" nor' : 'both "find" and'} "verify". Set exactly one of ` +
        'them. With "find", the library checks passwords. With "verify", your function checks them.',
    )
  }
  if (upgrade !== undefined && find === undefined)
    throw invalidOption(
      'login() has "upgrade" without "find". The option "upgrade" applies only to hashes that the library ' +
        'checks, so it requires "find".',
    )
}

function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw invalidOption(
    'The function "token" of login() returned a value that is not valid in a header field. Return a string of ' +
      'printable ASCII without spaces, such as a JWT.',
  )
}

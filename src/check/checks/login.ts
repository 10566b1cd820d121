/**
 * Checks of the login of public APIs (AUTH-2, AUTH-3). A failed login is tested with a made-up
 * user, so that no account is locked. Only the checks of AUTH-6 send a wrong password for a real
 * user.
 */
import { randomUUID } from 'node:crypto'
import { header } from '../../wire.js'
import type { ServiceCheck } from '../check.js'
import type { SendOptions } from '../client/client.js'
import type { Exchange } from '../client/exchange.js'
import { type Caller, nobody } from '../client/exchange.js'
import type { Service } from '../service.js'
import { breaks, breaksBy, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { describe, expectStatus } from './expecting.js'
import { besideVersion } from './version-root.js'

/** Sends `GET {base_url}/login`. The URL of the login does not contain the API version. */
export async function logIn(service: Service, caller: Caller, options?: SendOptions): Promise<Exchange> {
  const path = loginOf(service)
  const { root } = besideVersion(service)
  return service.client.send('GET', `${root}${path}`, { ...options, caller })
}

/** The path of the login. Throws `NotApplicable` if no login is known. */
export function loginOf({ target: { login } }: Service): string {
  if (login === undefined) throw new NotApplicable('no login is known. Give its path as "login" in a target file')
  return login
}

/** The credentials of a random user that does not exist. */
export const unknownUser = () =>
  ({ kind: 'basic', user: `check-${randomUUID()}`, password: randomUUID() }) as const satisfies Caller

/**
 * Logs in with the account that the check was given. Throws `Unchecked` if no account was given.
 */
async function logInAsUser(service: Service): Promise<Exchange> {
  if (service.target.login !== undefined && service.client.account === undefined)
    throw new Unchecked('no user that can log in was given (set "account" in a target file)')
  return logIn(service, { kind: 'account' })
}

function refusal(exchange: Exchange, who: string): Outcome | undefined {
  const wrong = expectStatus(exchange, [401], who)
  if (wrong !== undefined) return wrong
  return exchange.answer.field(header.token) === undefined
    ? undefined
    : breaks('no token', `a field ${header.token}`, exchange)
}

export const loginChecks: readonly ServiceCheck[] = [
  {
    id: 'AUTH-2/nobody',
    rule: 'A login without credentials gets 401, with a challenge for Basic credentials.',
    why: 'The response tells the client what to send.',
    fix: 'Answer 401 with WWW-Authenticate: Basic.',
    async run(service) {
      const exchange = await logIn(service, nobody)
      const challenge = exchange.answer.field(header.wwwAuthenticate)
      const isBasic = /(?:^|,)\s*basic\b/i.test(challenge ?? '')
      return (
        refusal(exchange, 'a login without credentials') ??
        (isBasic ? holds : breaks(`${header.wwwAuthenticate}: Basic`, challenge ?? 'none', exchange))
      )
    },
  },
  {
    id: 'AUTH-2/unknown-user',
    rule: 'A login of an unknown user gets 401 without a token.',
    why: 'Otherwise anybody could act as a user.',
    fix: 'Check the user and the password before issuing a token.',
    async run(service) {
      const exchange = await logIn(service, unknownUser())
      return refusal(exchange, 'a login of an unknown user') ?? holds
    },
  },
  {
    id: 'AUTH-2/token',
    rule:
      'A login with user and password gets 200, with the token in `x-authorization-token`, without a body, and ' +
      'with `Cache-Control: no-store`.',
    why: 'Clients of all services take the token from the same place, and no cache may keep the token.',
    fix: 'Send the token in x-authorization-token, without a body, and Cache-Control: no-store.',
    async run(service) {
      const exchange = await logInAsUser(service)
      const { answer } = exchange
      const wrong = expectStatus(exchange, [200], 'a login')
      if (wrong !== undefined) return wrong
      if (answer.field(header.token) === undefined)
        return breaksBy(
          { kind: 'no-field', answer: 0, name: header.token },
          `a field ${header.token}`,
          'none',
          exchange,
        )
      if (answer.body !== '') return breaksBy({ kind: 'body', answer: 0 }, 'no body', describe(exchange), exchange)
      const control = answer.field(header.cacheControl)
      return /\bno-store\b/i.test(control ?? '')
        ? holds
        : breaks('Cache-Control: no-store', control ?? 'none', exchange)
    },
  },
  {
    id: 'AUTH-3/token',
    rule: 'The token of a login is accepted in the request header `x-authorization-token`.',
    why: 'Clients of all services send the token in the same way.',
    fix: 'Read the token from x-authorization-token.',
    async run(service) {
      const login = await logInAsUser(service)
      const token = login.answer.field(header.token)
      const [collection] = service.target.collections.filter(
        ({ secured, template }) => secured && !template.includes('{'),
      )
      if (token === undefined || !/^\S+$/.test(token)) throw new Unchecked('the login gave no token')
      if (collection === undefined) throw new NotApplicable('every list is public or has a path parameter')
      const exchange = await service.send('GET', collection.template, { caller: { kind: 'session', token } })
      // A user without permission gets 403 or 405, which also shows that the token was accepted.
      return expectStatus(exchange, [200, 403, 405], 'the token of a login') ?? holds
    },
  },
]

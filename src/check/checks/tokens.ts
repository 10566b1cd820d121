/**
 * Checks of requests without credentials, of tokens that a service must refuse, and of the methods
 * that a caller without write permission sees in `Allow` (AUTH-4, AUTH-5).
 */
import { own } from '../../definition/json.js'
import type { ListCheck } from '../check.js'
import { nobody } from '../client/exchange.js'
import { claimsOf } from '../client/principals.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { privatePaths, refuses } from './access.js'
import { expectStatus, firstBreak } from './expecting.js'
import { allowedBy } from './items.js'

export const tokenChecks: readonly ListCheck[] = [
  {
    id: 'AUTH-4/every-address',
    needs: ['AUTH-4/nobody'],
    rule: 'Without credentials, HEAD requests and requests for items that do not exist also get 401.',
    why: 'Otherwise anyone can find out which items exist.',
    fix: 'Authenticate before looking anything up, and do so for HEAD requests too.',
    async run(list) {
      const [path, item] = await privatePaths(list)
      const asked = [
        ['HEAD', path as string],
        ...(item === undefined ? [] : [['HEAD', item] as const, ['GET', await list.aMissingItem()] as const]),
      ] as const
      const found = await firstBreak(asked, async ([method, at]) =>
        expectStatus(await list.send(method, at, { caller: nobody }), [401], `${method} ${at} without credentials`),
      )
      return found ?? holds
    },
  },
  {
    id: 'AUTH-4/malformed',
    needs: ['AUTH-4/nobody'],
    rule: 'A malformed token gets 401.',
    why: 'The client must see that its credentials are wrong, not that the service failed.',
    fix: 'Answer 401 for every malformed token.',
    async run(list) {
      const [path] = await privatePaths(list)
      const found = await firstBreak(['x', 'e30.e30.e30'], async (token) => {
        const exchange = await list.send('GET', path as string, { caller: { kind: 'forged', token } })
        return expectStatus(exchange, [401], `the token ${token}`)
      })
      return found ?? holds
    },
  },
  {
    id: 'AUTH-5/unsigned-claims',
    needs: ['AUTH-4/nobody'],
    rule: 'A token with the claims of a valid token, but without a signature, gets 401.',
    why: 'Anyone who has seen a token could change its claims and act as any user.',
    fix: 'Accept only the algorithms that the service signs with.',
    run(list) {
      const { caller, principals } = list.service.client
      if (caller.kind !== 'principal') throw new Unchecked('no token was given')
      if (claimsOf(principals.get(caller.name)?.token ?? '') === undefined)
        throw new NotApplicable('the token is not a JSON Web Token')
      return refuses(list, { kind: 'unsigned', name: caller.name }, 'claims without a signature')
    },
  },
  {
    id: 'AUTH-5/expired',
    needs: ['AUTH-4/nobody'],
    rule: 'A token that has expired gets 401.',
    why: 'A stolen token must not work for ever.',
    fix: 'Check the claim exp of every token.',
    async run(list) {
      await privatePaths(list)
      const expired = [...list.service.client.principals.values()].filter((one) => one.expired === true)
      if (expired.length === 0)
        throw new Unchecked('no expired token was given. Give one with "expired": true in a target file')
      const found = await firstBreak(expired, async ({ name }) => {
        const outcome = await refuses(list, { kind: 'principal', name }, `the expired token of "${name}"`)
        return outcome.verdict === 'holds' ? undefined : outcome
      })
      return found ?? holds
    },
  },
  {
    id: 'AUTH-5/lifetime',
    rule: 'A JSON Web Token that is accepted has an expiry time.',
    why: 'A stolen token must not work for ever.',
    fix: 'Issue tokens with exp, and refuse tokens without exp.',
    async run(list) {
      const [path] = await privatePaths(list)
      const { caller, principals } = list.service.client
      const claims = caller.kind === 'principal' ? claimsOf(principals.get(caller.name)?.token ?? '') : undefined
      if (claims === undefined) throw new NotApplicable('the token is not a JSON Web Token')
      if (typeof own(claims, 'exp') === 'number') return holds
      const exchange = await list.send('GET', path as string)
      return exchange.answer.status === 200 ? breaks('401 for a token without "exp"', '200', exchange) : holds
    },
  },
  {
    id: 'AUTH-4/own-methods',
    rule: '`Allow` lists only the methods that this caller may use: a caller that may only read sees no write methods.',
    why: 'Clients read `Allow` to show their users the possible actions.',
    fix: 'List in Allow only the methods that the caller may use.',
    async run(list) {
      const readers = [...list.service.client.principals.values()].filter(({ readOnly }) => readOnly === true)
      if (readers.length === 0)
        throw new Unchecked(
          'no principal with read-only access was given. Give one with "readOnly": true in a target file',
        )
      const found = await firstBreak(readers, async ({ name, forbidden = [] }) => {
        if (forbidden.includes(list.target.template)) return undefined
        const exchange = await list.send('OPTIONS', list.path, { caller: { kind: 'principal', name } })
        const wrong = expectStatus(exchange, [200, 204], `OPTIONS ${list.path}`)
        if (wrong !== undefined) return wrong
        const writes = [...allowedBy(exchange)].filter((one) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(one))
        return writes.length === 0
          ? undefined
          : breaks(`no write methods for "${name}", which may only read`, writes.join(', '), exchange)
      })
      return found ?? holds
    },
  },
]

/**
 * Checks of requests without credentials, of requests with altered or forged tokens, and of
 * requests by callers without permission (AUTH-4, AUTH-5). Also checks that responses to
 * authenticated requests are private, and are revalidated before each use (HDR-6).
 */
import { canonicalText, isList, isObject, type JsonObject, own } from '../../definition/json.js'
import { header, parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import { type Caller, nobody } from '../client/exchange.js'
import { itemsOf, type Listing } from '../listing.js'
import { breaks, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { expectStatus, firstBreak } from './expecting.js'

/**
 * The paths that need credentials: the path of the list and, if items can be read and the members
 * of their id are known, the path of one item. Throws `NotApplicable` if the collection is public,
 * and `Unchecked` if no token was given or if there are no items.
 */
export async function privatePaths(list: Listing): Promise<readonly string[]> {
  const { client } = list.service
  if (!list.target.secured) throw new NotApplicable(`${list.target.template} needs no credentials`)
  if (client.caller.kind === 'nobody') throw new Unchecked('no token was given')
  return [
    list.path,
    ...(list.target.itemMethods.includes('GET') && list.target.key !== undefined ? [await list.anItem()] : []),
  ]
}

/**
 * Checks that GET of the list returns 401 to `caller`. If items can be read, also checks GET of an
 * item. `who` describes the caller in reports.
 */
export async function refuses(list: Listing, caller: Caller, who: string): Promise<Outcome> {
  const found = await firstBreak(await privatePaths(list), async (path) =>
    expectStatus(await list.send('GET', path, { caller }), [401], who),
  )
  return found ?? holds
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token without a signature, valid until the year 2100. */
const unsigned = `${base64url({ alg: 'none', typ: 'JWT' })}.${base64url({ sub: 'check', scope: '*:read *:write', exp: 4_102_444_800 })}.`

export const accessChecks: readonly ListCheck[] = [
  {
    id: 'AUTH-4/nobody',
    rule: 'Without credentials, the response is 401.',
    why: 'Private data must not be public.',
    fix: 'Authenticate each request before processing it.',
    run: (list) => refuses(list, nobody, 'a request without credentials'),
  },
  {
    id: 'AUTH-4/challenge',
    needs: ['AUTH-4/nobody'],
    rule: 'A 401 names the accepted credentials in `WWW-Authenticate`.',
    why: 'Clients choose credentials by this field, and RFC 9110 requires it.',
    fix: 'Send WWW-Authenticate with every 401.',
    async run(list) {
      const [path] = await privatePaths(list)
      const exchange = await list.send('GET', path as string, { caller: nobody })
      const challenge = exchange.answer.field(header.wwwAuthenticate)
      return challenge === undefined ? breaks(`a field ${header.wwwAuthenticate}`, 'none', exchange) : holds
    },
  },
  {
    id: 'AUTH-5/altered',
    needs: ['AUTH-4/nobody'],
    rule: 'A token whose end was altered gets 401.',
    why: 'A client that can alter a token can act as any user.',
    fix: 'Verify the signature of every token.',
    run(list) {
      const { caller } = list.service.client
      if (caller.kind !== 'principal') throw new Unchecked('no token was given')
      return refuses(list, { kind: 'altered', name: caller.name }, 'a token whose end was altered')
    },
  },
  {
    id: 'AUTH-5/unsigned',
    needs: ['AUTH-4/nobody'],
    rule: 'A token with the algorithm "none" gets 401.',
    why: 'Anybody can make such a token.',
    fix: 'Accept only the algorithms that the service signs with.',
    run: (list) => refuses(list, { kind: 'forged', token: unsigned }, 'an unsigned token'),
  },
  {
    id: 'AUTH-4/forbidden',
    rule: 'A caller without permission gets 403, for the list and for its items.',
    why: 'The status tells the caller that it lacks permission, and that a new login would not help.',
    fix: 'Check the permission for every operation of the resource.',
    async run(list) {
      const refused = [...list.service.client.principals.values()].filter(({ forbidden = [] }) =>
        forbidden.includes(list.target.template),
      )
      if (refused.length === 0)
        throw new Unchecked('this check needs a principal that may not read the collection, and none was given')
      const found = await firstBreak(refused, async ({ name }) =>
        firstBreak(await privatePaths(list), async (path) => {
          const exchange = await list.send('GET', path, { caller: { kind: 'principal', name } })
          return expectStatus(exchange, [403], `GET ${path} by "${name}", which may not read it`)
        }),
      )
      return found ?? holds
    },
  },
  {
    id: 'AUTH-4/expansion',
    rule: '`expand` does not show records that the caller may not read.',
    why: 'Otherwise an expansion bypasses the permission.',
    fix: 'Check the permission for the resource of each expansion. Without permission, leave the link unexpanded.',
    run: checkExpansion,
  },
  {
    id: 'HDR-6/private',
    rule: 'A response to a request with credentials is private, and is revalidated before each use.',
    why: 'A shared cache must not serve the response to other clients.',
    fix: 'If a request has credentials, send Cache-Control: private, no-cache in the answer.',
    async run(list) {
      const found = await firstBreak(await privatePaths(list), async (path) => {
        const exchange = await list.send('GET', path)
        if (exchange.answer.status !== 200) throw new Unchecked(`GET ${path} got ${exchange.answer.status}`)
        const control = (exchange.answer.field(header.cacheControl) ?? '').toLowerCase()
        if (/\bno-store\b/.test(control)) return undefined
        if (/\bprivate\b/.test(control) && /\bno-cache\b|\bmax-age=0\b/.test(control)) return undefined
        return breaks(
          'Cache-Control with private and no-cache, or no-store',
          control === '' ? 'no such field' : control,
          exchange,
        )
      })
      return found ?? holds
    },
  },
]

/**
 * Checks that `expand` does not show a record for which the caller gets 403. The link to this
 * record must stay unexpanded.
 */
async function checkExpansion(list: Listing): Promise<Outcome> {
  const { principals, caller } = list.service.client
  const others = [...principals.keys()].filter((name) => caller.kind !== 'principal' || name !== caller.name)
  const names = list.target.expand ?? []
  if (names.length === 0) throw new NotApplicable(`${list.target.template} has nothing to expand`)
  if (others.length === 0) throw new Unchecked('fewer than two principals were given')
  let compared = 0
  for (const name of others) {
    const as = { caller: { kind: 'principal', name } as const }
    for (const member of names) {
      const [plain, expanded] = [await list.list('', as), await list.list({ [parameter.expand]: member }, as)]
      if (plain.answer.status !== 200) continue
      const [brief, full] = [
        itemsOf(plain)[0]?.[member],
        isList(expanded.answer.json) ? own(expanded.answer.json[0], member) : undefined,
      ]
      if (!isObject(brief) || typeof brief.href !== 'string' || !list.service.owns(brief.href)) continue
      const itself = await list.service.client.send('GET', list.service.addressOf(brief.href), as)
      if (itself.answer.status !== 403) continue
      compared += 1
      if (expanded.answer.status !== 200) continue
      const more = Object.keys(isObject(full) ? full : {}).find((one) => !(one in (brief as JsonObject)))
      if (more !== undefined && canonicalText(brief) !== canonicalText(full))
        return breaks(
          `only the link in "${member}", because "${name}" gets 403 for the linked record`,
          `"${member}.${more}"`,
          itself,
          expanded,
        )
    }
  }
  if (compared === 0)
    throw new Unchecked(
      'this check needs a principal that can read the list but gets 403 for a linked record, and none was given',
    )
  return holds
}

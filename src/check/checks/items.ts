/**
 * Checks of items and URLs: GET, HEAD, OPTIONS, and the rule that a resource has only one URL
 * (VERB-1, VERB-7..9, ERR-1, PATH-11).
 */
import { isObject } from '../../definition/json.js'
import { header, parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf, type Listing } from '../listing.js'
import { breaks, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { describe, expectStatus, firstBreak } from './expecting.js'

/** The methods in the header field `Allow`. */
export const allowedBy = ({ answer }: Exchange): ReadonlySet<string> =>
  new Set(
    (answer.field(header.allow) ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )

export function needsGet({ target }: Listing): void {
  if (!target.itemMethods.includes('GET')) throw new NotApplicable(`items of ${target.template} cannot be read`)
}

/**
 * The value of a header field, for comparing the responses to GET and HEAD. Only the media type of
 * `Content-Type` is compared, because a response without a body may omit parameters such as
 * `charset`.
 */
const comparable = ({ answer }: Exchange, name: string): string | undefined =>
  name === header.contentType ? answer.type : answer.field(name)

/**
 * The header fields that must be equal in the responses to HEAD and GET of a list. If the response
 * to GET has an entity tag, the response to HEAD must have one too. The two tags may differ,
 * because the list may have changed in between.
 */
const listFields = [header.totalCount, header.link, header.contentType]

export const itemChecks: readonly ListCheck[] = [
  {
    id: 'VERB-1/item',
    rule: 'An item of a list can be read at its URL.',
    why: 'Clients use the id in a list to read the item.',
    fix: 'Answer 200 with the representation of the item.',
    async run(list) {
      needsGet(list)
      const exchange = await list.send('GET', await list.anItem())
      const { status, json } = exchange.answer
      if (status === 200 && isObject(json)) return holds
      return breaks('200 with a JSON object', describe(exchange), exchange)
    },
  },
  {
    id: 'ERR-1/missing-item',
    rule: 'GET of an item that does not exist returns 404.',
    why: 'Clients distinguish missing items from failures by this status.',
    fix: 'Answer 404 if no record has the id.',
    async run(list) {
      needsGet(list)
      const exchange = await list.send('GET', await list.aMissingItem())
      return expectStatus(exchange, [404], 'an item that does not exist') ?? holds
    },
  },
  {
    id: 'VERB-8/item',
    rule: 'HEAD of an existing item returns 302 without `Location`.',
    why: 'Clients use HEAD to check whether an item exists, and must not be redirected.',
    fix: 'Answer HEAD of an item with 302, and without Location.',
    async run(list) {
      needsGet(list)
      const exchange = await list.send('HEAD', await list.anItem())
      const wrong = expectStatus(exchange, [302], 'HEAD of an existing item')
      if (wrong !== undefined) return wrong
      const location = exchange.answer.field(header.location)
      return location === undefined ? holds : breaks('no Location', `Location: ${location}`, exchange)
    },
  },
  {
    id: 'VERB-8/missing-item',
    rule: 'HEAD of an item that does not exist returns 404.',
    why: 'Clients use HEAD to check whether an item exists.',
    fix: 'Look the item up before answering HEAD.',
    async run(list) {
      needsGet(list)
      const exchange = await list.send('HEAD', await list.aMissingItem())
      return expectStatus(exchange, [404], 'HEAD of an item that does not exist') ?? holds
    },
  },
  {
    id: 'VERB-8/list',
    rule: 'HEAD of a list returns the header fields of the list.',
    why: 'Clients read the total with HEAD, without the items.',
    fix: 'Answer HEAD of a list as GET, without the body.',
    async run(list) {
      const [get, head] = [await list.list(), await list.send('HEAD', list.path)]
      const wrong = expectStatus(head, [get.answer.status], 'HEAD of a list, the same as for GET')
      if (wrong !== undefined) return wrong
      const other = listFields.find((name) => comparable(get, name) !== comparable(head, name))
      if (get.answer.field(header.etag) !== undefined && head.answer.field(header.etag) === undefined)
        return breaks('a field Etag, because the response to GET has one', 'none', get, head)
      if (other === undefined) return holds
      return breaks(
        `${other}: ${get.answer.field(other) ?? '(absent)'}`,
        `${other}: ${head.answer.field(other) ?? '(absent)'}`,
        get,
        head,
      )
    },
  },
  {
    id: 'VERB-9/options',
    rule: 'OPTIONS lists the methods of a URL in `Allow`.',
    why: 'Clients and tools use OPTIONS to find out the available methods.',
    fix: 'Answer OPTIONS with 200 or 204, and with every method of the address in Allow.',
    async run(list) {
      const places: (readonly [string, readonly string[]])[] = [[list.path, list.target.methods]]
      if (list.target.itemMethods.length > 0) places.push([await list.anItem(), list.target.itemMethods])
      const found = await firstBreak(places, async ([path, documented]) => {
        const exchange = await list.send('OPTIONS', path)
        const wrong = expectStatus(exchange, [200, 204], `OPTIONS ${path}`)
        if (wrong !== undefined) return wrong
        // DELETE in the `Allow` of a list is accepted here, because the check VERB-7/offered
        // reports it.
        return exactAllow(exchange, path === list.path ? [...documented, 'DELETE'] : documented)
      })
      return found ?? holds
    },
  },
  {
    id: 'VERB-7/offered',
    rule: 'DELETE of a whole collection is never offered.',
    why: 'A client that omits an id by mistake must not delete everything.',
    fix: 'Offer DELETE for items only.',
    async run(list) {
      const exchange = await list.send('OPTIONS', list.path)
      if (exchange.answer.status >= 300) throw new Unchecked(`OPTIONS got ${exchange.answer.status}`)
      return allowedBy(exchange).has('DELETE') ? breaks('no DELETE in Allow', 'DELETE in Allow', exchange) : holds
    },
  },
  {
    id: 'PATH-11/case',
    rule: 'Segments of paths are case-sensitive.',
    why: 'If a resource has two addresses, caches and permission rules may miss one of them.',
    fix: 'Match paths case-sensitively. In Express: app.set("case sensitive routing", true).',
    async run(list) {
      const path = list.path.replace(/[^/]*$/, (last) => last.toUpperCase())
      if (path === list.path) throw new NotApplicable(`the last segment of ${list.path} has no lower-case letter`)
      return expectStatus(await list.send('GET', path), [404], `GET ${path}`) ?? holds
    },
  },
  {
    id: 'PATH-11/slash',
    needs: ['VERB-1/list'],
    rule: 'A trailing slash makes no difference.',
    why: 'Clients build addresses from parts, with and without a slash at the end.',
    fix: 'Answer addresses with and without a trailing slash in the same way.',
    async run(list) {
      const exchange = await list.send('GET', `${list.path}/`)
      return expectStatus(exchange, [200], `GET ${list.path}/`) ?? holds
    },
  },
  {
    id: 'PATH-11/encoded',
    needs: ['VERB-1/item'],
    rule: 'An id with reserved characters such as `/` and `%` is found at its percent-encoded URL.',
    why: 'Software that decodes an address twice, such as a gateway, changes the id.',
    fix: 'Split the path at its slashes first, and then decode each segment once.',
    async run(list) {
      needsGet(list)
      const size = Math.min(list.target.largest ?? 25, 100)
      const items = itemsOf(await list.list({ [parameter.size]: size }))
      const having = (odd: RegExp) => items.find((one) => odd.test(list.idOf(one)))
      const item = having(/\//) ?? having(/[%?#]/)
      if (item === undefined) throw new NotApplicable('no item that was read has an id with reserved characters')
      const exchange = await list.send('GET', list.pathOf(item))
      const { json } = exchange.answer
      const wrong = expectStatus(exchange, [200], `GET ${list.pathOf(item)}`)
      if (wrong !== undefined) return wrong
      if (isObject(json) && list.idOf(json) === list.idOf(item)) return holds
      return breaks(`the item ${list.idOf(item)}`, 'another item', exchange)
    },
  },
  {
    id: 'PATH-11/leading-zero',
    needs: ['ERR-1/missing-item'],
    rule: 'An id has one spelling: `03` is not `3`.',
    why: 'If an item has two addresses, caches and permission rules may miss one of them.',
    fix: 'Accept a number in a path only in the spelling that links use.',
    async run(list) {
      needsGet(list)
      const [item] = await list.items()
      const id = list.idOf(item as Parameters<Listing['idOf']>[0])
      if (!/^[1-9]\d*$/.test(id)) throw new NotApplicable('ids are not numbers')
      return expectStatus(await list.send('GET', `${list.path}/0${id}`), [404, 400], `GET ${list.path}/0${id}`) ?? holds
    },
  },
]

/**
 * Checks that `Allow` lists GET and HEAD if the OpenAPI document has GET, and that the document has
 * every write method in `Allow`. A write method of the document may be missing in `Allow`, because
 * the caller may lack the permission to use it.
 */
function exactAllow(exchange: Exchange, documented: readonly string[]): Outcome | undefined {
  const allow = exchange.answer.field(header.allow)
  if (allow === undefined) return breaks('a field Allow', 'none', exchange)
  const allowed = allowedBy(exchange)
  const lacking = documented.includes('GET') ? ['GET', 'HEAD'].find((name) => !allowed.has(name)) : undefined
  if (lacking !== undefined) return breaks(`${lacking} in Allow`, `Allow: ${allow}`, exchange)
  const writes = documented.filter((name) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(name))
  const offered = [...allowed].filter((name) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(name))
  const strange = offered.find((name) => !writes.includes(name))
  return strange === undefined
    ? undefined
    : breaks(`no ${strange} in Allow, because the document does not have it`, `Allow: ${allow}`, exchange)
}

/** Checks of links in bodies (REP-7). They change only records that they have created. */
import { isObject } from '../../definition/json.js'
import { parameter } from '../../wire.js'
import type { WriteCheck } from '../check.js'
import { expectStatus, firstBreak } from '../checks/expecting.js'
import { type FoundLink, linksOf } from '../checks/links.js'
import type { Exchange } from '../client/exchange.js'
import { missingId } from '../listing.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { changing, ifMatch, newRecord, otherMember, putBack } from './changes.js'
import type { Owner, OwnRecord } from './own-record.js'

/**
 * Finds links in a new record. The result contains only links in members that POST accepts, and
 * only links to items of this service. Throws `NotApplicable` if there are none.
 */
async function writableLinks({ list, creation }: Owner, value: object): Promise<readonly FoundLink[]> {
  const { members, body = {} } = creation
  const found: FoundLink[] = []
  for (const one of linksOf({ ...value })) {
    if (!(members.includes(one.name) || one.name in body) || !list.service.owns(one.href)) continue
    const { status, json } = (await list.service.client.send('GET', list.service.addressOf(one.href))).answer
    if (status === 200 && isObject(json)) found.push(one)
  }
  if (found.length === 0) throw new NotApplicable(`bodies of ${list.target.template} have no links to items`)
  return found
}

/** Sends a request that changes the `href` of a link. */
async function changeLink(owner: Owner, own: OwnRecord, { name }: FoundLink, href: string): Promise<Exchange> {
  const { tag } = await owner.current(own)
  const { method, options } = changing(owner, own, { [name]: { href } }, ifMatch(tag))
  return owner.send(method, own, options)
}

export const linkWriteChecks: readonly WriteCheck[] = [
  {
    id: 'REP-7/expanded',
    needs: ['VERB-3/unchanged', 'REP-2/full'],
    rule: 'PUT accepts the result of GET with expanded links, and changes nothing.',
    why: 'Clients read an item with expanded links, change one member and send the whole item back.',
    fix: 'Read the target of a link from its href or its key, and ignore the other members of the link.',
    async run(owner) {
      const { itemExpand: names, template } = owner.list.target
      if (names?.length === 0) throw new NotApplicable(`items of ${template} have no expandable links`)
      if (names === undefined)
        throw new Unchecked(
          'the document does not list the values of "expand" for an item. Give "itemExpand" in a target file',
        )
      const record = await newRecord(owner, 'PUT')
      const url = `${record.own.address}?${parameter.expand}=${names.map(encodeURIComponent).join()}`
      const expanded = await owner.list.service.client.send('GET', url)
      const whole = expanded.answer.json
      if (expanded.answer.status !== 200 || !isObject(whole))
        throw new Unchecked(`GET ${url} got ${expanded.answer.status}`)
      if (otherMember(record.value, whole) === undefined) throw new Unchecked('a new item has no expanded link')
      return putBack(owner, record, expanded, 'the result of GET with expanded links')
    },
  },
  {
    id: 'REP-7/href',
    needs: ['VERB-3/unchanged', 'VERB-5/merge'],
    rule: 'A link in a body needs only its `href`.',
    why: 'Clients know the address of the target of a link, not its key.',
    fix: 'Find the target of a link by the path of its href.',
    async run(owner) {
      const { own, value } = await newRecord(owner)
      const links = await writableLinks(owner, value)
      const seen = (await owner.list.items()).flatMap(linksOf)
      const found = await firstBreak(links, async (link) => {
        const same = await changeLink(owner, own, link, link.href)
        const wrong = expectStatus(same, [200], `a body with the current href of the link "${link.name}"`)
        if (wrong !== undefined) return wrong
        const other = seen.find(({ name, href }) => name === link.name && href !== link.href)?.href
        if (other === undefined) return undefined
        const change = await changeLink(owner, own, link, other)
        const { status } = change.answer
        if (status === 403 || status === 422)
          throw new Unchecked(`${change.request.method} with another href got ${status}: a rule may forbid it`)
        const refused = expectStatus(change, [200], `a body with another href of the link "${link.name}"`)
        if (refused !== undefined) return refused
        const after = await owner.current(own)
        const now = after.value[link.name]
        if (isObject(now) && now.href === other) return undefined
        return breaks(`the sent href of the link "${link.name}"`, 'another link', change, after.exchange)
      })
      return found ?? holds
    },
  },
  {
    id: 'REP-7/missing',
    needs: ['REP-7/href', 'ERR-1/missing-item'],
    rule: 'A link to an item that does not exist gets 422.',
    why: 'A link without a target breaks each client that follows it.',
    fix: 'Look up the targets of links before storing them.',
    async run(owner) {
      const { own, value } = await newRecord(owner)
      const { service } = owner.list
      const found = await firstBreak(await writableLinks(owner, value), async (link) => {
        const href = link.href.replace(/[^/]*$/, missingId)
        const target = await service.client.send('GET', service.addressOf(href))
        if (target.answer.status !== 404) throw new Unchecked(`GET ${href} got ${target.answer.status}`)
        const change = await changeLink(owner, own, link, href)
        return expectStatus(change, [422], `the link "${link.name}" to an item that does not exist`)
      })
      return found ?? holds
    },
  },
]

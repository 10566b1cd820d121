/**
 * Checks that add items to an associated sub-collection and remove them (VERB-4). The checks use
 * only records that they have created.
 */
import type { WriteCheck } from '../check.js'
import { describe, expectStatus } from '../checks/expecting.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf, Listing } from '../listing.js'
import { listingOf } from '../listings.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { putDone } from './changes.js'
import { Owner, type OwnRecord } from './own-record.js'

/** A new item, and the sub-collection of a new parent. */
interface Pair {
  readonly item: OwnRecord
  readonly members: Listing
  /** The URL of the item in the sub-collection. */
  readonly address: string
  /** A URL in the sub-collection, with the id of an item that does not exist. */
  readonly missing: string
}

/**
 * Creates a parent and an item. Throws `NotApplicable` if the collection is not an associated
 * sub-collection, and `Unchecked` if the collection of the parent or of the item is not known.
 */
async function newPair({ list, ledger }: Owner): Promise<Pair> {
  const { service, target } = list
  if (target.associated !== true) throw new NotApplicable(`${target.template} is not an associated sub-collection`)
  const segments = target.template.split('/')
  const above = segments.slice(0, -2).join('/')
  const name = segments.at(-1) as string
  const { collections } = service.target
  const parentTarget = collections.find(({ template }) => template === above)
  const itemTarget = collections.find(
    ({ template }) => template !== target.template && template.split('/').at(-1) === name,
  )
  if (parentTarget === undefined || itemTarget === undefined)
    throw new Unchecked(
      `the check creates a parent and an item for ${target.template}, so their collections must be known`,
    )
  const parent = await new Owner(await listingOf(service, parentTarget), ledger).make()
  const items = await listingOf(service, itemTarget)
  const item = await new Owner(items, ledger).make()
  const members = new Listing(service, target, `${parent.address.slice(service.base.length)}/${name}`)
  const id = item.address.slice(item.address.lastIndexOf('/') + 1)
  const address = `${parent.address}/${name}/${id}`
  const missing = `${parent.address}/${name}/${(await items.aMissingItem()).split('/').at(-1)}`
  for (const one of [address, missing]) ledger.below(parent.address, one)
  return { item, members, address, missing }
}

/** Reads the sub-collection, and returns whether the item is in it. */
async function lists({ members, item }: Pair): Promise<{ readonly isThere: boolean; readonly exchange: Exchange }> {
  const exchange = await members.list()
  const id = item.address.slice(item.address.lastIndexOf('/') + 1)
  const isThere = itemsOf(exchange).some((one) => members.pathOf(one).endsWith(`/${id}`))
  return { isThere, exchange }
}

export const associationChecks: readonly WriteCheck[] = [
  {
    id: 'VERB-4/attach',
    rule: 'PUT without a body adds an existing item to the sub-collection of a parent. A second PUT changes nothing.',
    why: 'Clients can relate two items, and repeat the request after a lost response.',
    fix: 'Store the relation if it does not exist, and answer 204.',
    async run({ list, ledger }) {
      const pair = await newPair(new Owner(list, ledger))
      const { client } = list.service
      const put = await client.send('PUT', pair.address)
      const wrong = expectStatus(put, putDone, 'PUT of an item into the sub-collection')
      if (wrong !== undefined) return wrong
      const after = await lists(pair)
      if (!after.isThere)
        return breaks('the item in the list of the parent', 'a list without the item', put, after.exchange)
      const again = await client.send('PUT', pair.address)
      return expectStatus(again, putDone, 'the same PUT again') ?? holds
    },
  },
  {
    id: 'VERB-4/detach',
    needs: ['VERB-4/attach'],
    rule: "DELETE of an attached item removes it from the parent's sub-collection, and the item itself stays.",
    why: 'Clients can end a relation without deleting an item that others use.',
    fix: 'Delete the relation, not the item.',
    async run({ list, ledger }) {
      const pair = await newPair(new Owner(list, ledger))
      const { client } = list.service
      await client.send('PUT', pair.address)
      const removed = await client.send('DELETE', pair.address)
      const wrong = expectStatus(removed, [204, 200, 202], 'DELETE of an item from the sub-collection')
      if (wrong !== undefined) return wrong
      const item = await client.send('GET', pair.item.address)
      if (item.answer.status !== 200) return breaks('200 for GET of the item itself', describe(item), removed, item)
      const after = await lists(pair)
      return after.isThere ? breaks('a list without the item', 'the item', removed, after.exchange) : holds
    },
  },
  {
    id: 'VERB-4/missing',
    needs: ['VERB-4/attach'],
    rule: 'PUT into a sub-collection gets 404 if the item does not exist.',
    why: 'Without the 404, the client does not notice a wrong id.',
    fix: 'Look up both items before storing the relation.',
    async run({ list, ledger }) {
      const { missing } = await newPair(new Owner(list, ledger))
      return expectStatus(await list.service.client.send('PUT', missing), [404], 'PUT of a missing item') ?? holds
    },
  },
]

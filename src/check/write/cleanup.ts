/** Removes the records of the ledger, at the end of a run and after a run that was killed. */
import { header, parameter } from '../../wire.js'
import { itemsOf, Listing } from '../listing.js'
import { valueAt } from '../listings.js'
import type { Service } from '../service.js'
import { Unchecked } from '../verdict.js'
import type { Ledger, LedgerEntry } from './ledger.js'
import { isRefused, Owner, withJson } from './own-record.js'

/** A record that could not be removed, with the reason. */
export interface Leftover {
  readonly entry: LedgerEntry
  readonly because: string
}

/** Removes all remaining records. Records that can't be removed stay in the ledger. */
export async function cleanUp(service: Service, ledger: Ledger): Promise<readonly Leftover[]> {
  const left: Leftover[] = []
  // The latest records are removed first, so that children are removed before their parents.
  for (const entry of ledger.left.toReversed()) {
    try {
      if (entry.address === undefined) await removeOrphans(service, ledger, entry)
      else await remove(service, entry.address)
      ledger.done(entry.number)
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      left.push({ entry, because: error.message })
    }
  }
  return left
}

/**
 * Sends DELETE with the current entity tag. Throws `Unchecked` unless GET responds with 404
 * afterwards.
 */
async function remove({ client }: Service, address: string): Promise<void> {
  const before = await client.send('GET', address)
  if (before.answer.status === 404) return
  const tag = before.answer.field(header.etag)
  const { answer } = await client.send(
    'DELETE',
    address,
    tag === undefined ? {} : { headers: { [header.ifMatch]: tag } },
  )
  const after = await client.send('GET', address)
  if (after.answer.status !== 404)
    throw new Unchecked(`DELETE ${address} got ${answer.status}, but the record still exists`)
}

/**
 * Removes the records that a POST may have created although no response has given their URLs.
 * Searches for the marker of the records, or repeats the POST with its `Idempotency-Key`.
 */
async function removeOrphans(service: Service, ledger: Ledger, entry: LedgerEntry): Promise<void> {
  const { collections, unlisted = [] } = service.target
  const target = [...collections, ...unlisted].find(({ template }) => template === entry.collection)
  if (target === undefined || !entry.post.startsWith(service.base))
    throw new Unchecked(`${entry.collection} is not a collection of ${service.base}`)
  const list = new Listing(service, target, entry.post.slice(service.base.length))
  const member = target.create?.marker
  if (member !== undefined) return removeMarked(list, ledger, entry, member)
  const address = await addressByKey(list, ledger, entry)
  if (address !== undefined) await remove(service, address)
}

/** The maximum number of records with one marker. A race sends the same POST fewer times. */
const maxOrphans = 50

/**
 * Removes all records with the marker of an entry. Several records have the same marker if the same
 * POST was sent several times.
 */
async function removeMarked(list: Listing, ledger: Ledger, entry: LedgerEntry, member: string): Promise<void> {
  const { service } = list
  for (let n = 0; n < maxOrphans; n += 1) {
    const found = itemsOf(await list.list({ [member]: entry.marker, [parameter.size]: 1 })).find(
      (item) => valueAt(item, member) === entry.marker,
    )
    if (found === undefined) return
    const address = `${service.base}${list.pathOf(found)}`
    ledger.created(entry.number, address)
    await remove(service, address)
  }
  throw new Unchecked(`${entry.post}: the list still shows records with the marker ${entry.marker}`)
}

/**
 * Returns the URL of the record that a POST created, from the response to the same POST with the
 * same `Idempotency-Key`. Returns `undefined` if the POST is refused.
 */
async function addressByKey(list: Listing, ledger: Ledger, entry: LedgerEntry): Promise<string | undefined> {
  if (entry.key === undefined)
    throw new Unchecked(`${entry.post}: there is neither a marker nor a key to find the record`)
  const owner = new Owner(list, ledger)
  const exchange = await list.service.client.send(
    'POST',
    entry.post,
    withJson(entry.body, { [header.idempotencyKey]: entry.key }),
  )
  if (isRefused(exchange)) return undefined
  const address = owner.addressOf(exchange)
  if (address === undefined)
    throw new Unchecked(`${entry.post} has no address in its answer: ${exchange.answer.status}`)
  return (await owner.recordCreated(entry.number, address, exchange, entry.marker)).address
}

/** Removes the records of the ledger, at the end of a run and after a run that was killed. */
import { header, parameter } from '../../wire.js'
import { itemsOf, Listing } from '../listing.js'
import { valueAt } from '../listings.js'
import type { Service } from '../service.js'
import { Unchecked } from '../verdict.js'
import type { Ledger, LedgerEntry } from './ledger.js'
import { Owner, withJson } from './own-record.js'

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
    throw new Unchecked(`DELETE ${address} was answered ${answer.status}, and it is still there`)
}

/** The maximum number of records with one marker. A race sends the same POST fewer times. */
const maxOrphans = 50

/**
 * Removes the records that a POST may have created although no response has given their URLs.
 * Several records have the same marker if the same POST was sent several times.
 */
async function removeOrphans(service: Service, ledger: Ledger, entry: LedgerEntry): Promise<void> {
  for (let n = 0; n < maxOrphans; n += 1) {
    const orphan = await findOrphan(service, ledger, entry)
    if (orphan === undefined) return
    await remove(service, orphan.address)
    if (!orphan.mayHaveMore) return
  }
  throw new Unchecked(`${entry.post}: the list still shows records with the marker ${entry.marker}`)
}

/** A record whose URL no response has given. */
interface Orphan {
  readonly address: string
  /** Whether a search may find further records of the same POST. */
  readonly mayHaveMore: boolean
}

/**
 * Finds the record that a POST may have created although the response to the POST was lost.
 * Searches for the marker of the record, or repeats the POST with its `Idempotency-Key`. Returns
 * the record, or `undefined` if the POST has created none.
 */
async function findOrphan(service: Service, ledger: Ledger, entry: LedgerEntry): Promise<Orphan | undefined> {
  const { collections, unlisted = [] } = service.target
  const target = [...collections, ...unlisted].find(({ template }) => template === entry.collection)
  if (target === undefined || !entry.post.startsWith(service.base))
    throw new Unchecked(`${entry.collection} is not a collection of ${service.base}`)
  const list = new Listing(service, target, entry.post.slice(service.base.length))
  const member = target.create?.marker
  if (member !== undefined) {
    const found = itemsOf(await list.list({ [member]: entry.marker, [parameter.size]: 1 })).find(
      (item) => valueAt(item, member) === entry.marker,
    )
    if (found === undefined) return undefined
    const address = `${service.base}${list.pathOf(found)}`
    ledger.created(entry.number, address)
    return { address, mayHaveMore: true }
  }
  if (entry.key === undefined)
    throw new Unchecked(`${entry.post}: there is neither a marker nor a key to find the record`)
  const owner = new Owner(list, ledger)
  const exchange = await service.client.send(
    'POST',
    entry.post,
    withJson(entry.body, { [header.idempotencyKey]: entry.key }),
  )
  if (exchange.answer.status >= 400 && exchange.answer.status < 500) return undefined
  const address = owner.addressOf(exchange)
  if (address === undefined)
    throw new Unchecked(`${entry.post} has no address in its answer: ${exchange.answer.status}`)
  const own = await owner.recordCreated(entry.number, address, exchange, entry.marker)
  return { address: own.address, mayHaveMore: false }
}

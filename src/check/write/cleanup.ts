/** Removes the records of the ledger, at the end of a run and after a run that was killed. */
import { isObject, type JsonObject, own } from '../../definition/json.js'
import { header, parameter } from '../../wire.js'
import { Limited } from '../client/client.js'
import { itemsOf, Listing } from '../listing.js'
import type { Service } from '../service.js'
import type { CollectionTarget } from '../target/target.js'
import { Unchecked } from '../verdict.js'
import type { Ledger, LedgerEntry } from './ledger.js'
import { isMarked, isRefused, markerStem, Owner, withJson } from './own-record.js'

/** A record that could not be removed, with the reason. */
export interface Leftover {
  readonly entry: LedgerEntry
  readonly because: string
}

/**
 * Removes the remaining records of the ledger. Resolves to the records that could not be removed.
 * Their entries in the ledger stay open. If the service responds with 429, and a retry is not
 * possible or does not help, the cleanup sends no further request.
 */
export async function cleanUp(service: Service, ledger: Ledger): Promise<readonly Leftover[]> {
  const left: Leftover[] = []
  let limit: string | undefined
  // The latest records are removed first, so that children are removed before their parents.
  for (const entry of ledger.left.toReversed()) {
    if (limit !== undefined) {
      left.push({ entry, because: `the cleanup has stopped: ${limit}` })
      continue
    }
    try {
      if (entry.address === undefined) await removeOrphans(service, ledger, entry)
      else if (ledger.isCertain(entry.address)) await remove(service, entry.address)
      else await removeIfOurs(service, ledger, entry.address)
      ledger.done(entry.number)
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error
      if (error instanceof Limited) limit = error.message
      left.push({ entry, because: error.message })
    }
  }
  return left
}

/**
 * Removes the record at a URL of the ledger, unless it may be the record of another client: a
 * service may reuse the id of a deleted record. Throws `Unchecked` if the record has neither the
 * marker nor the sent values of an entry.
 */
async function removeIfOurs(service: Service, ledger: Ledger, address: string): Promise<void> {
  const { status, json } = (await service.client.send('GET', address)).answer
  if (status === 404) return
  const entries = ledger.left.filter((entry) => entry.address === address)
  if (isObject(json) && entries.some((entry) => isRecordOf(service, entry, json))) return remove(service, address)
  throw new Unchecked(
    `GET ${address} got ${status} without the marker or the sent values, so this may be the record of another client`,
  )
}

/**
 * Whether a record has the marker of the entry, except for the last two digits, which a check may
 * have changed. If the target names no `marker` member for the collection, only the `unique`
 * members contain the marker. In this case, the record must have all strings, numbers and booleans
 * that were sent. A member without the marker may also be null, because a check may have set it to
 * null.
 */
function isRecordOf(service: Service, { collection, marker, body }: LedgerEntry, shown: JsonObject): boolean {
  const member = targetOf(service, collection)?.create?.marker
  return member === undefined
    ? isMarked(shown, body, marker, true)
    : String(own(shown, member)).startsWith(markerStem(marker))
}

const targetOf = (
  { target: { collections, unlisted = [] } }: Service,
  template: string,
): CollectionTarget | undefined => [...collections, ...unlisted].find((target) => target.template === template)

/**
 * Removes a record, if it exists. The DELETE has the current entity tag, if there is one. Throws
 * `Unchecked` unless GET responds with 404 at the end.
 */
async function remove({ client }: Service, address: string): Promise<void> {
  const before = await client.send('GET', address)
  if (before.answer.status === 404) return
  const tag = before.answer.field(header.etag)
  // A second DELETE has no further effect, so a DELETE may be retried.
  const { answer } = await client.send('DELETE', address, {
    retries: true,
    ...(tag === undefined ? {} : { headers: { [header.ifMatch]: tag } }),
  })
  const after = await client.send('GET', address)
  if (after.answer.status !== 404)
    throw new Unchecked(`DELETE ${address} got ${answer.status}, and GET got ${after.answer.status} afterwards`)
}

/**
 * Removes the records that a POST of the ledger may have created, if their URLs are not known.
 * Searches for the marker of the records, or repeats the POST with its `Idempotency-Key`.
 */
async function removeOrphans(service: Service, ledger: Ledger, entry: LedgerEntry): Promise<void> {
  const target = targetOf(service, entry.collection)
  if (target === undefined || !entry.post.startsWith(service.base))
    throw new Unchecked(`${entry.collection} is not a collection of ${service.base}`)
  const list = new Listing(service, target, entry.post.slice(service.base.length))
  const member = target.create?.marker
  if (member !== undefined) return removeMarked(list, ledger, entry, member)
  const address = await addressByKey(list, ledger, entry)
  if (address !== undefined) await remove(service, address)
}

/**
 * The cleanup removes at most this number of records with the same marker. A check that runs a race
 * sends the same POST fewer times than this.
 */
const maxOrphans = 50

/**
 * Removes all records with the marker of an entry. Several records have the same marker if the same
 * POST was sent several times.
 */
async function removeMarked(list: Listing, ledger: Ledger, entry: LedgerEntry, member: string): Promise<void> {
  const { service } = list
  for (let n = 0; n < maxOrphans; n += 1) {
    const found = itemsOf(await list.list({ [member]: entry.marker, [parameter.size]: 1 })).find(
      (item) => own(item, member) === entry.marker,
    )
    if (found === undefined) return
    const address = `${service.base}${list.pathOf(found)}`
    const { status, json } = (await service.client.send('GET', address)).answer
    // A list may show a record for a moment after its removal.
    if (status === 404) continue
    if (own(json, member) !== entry.marker)
      throw new Unchecked(`${address} does not show the marker ${entry.marker}, so it may be another record`)
    ledger.created(entry.number, address)
    await remove(service, address)
  }
  throw new Unchecked(`${entry.post}: the list still shows records with the marker ${entry.marker}`)
}

/**
 * Repeats a POST with its `Idempotency-Key`, and returns the URL of the record that the POST has
 * created. Returns `undefined` if the repeated POST is refused.
 */
async function addressByKey(list: Listing, ledger: Ledger, entry: LedgerEntry): Promise<string | undefined> {
  if (entry.key === undefined)
    throw new Unchecked(
      `${entry.post}: there is no marker to search for, and no Idempotency-Key to repeat the POST with`,
    )
  const owner = new Owner(list, ledger)
  const exchange = await list.service.client.send(
    'POST',
    entry.post,
    withJson(entry.body, { [header.idempotencyKey]: entry.key }),
  )
  if (isRefused(exchange)) return undefined
  const address = owner.addressOf(exchange)
  if (address === undefined)
    throw new Unchecked(`POST ${entry.post} got ${exchange.answer.status} without an address of a new item`)
  return (await owner.recordCreated(entry.number, address, exchange, entry.marker)).address
}

/**
 * The checks of flags. They create records, and set and unset the flags of these records (PATH-8).
 */
import type { WriteCheck } from '../check.js'
import { describe, firstBreak } from '../checks/expecting.js'
import { flagsOf } from '../checks/flags.js'
import type { Exchange } from '../client/exchange.js'
import type { Flag } from '../target/target.js'
import { breaksBy, type Evidence, holds, type Outcome, Unchecked } from '../verdict.js'
import { ifMatch, putDone } from './changes.js'
import type { Owner, OwnRecord } from './own-record.js'

/** The statuses of a successful DELETE. */
const unset = [204, 200, 202]

/** Enters the URL of a flag of a new record into the ledger, and returns this URL. */
function newFlag({ ledger }: Owner, own: OwnRecord, { name }: Flag): string {
  const address = `${own.address}/${name}`
  ledger.below(own.address, address)
  return address
}

/** Creates a record, and calls `look` with each of its flags until one breaks the rule. */
async function eachFlag(
  owner: Owner,
  look: (flag: Flag, address: string, own: OwnRecord) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  const flags = flagsOf(owner.list)
  const own = await owner.make()
  const found = await firstBreak(flags, async (flag) => look(flag, newFlag(owner, own, flag), own))
  return found ?? holds
}

/** Returns a violation unless the last response has one of the expected statuses. */
function lastIs(expected: readonly number[], what: string, ...evidence: Evidence): Outcome | undefined {
  const last = evidence.at(-1) as Exchange
  if (expected.includes(last.answer.status)) return undefined
  const sign = { kind: 'status', answer: evidence.length - 1, expected } as const
  return breaksBy(sign, `${expected.join(' or ')} for ${what}`, describe(last), ...evidence)
}

/**
 * Throws `Unchecked` for 403 and 422, because a rule of the service may forbid this change of this
 * record.
 */
function needsChange({ request, answer: { status } }: Exchange): void {
  if (status === 403 || status === 422)
    throw new Unchecked(`${request.method} of a flag was refused with ${status}: a rule of the service may forbid it`)
}

export const flagWriteChecks: readonly WriteCheck[] = [
  {
    id: 'PATH-8/set',
    rule: 'PUT without a body sets a flag. A second PUT changes nothing.',
    why: 'Clients can repeat the request after a lost response.',
    fix: 'Store that the flag is set, and answer 204, even if it was set before.',
    run: (owner) =>
      eachFlag(owner, async ({ methods }, address) => {
        const { client } = owner.list.service
        const put = await client.send('PUT', address)
        needsChange(put)
        const wrong = lastIs(putDone, 'PUT of a flag', put)
        if (wrong !== undefined) return wrong
        if (methods.includes('GET')) {
          const after = await client.send('GET', address)
          // Only 404 breaks this rule. The check PATH-8/read is about the other statuses.
          if (after.answer.status === 404) return lastIs([204], 'GET of a flag that was set', put, after)
        }
        return lastIs(putDone, 'the same PUT again', put, await client.send('PUT', address))
      }),
  },
  {
    id: 'PATH-8/unset',
    needs: ['PATH-8/set'],
    rule: 'DELETE unsets a flag, and the item stays. A second DELETE changes nothing.',
    why: 'Clients can repeat the request after a lost response.',
    fix: 'Store that the flag is not set, and answer 204, even if it was not set before.',
    run: (owner) =>
      eachFlag(owner, async ({ methods }, address, own) => {
        const { client } = owner.list.service
        const put = await client.send('PUT', address)
        if (put.answer.status >= 300) throw new Unchecked(`PUT of a flag got ${put.answer.status}`)
        const removed = await client.send('DELETE', address)
        needsChange(removed)
        const wrong = lastIs(unset, 'DELETE of a flag', put, removed)
        if (wrong !== undefined) return wrong
        const lost = lastIs([200], 'GET of the item after DELETE of its flag', removed, await owner.send('GET', own))
        if (lost !== undefined) return lost
        if (methods.includes('GET')) {
          const after = await client.send('GET', address)
          const still = lastIs([404], 'GET of a flag that was unset', put, removed, after)
          if (still !== undefined) return still
        }
        return lastIs(unset, 'the same DELETE again', put, removed, await client.send('DELETE', address))
      }),
  },
  {
    id: 'PATH-8/tag',
    needs: ['PATH-8/set', 'PATH-8/unset', 'HDR-3/stale'],
    rule: 'A flag has the tag of its item: a change of the flag with an outdated tag gets 412.',
    why: 'If the item has changed in the meantime, the client must read the item again before it sets a flag.',
    fix: 'Compare If-Match with the tag of the item, and change the version of the item with each change of a flag.',
    run: (owner) =>
      eachFlag(owner, async (_flag, address, own) => {
        const { client } = owner.list.service
        const first = await client.send('DELETE', address)
        const { tag } = await owner.current(own)
        const put = await client.send('PUT', address, { headers: ifMatch(tag) })
        if (first.answer.status >= 300) throw new Unchecked(`DELETE of a flag got ${first.answer.status}`)
        const wrong = lastIs(putDone, 'PUT of a flag with the current tag of its item', first, put)
        if (wrong !== undefined) return wrong
        if ((await owner.current(own)).tag === tag)
          throw new Unchecked('the tag of the item does not change with the flag')
        const stale = await client.send('DELETE', address, { headers: ifMatch(tag) })
        return lastIs([412], 'DELETE of a flag with an outdated tag', first, put, stale)
      }),
  },
]

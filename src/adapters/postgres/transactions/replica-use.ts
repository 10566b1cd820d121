/**
 * Reads from replicas that always show a client its own writes. For each client that has written, a
 * position in the write-ahead log (`pg_lsn`) is kept. The position is never part of a tag.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isPromise } from '../../../promise.js'
import { withTimeout } from '../../../timeout.js'
import type { AdapterCall } from '../../contract.js'
import type { Database } from '../connections/client.js'
import type { ReplicaUse } from '../connections/database.js'
import type { ReplicaOptions, ReplicaPositions } from '../options/options.js'
import { ProcessPositions, unknownPosition } from './positions.js'
import { waitOf } from './statements.js'

/** The timeouts of reading and of storing a position, in milliseconds. */
const askTime = 1_000

/** Milliseconds between two attempts to store a position. */
const retryPause = 100

/**
 * The stores of positions of each primary. A write of any resource may change what another one shows,
 * by a link, a view or a trigger, so each write raises its client's position in all of them.
 */
const storesOf = new WeakMap<object, Set<ReplicaPositions>>()
const inProcess = new WeakMap<object, ProcessPositions>()

/**
 * The replica rules that a resource opts into; `undefined` for none. Without a store for positions,
 * all resources over one client `primary` share those of this process.
 */
export function replicaUse(options: boolean | ReplicaOptions | undefined, primary: object): ReplicaUse | undefined {
  if (options === undefined || options === false) return undefined
  const { ownWrites = true, verified = true, positions = processPositions(primary) } = options === true ? {} : options
  if (ownWrites) storesFor(primary).add(positions)
  return {
    verified,
    needs(call) {
      if (call.fresh || (verified && call.current)) return 'primary'
      return ownWrites ? positionOf(positions, call) : undefined
    },
    floor: () => (ownWrites ? positions.floor?.() : undefined),
  }
}

/** Whether positions are kept for the clients that write to this primary. */
export const keepsPositions = (primary: object): boolean => storesOf.has(primary)

/**
 * Raises the position of the call's client before the client gets the response. `isKnown`: the
 * write has ended. A write whose outcome is unknown may still be committed, as may a transaction of
 * the caller's.
 */
export async function raisePosition(
  primary: object,
  database: Database,
  call: AdapterCall,
  isKnown: boolean,
): Promise<void> {
  const position = isKnown ? await primaryPosition(database, call) : unknownPosition
  const stores = [...(storesOf.get(primary) ?? [])]
  await Promise.all(stores.map((store) => raised(store, clientOf(call), position)))
}

const slowStore = (): Error => new Error('The store of positions did not answer in time.')

/** A position that could not be stored in time is only known to this process. */
async function raised(store: ReplicaPositions, client: string, position: string): Promise<void> {
  const end = performance.now() + askTime
  for (;;) {
    try {
      await withTimeout(store.raise(client, position), end - performance.now(), slowStore)
      return
    } catch {
      if (performance.now() + retryPause >= end) break
      await sleep(retryPause)
    }
  }
  unstoredOf(store).raise(client, unknownPosition)
}

/** Clients whose positions have not been stored. */
const unstored = new WeakMap<ReplicaPositions, ProcessPositions>()

function unstoredOf(store: ReplicaPositions): ProcessPositions {
  const known = unstored.get(store) ?? new ProcessPositions()
  unstored.set(store, known)
  return known
}

function processPositions(primary: object): ProcessPositions {
  const known = inProcess.get(primary) ?? new ProcessPositions()
  inProcess.set(primary, known)
  return known
}

function storesFor(primary: object): Set<ReplicaPositions> {
  const known = storesOf.get(primary) ?? new Set()
  storesOf.set(primary, known)
  return known
}

/** Callers that can't be identified count as one client. */
const clientOf = ({ caller = '' }: AdapterCall): string => caller

/** If the store fails, it may have lost a position, so the read uses the primary. */
async function positionOf(positions: ReplicaPositions, call: AdapterCall): Promise<'primary' | string | undefined> {
  try {
    if (unstored.get(positions)?.get(clientOf(call)) !== undefined) return 'primary'
    const answer = positions.get(clientOf(call))
    const position = isPromise(answer) ? await withTimeout(answer, askTime, slowStore) : answer
    return position === unknownPosition ? 'primary' : position
  } catch {
    return 'primary'
  }
}

/** A position after the write of the call. */
async function primaryPosition(primary: Database, call: AdapterCall): Promise<string> {
  const wait = waitOf(call)
  const short = { left: () => Math.min(askTime, Math.max(wait.left(), 1)), signal: undefined }
  try {
    const [row] = await primary.query('SELECT pg_current_wal_insert_lsn()::text AS c0', [], short)
    return row?.c0 ?? unknownPosition
  } catch {
    return unknownPosition
  }
}

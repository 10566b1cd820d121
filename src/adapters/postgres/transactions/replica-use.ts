/**
 * Decides which reads can use a replica. By default, the reads of a client show its own writes. For
 * this purpose, the position of the primary's write-ahead log (`pg_lsn`) is stored for the client
 * after each write. Only a replica that has reached this position serves the client. The position
 * is never part of an entity tag.
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

/** The timeout for reading a position, and for storing one, in milliseconds. */
const positionTimeout = 1_000

/** Milliseconds between two attempts to store a position. */
const retryPause = 100

/**
 * The position stores of each primary. Through a link, a view or a trigger, a write to one resource
 * can change the responses of another resource. So each write raises the client's position in all
 * of these stores.
 */
const storesOf = new WeakMap<object, Set<ReplicaPositions>>()
const inProcess = new WeakMap<object, ProcessPositions>()

/**
 * Returns the rules for reads from the replica, or `undefined` if the resource does not read from a
 * replica. Without the option `positions`, all resources with the same primary share one store in
 * this process.
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

/** Whether positions are stored for the clients that write to this primary. */
export const keepsPositions = (primary: object): boolean => storesOf.has(primary)

/**
 * Raises the position of the call's client. Must be awaited before the client gets the response.
 * `isKnown`: whether the outcome of the write is known. If it is not known, the write might still
 * be committed later. Also pass false if the write is part of the caller's own transaction.
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

const slowStore = (): Error => new Error('The store of positions did not respond in time.')

/**
 * Raises the position of a client in one store, and retries if that fails. If the position can't be
 * stored in time, the write is recorded only in the memory of this process.
 */
async function raised(store: ReplicaPositions, client: string, position: string): Promise<void> {
  const end = performance.now() + positionTimeout
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

/** The clients whose positions could not be stored, for each store. */
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

/**
 * Returns the string that identifies the client. All callers that can't be identified count as one
 * client.
 */
const clientOf = ({ caller = '' }: AdapterCall): string => caller

/**
 * Returns the position that a replica must have reached for the client, or `'primary'` if the read
 * must use the primary. Returns `undefined` if the store has no position for the client. If the
 * store fails, the client's position is not known, so the read uses the primary.
 */
async function positionOf(positions: ReplicaPositions, call: AdapterCall): Promise<'primary' | string | undefined> {
  try {
    if (unstored.get(positions)?.get(clientOf(call)) !== undefined) return 'primary'
    const answer = positions.get(clientOf(call))
    const position = isPromise(answer) ? await withTimeout(answer, positionTimeout, slowStore) : answer
    return position === unknownPosition ? 'primary' : position
  } catch {
    return 'primary'
  }
}

/**
 * Returns a position of the primary's log after the write of the call. Returns `unknownPosition` if
 * the primary fails or does not respond in time.
 */
async function primaryPosition(primary: Database, call: AdapterCall): Promise<string> {
  const wait = waitOf(call)
  const short = { left: () => Math.min(positionTimeout, Math.max(wait.left(), 1)), signal: undefined }
  try {
    const [row] = await primary.query('SELECT pg_current_wal_insert_lsn()::text AS c0', [], short)
    return row?.c0 ?? unknownPosition
  } catch {
    return unknownPosition
  }
}

/**
 * Reads from replicas that always show a client its own writes. For each client that has written, a
 * position in the write-ahead log (`pg_lsn`) is kept. It is never part of a tag.
 */
import type { AdapterCall } from '../../contract.js'
import type { Database } from '../connections/client.js'
import type { ReplicaUse } from '../connections/database.js'
import type { ReplicaOptions, ReplicaPositions } from '../options/options.js'
import { waitOf } from './statements.js'

/**
 * Milliseconds for which a position is kept. If a replica lags further behind, reads no longer
 * avoid it.
 */
const keptFor = 60_000

/** The maximum number of clients of this process whose positions are kept. */
const maxClients = 10_000

/** The highest position, which no replica reaches. */
const unreachable = 'FFFFFFFF/FFFFFFFF'

/** The time limit of the query for a position, in milliseconds. */
const askTime = 1_000

/**
 * The replica rules that a resource opts into; `undefined` for none. Without a store for positions,
 * all resources over one client `primary` share those of this process.
 */
export function replicaUse(options: boolean | ReplicaOptions | undefined, primary: object): ReplicaUse | undefined {
  if (options === undefined || options === false) return undefined
  const { ownWrites = true, verified = true, positions = positionsOver(primary) } = options === true ? {} : options
  return {
    verified,
    needs(call) {
      if (call.fresh || (verified && call.current)) return 'primary'
      return ownWrites ? positionOf(positions, call) : undefined
    },
    async wrote(call, primary, callers) {
      if (!ownWrites) return
      // A transaction of the caller's is committed later, at a position that is not known yet.
      const position = callers ? unreachable : await primaryPosition(primary, call)
      await Promise.resolve(positions.raise(clientOf(call), position)).catch(() => {})
    },
  }
}

const shared = new WeakMap<object, ProcessPositions>()

function positionsOver(primary: object): ProcessPositions {
  const known = shared.get(primary) ?? new ProcessPositions()
  shared.set(primary, known)
  return known
}

/** Callers without a name count as one client. */
const clientOf = ({ caller = '' }: AdapterCall): string => caller

/** If the store fails, it may have lost a position, so the read uses the primary. */
async function positionOf(positions: ReplicaPositions, call: AdapterCall): Promise<'primary' | string | undefined> {
  try {
    return await positions.get(clientOf(call))
  } catch {
    return 'primary'
  }
}

/** A position after the write of the call: after its commit, if it was committed. */
async function primaryPosition(primary: Database, call: AdapterCall): Promise<string> {
  const wait = waitOf(call)
  const short = { left: () => Math.min(askTime, Math.max(wait.left(), 1)), signal: undefined }
  try {
    const [row] = await primary.query('SELECT pg_current_wal_insert_lsn()::text AS c0', [], short)
    return row?.c0 ?? unreachable
  } catch {
    return unreachable
  }
}

/** The positions of the clients of this process. */
class ProcessPositions implements ReplicaPositions {
  readonly #known = new Map<string, { readonly position: string; readonly until: number }>()

  get(client: string): string | undefined {
    const known = this.#known.get(client)
    if (known === undefined || known.until > performance.now()) return known?.position
    this.#known.delete(client)
    return undefined
  }

  raise(client: string, position: string): void {
    const known = this.get(client)
    this.#known.delete(client)
    const highest = known === undefined || numberOf(position) > numberOf(known) ? position : known
    this.#known.set(client, { position: highest, until: performance.now() + keptFor })
    if (this.#known.size <= maxClients) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Two hexadecimal halves of 32 bits. */
function numberOf(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/**
 * A stream of requests of all kinds, like the requests to a real service: mostly reads, some of
 * them conditional, and a few writes.
 */

import { piecesPath } from '../data/addresses.js'
import type { Ask } from '../workloads/ask.js'
import { changeable } from '../workloads/checks.js'
import { anyPages, creates, items, patchOf, type Sent, type Turn, tagged, taggedPaths } from '../workloads/turns.js'
import type { Reply } from './connection.js'

/**
 * The kinds of 20 requests, in the order in which they are sent. The 20 are repeated, so every
 * server receives the same sequence.
 */
const order = [
  'item',
  'page',
  'not-modified',
  'item',
  'patch',
  'item',
  'page',
  'not-modified',
  'item',
  'page',
  'item',
  'not-modified',
  'create',
  'item',
  'page',
  'item',
  'not-modified',
  'patch',
  'item',
  'page',
] as const

export type Kind = (typeof order)[number]

/** All kinds, in the order of the reports. */
export const kinds: readonly Kind[] = ['item', 'not-modified', 'page', 'create', 'patch']

const statusOf: Readonly<Record<Kind, number>> = { item: 200, 'not-modified': 304, page: 200, create: 201, patch: 200 }

export interface Asked {
  readonly kind: Kind
  readonly sent: Sent
  /** Handles the response. Throws if it has an unexpected status. */
  readonly settle: (reply: Reply) => void
}

/** Returns the next request. */
export type Mix = () => Asked

/**
 * The number of request sequences for each kind except `patch`. Requests are taken from these
 * sequences in turn. In a workload that consists of one of these kinds, each connection sends one
 * of these sequences.
 */
const sequences = 10
/**
 * The number of pieces (records of `piecesPath`) that PATCH requests change in turn. It is also the
 * maximum number of concurrent changes.
 */
const changed = 200

export async function makeMix(ask: Ask): Promise<Mix> {
  const each = (make: (at: number) => Turn): Turn => woven(Array.from({ length: sequences }, (_, at) => make(at)))
  const known = await Promise.all(Array.from({ length: sequences }, (_, at) => tagged(ask, at)))
  const turns: Readonly<Record<Exclude<Kind, 'patch'>, Turn>> = {
    item: each(items),
    'not-modified': woven(known),
    page: each(anyPages),
    create: each(creates),
  }
  const patch = await patches(ask)
  let at = 0
  return () => {
    const kind = order[at++ % order.length] as Kind
    const settle = (reply: Reply): void => {
      if (reply.status !== statusOf[kind])
        throw new Error(`${kind} got the status ${reply.status} instead of ${statusOf[kind]}.`)
    }
    if (kind !== 'patch') return { kind, sent: turns[kind](undefined), settle }
    const { sent, answered } = patch()
    return {
      kind,
      sent,
      settle(reply) {
        settle(reply)
        answered(reply.tag)
      },
    }
  }
}

/** Returns a sequence that takes its requests from the given sequences in turn. */
function woven(turns: readonly Turn[]): Turn {
  let at = 0
  return (tag) => (turns[at++ % turns.length] as Turn)(tag)
}

/**
 * Returns a function that creates the next PATCH. Pieces are changed in turn, each with the entity
 * tag of its last response. A piece is skipped while a PATCH of it is in flight.
 */
async function patches(
  ask: Ask,
): Promise<() => { readonly sent: Sent; readonly answered: (tag: string | undefined) => void }> {
  // Pieces that conditional requests read are never changed, so that their entity tags stay valid.
  const unchanged = new Set(Array.from({ length: sequences }, (_, at) => taggedPaths(at)).flat())
  const paths = Array.from({ length: changed + sequences }, (_, at) => `${piecesPath}/${changeable(at)}`).filter(
    (path) => !unchanged.has(path),
  )
  const idle = await Promise.all(
    paths.slice(0, changed).map(async (path) => ({ path, tag: (await ask(path)).headers.etag })),
  )
  let value = 0
  return () => {
    const piece = idle.shift()
    if (piece === undefined) throw new Error(`${changed} changes are in flight: the server cannot sustain the rate.`)
    value = (value + 1) % 100_000
    return { sent: patchOf(piece.path, piece.tag, value), answered: (tag) => idle.push({ path: piece.path, tag }) }
  }
}

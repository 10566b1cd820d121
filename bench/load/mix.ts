/**
 * One stream of requests of all kinds, as a service gets them: mostly reads, some of them
 * conditional, and a few writes.
 */

import { piecesPath } from '../data/addresses.js'
import type { Ask } from '../workloads/ask.js'
import { changeable } from '../workloads/checks.js'
import { anyPages, creates, items, patchOf, type Sent, type Turn, tagged, taggedPaths } from '../workloads/turns.js'
import type { Reply } from './connection.js'

/** Of 20 requests. They come in this order, again and again, so that every server gets the same. */
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

/** In the order of reports. */
export const kinds: readonly Kind[] = ['item', 'not-modified', 'page', 'create', 'patch']

const statusOf: Readonly<Record<Kind, number>> = { item: 200, 'not-modified': 304, page: 200, create: 201, patch: 200 }

export interface Asked {
  readonly kind: Kind
  readonly sent: Sent
  /** Takes its answer. Throws where that has another status than it should. */
  readonly settle: (reply: Reply) => void
}

/** The next request. */
export type Mix = () => Asked

/** How many connections' rows of requests are woven into one. */
const rows = 10
/** Pieces that are changed in turn: so many may wait for their answers at a time. */
const changed = 200

export async function makeMix(ask: Ask): Promise<Mix> {
  const each = (make: (at: number) => Turn): Turn => woven(Array.from({ length: rows }, (_, at) => make(at)))
  const known = await Promise.all(Array.from({ length: rows }, (_, at) => tagged(ask, at)))
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
        throw new Error(`${kind} was answered ${reply.status} in place of ${statusOf[kind]}.`)
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

/** One of each in turn. */
function woven(turns: readonly Turn[]): Turn {
  let at = 0
  return (tag) => (turns[at++ % turns.length] as Turn)(tag)
}

/** Pieces that wait for nothing are changed in turn, each with the tag of its last answer. */
async function patches(
  ask: Ask,
): Promise<() => { readonly sent: Sent; readonly answered: (tag: string | undefined) => void }> {
  // A piece that is asked for with its tag stays as it is.
  const unchanged = new Set(Array.from({ length: rows }, (_, at) => taggedPaths(at)).flat())
  const paths = Array.from({ length: changed + rows }, (_, at) => `${piecesPath}/${changeable(at)}`).filter(
    (path) => !unchanged.has(path),
  )
  const idle = await Promise.all(
    paths.slice(0, changed).map(async (path) => ({ path, tag: (await ask(path)).headers.etag })),
  )
  let value = 0
  return () => {
    const piece = idle.shift()
    if (piece === undefined) throw new Error(`${changed} changes wait for their answers: the server does not keep up.`)
    value = (value + 1) % 100_000
    return { sent: patchOf(piece.path, piece.tag, value), answered: (tag) => idle.push({ path: piece.path, tag }) }
  }
}

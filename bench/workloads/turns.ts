/** The sequences of requests that connections send. */

import { piecesPath } from '../data/addresses.js'
import { branchCount, pieceCount } from '../data/records.js'
import type { Ask } from './ask.js'
import { changeable, mergePatch, newBody, pageQuery, queryOf } from './checks.js'

/** A request, as the load generator writes it. */
export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Returns the next request of a connection. `tag` is the entity tag of the previous response. */
export type Turn = (tag: string | undefined) => Sent

export const inTurn = (sent: readonly Sent[]): Turn => {
  let at = 0
  return () => sent[at++ % sent.length] as Sent
}

type Headers = Readonly<Record<string, string>>

/** Cycles through fifty items. Each connection has different items. */
export const items = (connection: number, headers: Headers = {}): Turn =>
  inTurn(Array.from({ length: 50 }, (_, at) => ({ path: itemPath(connection, at), headers })))

/** Cycles through ten of the items of `items()`, with their entity tags in `If-None-Match`. */
export async function tagged(ask: Ask, connection: number, headers: Headers = {}): Promise<Turn> {
  const sent: Sent[] = []
  for (const path of taggedPaths(connection)) {
    sent.push({ path, headers: { ...headers, 'if-none-match': (await ask(path)).headers.etag ?? '' } })
  }
  return inTurn(sent)
}

export const taggedPaths = (connection: number): string[] =>
  Array.from({ length: 10 }, (_, at) => itemPath(connection, at))

const itemPath = (connection: number, at: number): string =>
  `${piecesPath}/${1 + ((connection * 997 + at * 101) % pieceCount)}`

/** Cycles through the first ten pages of one query. */
export const pages = (tail: string, headers: Headers = {}): Turn =>
  inTurn(
    Array.from({ length: 10 }, (_, page) => ({ path: `${piecesPath}${pageQuery}&offest=${page + 1}${tail}`, headers })),
  )

/**
 * Cycles through 2,000 queries: for each branch, ten pages in five page sizes. A query is repeated
 * only after all others.
 */
export const anyPages = (connection: number): Turn => {
  let at = connection * 197
  return () => {
    at += 1
    const branch = 1 + (at % branchCount)
    const page = 1 + (Math.floor(at / branchCount) % 10)
    const size = 21 + (Math.floor(at / (10 * branchCount)) % 5)
    return { path: `${piecesPath}${queryOf(branch)}&offest=${page}&limit=${size}` }
  }
}

export const creates = (connection: number): Turn =>
  inTurn(
    Array.from({ length: branchCount }, (_, at) => ({
      method: 'POST',
      path: piecesPath,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(newBody(connection + at)),
    })),
  )

/** Changes one piece repeatedly. Each connection has its own piece. */
export async function patches(ask: Ask, connection: number): Promise<Turn> {
  const path = `${piecesPath}/${changeable(connection)}`
  const first = (await ask(path)).headers.etag
  let value = 0
  return (tag) => {
    value = (value + 1) % 100_000
    return patchOf(path, tag ?? first, value)
  }
}

/**
 * Requests nine pages of `anyPages()`, and then changes a piece that some pages show. Each
 * connection has ten pieces of its own, each in a different branch.
 */
export async function mixed(ask: Ask, connection: number): Promise<Turn> {
  const list = anyPages(connection)
  const pieces = await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      const path = `${piecesPath}/${changeable(10 + connection) + 4 * at}`
      return { path, tag: (await ask(path)).headers.etag }
    }),
  )
  let at = 0
  let changed: (typeof pieces)[number] | undefined
  return (tag) => {
    if (changed !== undefined) changed.tag = tag
    changed = undefined
    at += 1
    if (at % 10 !== 0) return list(tag)
    changed = pieces[(at / 10) % pieces.length] as (typeof pieces)[number]
    return patchOf(changed.path, changed.tag, at % 100_000)
  }
}

export const patchOf = (path: string, tag: string | undefined, value: number): Sent => ({
  method: 'PATCH',
  path,
  headers: { 'content-type': mergePatch, 'if-match': tag ?? '' },
  body: `{"valorDeclarado":${value}}`,
})

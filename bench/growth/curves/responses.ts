/** Checks the responses for pages and items before requests are timed. */
import assert from 'node:assert/strict'
import { piecesPath } from '../../data/addresses.js'
import type { Answered, Ask } from '../../workloads/ask.js'
import type { Asked } from '../load/round.js'

interface Listed {
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly total: number | undefined
  readonly next: string | undefined
}

/**
 * Requests a page, which must exist. `next` in the result is the path of the page's link with
 * `rel="next"`.
 */
export async function listed(ask: Ask, path: string): Promise<Listed> {
  const answer = await answered(ask, path)
  const { 'x-total-count': total, link = '' } = answer.headers
  const next = /<https?:\/\/[^/>]+([^>]*)>; rel="next"/.exec(link)?.[1]
  return { items: JSON.parse(answer.text), total: total === undefined ? undefined : Number(total), next }
}

async function answered(ask: Ask, path: string): Promise<Answered> {
  const answer = await ask(path)
  assert.equal(answer.status, 200, `GET ${path}: ${answer.text}`)
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  return answer
}

/**
 * Requests the first five pieces of `numbers`, and throws if a response is wrong. Returns a request
 * for each piece of `numbers`.
 */
export async function items(ask: Ask, numbers: readonly number[], path = piecesPath): Promise<readonly Asked[]> {
  for (const numero of numbers.slice(0, 5)) {
    const { text } = await answered(ask, `${path}/${numero}`)
    assert.equal(JSON.parse(text).numero, numero)
  }
  return numbers.map((numero) => ({ path: `${path}/${numero}`, status: 200 }))
}

/**
 * Returns `count` numbers that are spread evenly from 1 to `rows`. If `rows` is smaller than
 * `count`, returns all numbers.
 */
export const spread = (rows: number, count: number): readonly number[] =>
  Array.from({ length: Math.min(count, rows) }, (_, at) => 1 + Math.floor((at * rows) / Math.min(count, rows)))

export const get = (path: string): Asked => ({ path, status: 200 })

/** Breaking changes that a team has accepted, each by itself: a kind, a place, and what stood there before and stands there now. */
import { createHash } from 'node:crypto'
import { canonicalText, isList, isObject } from '../definition/json.js'
import type { Change } from './changes.js'
import { DocumentError } from './nodes.js'

/** One accepted change, as the file has it. */
export interface Accepted {
  readonly version: string
  readonly kind: string
  /** The operation and the place in it, such as `GET /pre-piezas query "lote"`. */
  readonly place: string
  readonly pointer: string
  /** Hashes of the two sides: another change at the same place is another change. */
  readonly before: string
  readonly after: string
  /** What has changed, and what clients get. */
  readonly summary: string
  readonly reason: string
  /** The day, such as `2026-11-22`. */
  readonly date: string
}

/** The change as an entry of the file. */
export function accept(change: Change, reason: string, now: Date): Accepted {
  const { version = '', kind, method, path, place, pointer, before, after, detail, summary } = change
  const operation = method === undefined ? '' : `${method} ${path} `
  return {
    version,
    kind,
    place: `${operation}${place}`,
    pointer,
    before: hashOf([before, detail]),
    after: hashOf([after, detail]),
    summary,
    reason,
    date: now.toISOString().slice(0, 10),
  }
}

/** Whether an entry stands for this change and no other. */
export function isAccepted(change: Change, accepted: readonly Accepted[]): boolean {
  const one = accept(change, '', new Date(0))
  return accepted.some((entry) => identity.every((member) => entry[member] === one[member]))
}

const identity = ['version', 'kind', 'pointer', 'before', 'after'] as const

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalText(value)).digest('hex').slice(0, 16)

const members = [...identity, 'place', 'summary', 'reason', 'date'] as const

/** Reads the file. Throws `DocumentError` where it is not what was written. */
export function parseAccepted(text: string, name: string): readonly Accepted[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new DocumentError(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isList(value))
    throw new DocumentError(`${name} is not a list of accepted changes. Write its entries with --accept.`)
  return value.map((entry, index) => {
    if (!isEntry(entry))
      throw new DocumentError(
        `Entry ${index + 1} of ${name} lacks one of ${members.join(', ')}. Write entries with --accept.`,
      )
    return entry
  })
}

const isEntry = (value: unknown): value is Accepted =>
  isObject(value) && members.every((name) => typeof value[name] === 'string')

/** The text of the file. */
export const acceptedText = (accepted: readonly Accepted[]): string => `${JSON.stringify(accepted, null, 2)}\n`

/**
 * Breaking changes that have been accepted. An entry identifies a change by its version, its kind,
 * its JSON pointer, and hashes of the values before and after the change. Each hash also covers
 * `detail` of the change.
 */
import { createHash } from 'node:crypto'
import { canonicalText, isList, isObject } from '../definition/json.js'
import type { Change } from './changes.js'
import { DocumentError } from './nodes.js'

/** One entry of the file with the accepted changes. */
export interface Accepted {
  readonly version: string
  readonly kind: string
  /**
   * The operation and the changed part of the operation, such as `GET /pre-piezas query "lote"`.
   */
  readonly place: string
  /**
   * All operations with the change, such as `GET /pre-piezas`. The same change of a shared schema
   * in another operation is not accepted. Absent in entries of earlier versions of this library,
   * which name only the first operation, in `place`.
   */
  readonly operations?: readonly string[]
  readonly pointer: string
  /**
   * `before` and `after` are hashes of the values before and after the change, each together with
   * `detail` of the change. Because of these hashes, the entry does not accept a different change
   * of the same part.
   */
  readonly before: string
  readonly after: string
  /** A sentence about the change and its effect on clients. */
  readonly summary: string
  readonly reason: string
  /** The day (UTC) on which the change was accepted, such as `2026-11-22`. */
  readonly date: string
}

/** Returns a new entry that accepts a change. */
export function accept(change: Change, reason: string, now: Date): Accepted {
  const { version = '', kind, method, path, place, pointer, before, after, detail, summary, alsoAt } = change
  const operations = method === undefined ? [] : [`${method} ${path}`, ...alsoAt]
  return {
    version,
    kind,
    place: [...operations.slice(0, 1), place].join(' '),
    operations,
    pointer,
    before: hashOf([before, detail]),
    after: hashOf([after, detail]),
    summary,
    reason,
    date: now.toISOString().slice(0, 10),
  }
}

/** Returns whether an entry accepts exactly this change. */
export function isAccepted(change: Change, accepted: readonly Accepted[]): boolean {
  const one = accept(change, '', new Date(0))
  return accepted.some((entry) => identity.every((member) => entry[member] === one[member]) && covers(entry, one))
}

/** Whether an entry names all operations with the change. */
const covers = ({ operations, place }: Accepted, change: Accepted): boolean =>
  operations === undefined
    ? place === change.place
    : change.operations?.every((operation) => operations.includes(operation)) === true

const identity = ['version', 'kind', 'pointer', 'before', 'after'] as const

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalText(value)).digest('hex').slice(0, 16)

const members = [...identity, 'place', 'summary', 'reason', 'date'] as const

/** Parses the file with the accepted changes. Throws `DocumentError` if the file is malformed. */
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
        `Entry ${index + 1} of ${name} must have the members ${members.join(', ')}. Write entries with --accept.`,
      )
    return entry
  })
}

const isEntry = (value: unknown): value is Accepted =>
  isObject(value) &&
  members.every((name) => typeof value[name] === 'string') &&
  (value.operations === undefined ||
    (isList(value.operations) && value.operations.every((one) => typeof one === 'string')))

/** Returns the content of the file with the accepted changes. */
export const acceptedText = (accepted: readonly Accepted[]): string => `${JSON.stringify(accepted, null, 2)}\n`

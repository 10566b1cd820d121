/** The published message of a change. */
import { createHash } from 'node:crypto'

export interface ChangeMessage {
  /** Unique to the change. A repeat of the message has the same one. */
  readonly id: string
  /** Increases with each change of one key. Positions of different keys are not ordered. */
  readonly position: number
  readonly collection: string
  /** A scalar, or an object of the key's members. */
  readonly key: unknown
  readonly action: 'create' | 'replace' | 'patch' | 'remove' | 'attach' | 'detach'
  /** Set for attach, detach, and a create in a sub-collection. */
  readonly parent: unknown
  /** The record before the change, if it was read; null for a create. */
  readonly before: unknown
  /** The record after the change; null for a remove. */
  readonly after: unknown
  readonly actor: string | null
  /** The id of the request. */
  readonly request: string
  /** When the change was written; its transaction committed later. */
  readonly at: string
}

/**
 * The subject of a change: `changes.orders.17`. A key that is long or can't be part of a subject is
 * replaced with a digest. Read the key from the body, not from the subject.
 */
export function subjectOf(prefix: string, { collection, key }: Pick<ChangeMessage, 'collection' | 'key'>): string {
  const text = typeof key === 'object' ? JSON.stringify(key) : String(key)
  const token = /^[\w-]{1,64}$/.test(text) ? text : `=${createHash('sha256').update(text).digest('base64url')}`
  return `${prefix}.${collection}.${token}`
}

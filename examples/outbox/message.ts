/** The published message of a change. */
import { createHash } from 'node:crypto'

export interface ChangeMessage {
  /** The unique id of the change. If the message is sent again, it has the same id. */
  readonly id: string
  /**
   * Increases with each change of a record. The positions of changes to different records have no
   * meaningful order.
   */
  readonly position: number
  readonly collection: string
  /** A scalar, or an object with the members of the key. */
  readonly key: unknown
  readonly action: 'create' | 'replace' | 'patch' | 'remove' | 'attach' | 'detach'
  /**
   * The key of the parent record, if the change attached the record to a parent, detached it from a
   * parent, or created it in a parent's sub-collection. Otherwise null.
   */
  readonly parent: unknown
  /**
   * The record before the change. Null for a create, or if the record was not read before the
   * change.
   */
  readonly before: unknown
  /** The record after the change; null for a remove. */
  readonly after: unknown
  readonly actor: string | null
  /** The id of the request. */
  readonly request: string
  /** When the change was written. The transaction of the change committed later. */
  readonly at: string
}

/**
 * The subject of a change, such as `changes.orders.17`. A key is replaced with a digest unless it
 * consists of 1 to 64 ASCII letters, digits, `_` or `-`. Read the key from the body, not from the
 * subject.
 */
export function subjectOf(prefix: string, { collection, key }: Pick<ChangeMessage, 'collection' | 'key'>): string {
  const text = typeof key === 'object' ? JSON.stringify(key) : String(key)
  const token = /^[\w-]{1,64}$/.test(text) ? text : `=${createHash('sha256').update(text).digest('base64url')}`
  return `${prefix}.${collection}.${token}`
}

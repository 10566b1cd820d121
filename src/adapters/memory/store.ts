/**
 * The records of the memory adapter and their indexes. The methods of the adapter contract are
 * functions in other files, which take the store as an argument.
 */
import { randomBytes } from 'node:crypto'
import { compileRespelled } from '../../definition/conversion.js'
import { own } from '../../definition/json.js'
import type { KeyCodec, KeyValue } from '../../definition/key.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import type { AdapterCall, Refused, Scalar } from '../contract.js'
import { Associations } from './associations.js'
import { type Draft, type Entry, entryOf, type Identity, identities, type Row } from './entry.js'
import { FullText } from './full-text.js'
import { type Hooks, hooksOf } from './hooks.js'
import { Indexes } from './indexes.js'
import { KeyAssignment } from './key-assignment.js'
import type { Tables } from './list.js'
import type { MemoryAdapterOptions } from './options.js'
import { isNullish } from './order.js'
import { type Spellings, spellingsOf } from './spellings.js'
import { UniqueGroups } from './unique.js'

export class Store implements Tables {
  readonly definition: ResourceDefinition
  readonly key: KeyCodec
  readonly identityOf: (key: KeyValue) => Identity
  readonly indexes = new Indexes()
  readonly indexed: ReadonlySet<string>
  readonly associations: Associations
  readonly unique: UniqueGroups
  readonly assignment: KeyAssignment
  readonly spellings: Spellings
  readonly hooks: Hooks
  readonly stats = { examined: 0 }
  readonly nextVersion = versions()
  /**
   * Converts the strings of a record to canonical form, for example a UUID to lower case. Only
   * records from direct callers of the adapter need this conversion: records from requests are
   * already in canonical form. Values that are already canonical stay the same objects, so that a
   * new entry can share them with the previous entry.
   */
  readonly canonical: (value: unknown) => Row
  /**
   * The records that are being removed. If `onRemove` calls the adapter, these records count as
   * absent, except in lists.
   */
  readonly removing = new Set<Entry>()
  #fullText: FullText | undefined

  constructor(definition: ResourceDefinition, options: MemoryAdapterOptions<Row>) {
    this.definition = definition
    this.key = definition.key
    this.identityOf = identities(definition)
    this.indexed = indexedMembers(definition)
    this.associations = new Associations(definition)
    this.unique = new UniqueGroups(definition, options.unique ?? [])
    this.assignment = new KeyAssignment(definition)
    this.spellings = spellingsOf(definition)
    this.hooks = hooksOf(definition, options)
    this.canonical = compileRespelled(definition.shape) as (value: unknown) => Row
  }

  /** Returns the full-text index, which is built on first use. */
  fullText(): FullText {
    this.#fullText ??= new FullText(this.definition, this.indexes.all.entries)
    return this.#fullText
  }

  /** The record with this key, if it is inside the scope and is not being removed. */
  visible(key: KeyValue, { scope }: AdapterCall): Entry | undefined {
    const entry = this.indexes.all.get(this.identityOf(key))
    return entry !== undefined && !this.removing.has(entry) && isWithin(entry.stored.value, scope) ? entry : undefined
  }

  /**
   * Stores a new record. Refuses a record whose key is incomplete, or whose key or unique values
   * are already in use.
   */
  insert(row: Draft): Entry | Refused {
    const found = this.key.of(row)
    if (found === undefined) return { refused: 'rule', members: this.key.members }
    const id = this.identityOf(found)
    const clashes = this.unique.clashes(row, id)
    const taken = this.indexes.all.get(id) === undefined ? clashes : [...this.key.members, ...clashes]
    if (taken.length > 0) return duplicate(taken)
    const entry = entryOf(id, row, this.nextVersion())
    this.swap(undefined, entry)
    return entry
  }

  /**
   * Stores the new state of a record under the same key. Refuses a state whose unique values are
   * already in use.
   */
  overwrite(old: Entry, row: Draft): Entry | Refused {
    const taken = this.unique.clashes(row, old.id)
    if (taken.length > 0) return duplicate(taken)
    const entry = entryOf(old.id, row, this.nextVersion(), old.stored)
    this.swap(old, entry)
    return entry
  }

  /**
   * Replaces `old` with `next` in the records and all indexes. Every change of a record calls this
   * method.
   */
  swap(old: Entry | undefined, next: Entry | undefined): void {
    this.indexes.swap(old, next)
    this.unique.swap(old, next)
    this.#fullText?.swap(old, next)
    if (old !== undefined) this.associations.swap(old, next)
    else if (next !== undefined) this.assignment.observe(next.stored.value)
  }
}

const duplicate = (members: readonly string[]): Refused => ({ refused: 'duplicate', members: [...new Set(members)] })

/**
 * The members that lists compare for equality: the fields of filters with the operator `eq`,
 * members that hold a parent's key, and the parts of a composite key.
 */
function indexedMembers({ filters, parent, attachedTo, key }: ResourceDefinition): ReadonlySet<string> {
  return new Set([
    ...[...filters.values()].filter(({ op }) => op === 'eq').map(({ field }) => field),
    ...(parent?.by ?? []),
    ...attachedTo.flatMap(({ by }) => by ?? []),
    ...(key.composite ? key.members : []),
  ])
}

/**
 * Whether a record is inside a scope. A member without a value, in the record or in the scope,
 * never matches.
 */
function isWithin(row: Row, scope: Readonly<Record<string, Scalar>>): boolean {
  for (const member of Object.keys(scope))
    if (isNullish(scope[member]) || own(row, member) !== scope[member]) return false
  return true
}

/**
 * Returns a function that generates versions. A version is never repeated, not even by another
 * process. A version consists of a random epoch and a counter that all keys share.
 */
function versions(): () => string {
  const epoch = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${epoch}${(++count).toString(36)}`
}

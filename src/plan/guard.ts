/**
 * Guards the members that a client must not change (`readOnly`) and the members that a client never
 * sees (`writeOnly`), at every depth of a record (REP-8).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Convert } from '../definition/conversion.js'
import { escapePointer, isList, isObject, type JsonObject, own, pointerTokens, put } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import { ConfigurationError, type Violation } from '../problem.js'
import { compilePresent } from './members.js'
import { maxViolations } from './refusal.js'

export interface Guard {
  /** True if the schema has guarded members. An update then needs the current record. */
  readonly any: boolean
  /**
   * Returns a violation for each `readOnly` member in a new record. Only the store may set these
   * members.
   */
  given(next: JsonObject): Violation[]
  /**
   * Copies the guarded members of the stored record `current` into the update `next`. Returns a
   * violation for each `readOnly` member whose value the update would change. A `writeOnly` member
   * is copied only if the update does not contain it. Modifies `next`.
   */
  carry(next: JsonObject, current: JsonObject): Violation[]
}

/**
 * Compiles the guard of a resource's records. Throws `ConfigurationError` if the items of a list
 * are guarded themselves, or if guarded members are in a list inside a list. An update could not
 * match such items with the stored items. Their guarded values would be lost, or clients could
 * change them.
 */
export function compileGuard(shape: Shape, owner = 'the resource'): Guard {
  const made = new Map<Shape, Level>()
  const level = levelOf(shape, owner, made)
  for (const one of made.values()) one.guarded = isGuarded(one)
  for (const { items } of made.values()) {
    if (items?.items?.guarded || items?.prefix.some((inner) => inner.guarded))
      throw unidentifiable(owner, 'in a list inside a list')
  }
  if (!level.guarded) return unguarded
  return {
    any: true,
    given(next) {
      const found: Violation[] = []
      refuseGiven(level, next, '', found)
      return found
    },
    carry(next, current) {
      const found: Violation[] = []
      carry(level, next, current, '', found)
      return found
    },
  }
}

/**
 * The guard of records without guarded members. Most resources have this guard, so all of them
 * share one object.
 */
const unguarded: Guard = Object.freeze({ any: false, given: () => [], carry: () => [] })

type Kind = 'readOnly' | 'writeOnly' | 'plain'

/**
 * A member of an object, and the level below the member. That level is empty if the whole member is
 * guarded.
 */
class Member {
  readonly kind: Kind
  readonly below: Level
  readonly #shape: Shape
  #present: Convert | undefined

  constructor(shape: Shape, kind: Kind, below: Level) {
    this.kind = kind
    this.below = below
    this.#shape = shape
  }

  /**
   * Converts a value to the form that the client sees. The conversion is compiled on first use,
   * because records without guarded members never need it.
   */
  get present(): Convert {
    this.#present ??= compilePresent(this.#shape)
    return this.#present
  }
}

/** One level of the schema: the members of an object, or the items of a list. */
interface Level {
  readonly members: Map<string, Member>
  /**
   * Returns the member for a name that is not in `members`. The name may match, for example,
   * `patternProperties`.
   */
  other: (name: string) => Member | undefined
  /** All members that `other` can return. */
  readonly others: Member[]
  readonly prefix: Level[]
  items: Level | undefined
  /** True if any member on this level or below it is guarded. */
  guarded: boolean
}

const empty = (): Level => ({
  members: new Map(),
  other: () => undefined,
  others: [],
  prefix: [],
  items: undefined,
  guarded: false,
})

/**
 * Builds the level of one part of the schema (`shape`). `made` caches levels by shape, so that a
 * recursive schema does not cause endless recursion.
 */
function levelOf(shape: Shape, owner: string, made: Map<Shape, Level>): Level {
  const known = made.get(shape)
  if (known !== undefined) return known
  const level = empty()
  made.set(shape, level)
  const memberOf = (member: Shape): Member => {
    const kind = member.readOnly ? 'readOnly' : member.writeOnly ? 'writeOnly' : 'plain'
    return new Member(member, kind, kind === 'plain' ? levelOf(member, owner, made) : empty())
  }
  if (shape.isObject) {
    for (const [name, member] of shape.members) level.members.set(name, memberOf(member))
    const others = new Map(shape.others.map((other) => [other, memberOf(other)]))
    level.others.push(...others.values())
    level.other = (name) => {
      const found = shape.other(name)
      return found && others.get(found)
    }
  }
  if (shape.isArray) {
    for (const item of [...shape.prefix, ...(shape.items === undefined ? [] : [shape.items])]) {
      if (item.readOnly || item.writeOnly) throw unidentifiable(owner, 'on the items of a list')
    }
    level.prefix.push(...shape.prefix.map((item) => levelOf(item, owner, made)))
    if (shape.items !== undefined) level.items = levelOf(shape.items, owner, made)
  }
  return level
}

const unidentifiable = (owner: string, where: string): ConfigurationError =>
  new ConfigurationError(
    'invalid-schema',
    `The schema of "${owner}" has "readOnly" or "writeOnly" ${where}. An update can't tell such items apart. ` +
      'Put the keyword on the member that contains the list.',
  )

function isGuarded(level: Level, seen = new Set<Level>()): boolean {
  if (seen.has(level)) return false
  seen.add(level)
  const members = [...level.members.values(), ...level.others]
  if (members.some(({ kind, below }) => kind !== 'plain' || isGuarded(below, seen))) return true
  return [...level.prefix, ...(level.items === undefined ? [] : [level.items])].some((inner) => isGuarded(inner, seen))
}

const memberOf = (level: Level, name: string): Member | undefined => level.members.get(name) ?? level.other(name)

function refuseGiven(level: Level, next: unknown, at: string, found: Violation[]): void {
  if (!level.guarded) return
  if (isObject(next)) {
    for (const name of Object.keys(next)) {
      const member = memberOf(level, name)
      if (member?.kind === 'plain') refuseGiven(member.below, next[name], `${at}/${escapePointer(name)}`, found)
      else if (member?.kind === 'readOnly' && next[name] !== undefined)
        refuse(found, at, name, 'the store sets it. Leave it out')
    }
  } else if (isList(next)) {
    for (const [i, item] of next.entries()) {
      const inner = level.prefix[i] ?? level.items
      if (inner !== undefined) refuseGiven(inner, item, `${at}/${i}`, found)
    }
  }
}

function carry(level: Level, next: unknown, current: unknown, at: string, found: Violation[]): void {
  if (!level.guarded) return
  if (isObject(next)) carryMembers(level, next, isObject(current) ? current : {}, at, found)
  else if (isList(next)) {
    const stored: readonly unknown[] = isList(current) ? current : []
    for (const [i, inner] of level.prefix.entries()) carry(inner, next[i], stored[i], `${at}/${i}`, found)
    carryItems(level, next, stored, at, found)
  }
}

function carryMembers(level: Level, next: JsonObject, current: JsonObject, at: string, found: Violation[]): void {
  const unnamed = level.others.length === 0 ? [] : [...Object.keys(next), ...Object.keys(current)]
  for (const name of new Set([...level.members.keys(), ...unnamed])) {
    const member = memberOf(level, name)
    const sent = own(next, name)
    const stored = own(current, name)
    if (member?.kind === 'plain') carry(member.below, sent, stored, `${at}/${escapePointer(name)}`, found)
    else if (member?.kind === 'writeOnly') {
      if (isRemoved(next, name)) delete next[name]
      else if (sent === undefined && stored !== undefined) put(next, name, stored)
    } else if (member?.kind === 'readOnly') {
      const seen = member.present(stored) ?? null
      const removed = isRemoved(next, name)
      // The values are compared in the form that the client saw. In a response, a member that the
      // store does not have may be null, and a date-time may have more digits.
      const passes = removed ? seen === null : sent === undefined || isDeepStrictEqual(member.present(sent), seen)
      if (!passes) refuse(found, at, name, 'leave it out, or send the current value')
      else if (stored !== undefined) put(next, name, stored)
      else if (removed) delete next[name]
    }
  }
}

/**
 * Removes a member as a patch does (VERB-5). If the schema allows null, the member becomes null.
 * Otherwise it is deleted, unless it is guarded. A guarded member becomes `undefined` instead,
 * because `carry` would restore a deleted member. The value `undefined` marks the removal.
 */
export function removeMember(object: JsonObject, name: string, member: Shape): void {
  if (member.nullable) put(object, name, null)
  else if (member.readOnly || member.writeOnly) put(object, name, undefined)
  else delete object[name]
}

const isRemoved = (object: JsonObject, name: string): boolean =>
  Object.hasOwn(object, name) && object[name] === undefined

/**
 * Carries over the guarded members of list items, except the items at the positions that
 * `prefixItems` describes. `carry` handles those items by position. List items have no keys, so
 * each item is matched with a stored item by comparing members. If an item contains `readOnly`
 * members, it matches the stored item with the same `readOnly` members. Otherwise, the item matches
 * the stored item whose unguarded members are the same. An item without a match is new.
 */
function carryItems(
  { prefix, items: level }: Level,
  items: readonly unknown[],
  stored: readonly unknown[],
  at: string,
  found: Violation[],
): void {
  if (!level?.guarded) return
  const from = prefix.length
  const left = new Set(stored.slice(from).filter(isObject))
  const byIdentity = new Map<string, JsonObject[]>()
  const byVisible = new Map<string, JsonObject[]>()
  for (const item of [...left].reverse()) {
    remember(byIdentity, visibleText(level, 'readOnly', item), item)
    remember(byVisible, visibleText(level, 'plain', item), item)
  }
  for (const [i, item] of items.entries()) {
    if (i < from || !isObject(item)) continue
    const named = Object.keys(item).some(
      (name) => item[name] !== undefined && memberOf(level, name)?.kind === 'readOnly',
    )
    const match = take(
      left,
      named ? byIdentity.get(visibleText(level, 'readOnly', item)) : byVisible.get(visibleText(level, 'plain', item)),
    )
    carry(level, item, match ?? {}, `${at}/${i}`, found)
  }
}

/**
 * Returns one string that contains the values of an item's members of the given kind. The values
 * have the form that the client sees.
 */
function visibleText(level: Level, kind: Kind, item: JsonObject): string {
  const seen: unknown[] = []
  for (const [name, member] of level.members)
    if (member.kind === kind) seen.push(member.present(own(item, name)) ?? null)
  if (level.others.length > 0) {
    const names = Object.keys(item).filter((name) => !level.members.has(name))
    for (const name of names.sort()) {
      const member = level.other(name)
      if (member?.kind === kind) seen.push(name, member.present(item[name]) ?? null)
    }
  }
  return JSON.stringify(seen)
}

function remember(table: Map<string, JsonObject[]>, key: string, item: JsonObject): void {
  const same = table.get(key)
  if (same === undefined) table.set(key, [item])
  else same.push(item)
}

/** Takes the first candidate that no other item has taken. */
function take(left: Set<JsonObject>, candidates: JsonObject[] = []): JsonObject | undefined {
  for (let item = candidates.pop(); item !== undefined; item = candidates.pop()) if (left.delete(item)) return item
  return undefined
}

function refuse(found: Violation[], at: string, name: string, fix: string): void {
  if (found.length >= maxViolations) return
  const pointer = `${at}/${escapePointer(name)}`
  found.push({
    pointer,
    detail: `"${pointerTokens(pointer).join('.')}" is read-only: ${fix}.`,
    code: 'readOnly',
    clause: 'REP-8',
  })
}

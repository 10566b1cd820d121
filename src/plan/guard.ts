/**
 * Guards the members that a client may not change, and those that it never sees (REP-8), at every
 * depth.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Convert } from '../definition/conversion.js'
import { escapePointer, isList, isObject, type JsonObject, own, pointerTokens, put } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import { ConfigurationError, type Violation } from '../problem.js'
import { compilePresent } from './members.js'
import { maxViolations } from './refusal.js'

export interface Guard {
  /** True if an update needs the current record. */
  readonly any: boolean
  /** Violations of a create that sends members which only the store may set. */
  given(next: JsonObject): Violation[]
  /**
   * Copies the guarded members of the stored record into an update. Equal values are accepted,
   * changed ones are violations. Modifies `next`.
   */
  carry(next: JsonObject, current: JsonObject): Violation[]
}

/**
 * Compiles the guard of a resource's records. Throws `ConfigurationError` if guarded members are in
 * nested lists, where an update could not match them with stored ones: they would be lost, or could
 * be changed.
 */
export function compileGuard(shape: Shape, owner = 'the resource'): Guard {
  const made = new Map<Shape, Level>()
  const level = levelOf(shape, owner, made)
  for (const one of made.values()) one.guarded = isGuarded(one)
  for (const { items } of made.values()) {
    if (items?.items?.guarded || items?.prefix.some((inner) => inner.guarded))
      throw unidentifiable(owner, 'of a list in a list')
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
 * The guard of records without guarded members. It holds no levels, because most resources have
 * this one.
 */
const unguarded: Guard = Object.freeze({ any: false, given: () => [], carry: () => [] })

type Kind = 'readOnly' | 'writeOnly' | 'plain'

/**
 * A member of an object, and the level below it. That level is empty if the whole member is
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

  /** Compiled on first use: only members of guarded records are compared. */
  get present(): Convert {
    this.#present ??= compilePresent(this.#shape)
    return this.#present
  }
}

/** One level of the schema. */
interface Level {
  readonly members: Map<string, Member>
  /** A member that the schema allows without naming it. */
  other: (name: string) => Member | undefined
  /** The possible results of `other`. */
  readonly others: Member[]
  readonly prefix: Level[]
  items: Level | undefined
  /** True if any member in it is guarded. */
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

/** `made` caches levels by shape, so that recursive schemas terminate. */
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
      if (item.readOnly || item.writeOnly) throw unidentifiable(owner, 'that is an item of a list')
    }
    level.prefix.push(...shape.prefix.map((item) => levelOf(item, owner, made)))
    if (shape.items !== undefined) level.items = levelOf(shape.items, owner, made)
  }
  return level
}

const unidentifiable = (owner: string, where: string): ConfigurationError =>
  new ConfigurationError(
    'invalid-schema',
    `The schema of "${owner}" has readOnly or writeOnly ${where}, where an update can't tell the items apart. Put it on the member that holds the list.`,
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
        refuse(found, at, name, 'the store sets it: leave it out')
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
      // Compared as the client saw it: on the wire a missing member may be null, and a date-time
      // may have more digits.
      const passes = removed ? seen === null : sent === undefined || isDeepStrictEqual(member.present(sent), seen)
      if (!passes) refuse(found, at, name, 'leave it out, or send the current value')
      else if (stored !== undefined) put(next, name, stored)
      else if (removed) delete next[name]
    }
  }
}

/**
 * Removes a member as a patch does: sets null if the schema allows it, else deletes it (VERB-5).
 * For a member that `carry` would restore, `undefined` marks the removal.
 */
export function removeMember(object: JsonObject, name: string, member: Shape): void {
  if (member.nullable) put(object, name, null)
  else if (member.readOnly || member.writeOnly) put(object, name, undefined)
  else delete object[name]
}

const isRemoved = (object: JsonObject, name: string): boolean =>
  Object.hasOwn(object, name) && object[name] === undefined

/**
 * Matches the items after the positional ones. Items have no address: an item matches the stored
 * one with the same read-only members or, if it sends none, the stored one that looks the same. Any
 * other item is new.
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

/** The client's view of an item's members of one kind, as text. */
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

/** The first candidate that has not been taken. */
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

/**
 * Applies a JSON Patch (RFC 6902) to a record as the client sees it (VERB-5). The package `rfc6902`
 * changes the document. This module adds rules that the package lacks: pointers lead only to an
 * object's own properties, array indices must be canonical, `move` removes the value before it
 * resolves the target, and the cost of one patch is limited.
 */

import { applyPatch, type Operation as Change } from 'rfc6902'
import { cutText } from '../cut-text.js'
import { canonicalAt } from '../definition/conversion.js'
import {
  escapePointer,
  isContainer,
  isList,
  isObject,
  type JsonObject,
  own,
  pointerTokens,
  put,
} from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import { tooDeep } from '../http/json-fault.js'
import { nearMiss } from '../near-miss.js'
import type { Violation } from '../problem.js'
import type { ViolationCode } from '../violation.js'
import { refuseBody } from './record.js'
import { maxViolations } from './refusal.js'

const operationNames = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

/** One operation of a patch, with parsed pointers. */
export interface PatchOperation {
  readonly op: (typeof operationNames)[number]
  readonly path: readonly string[]
  /** The source of `move` and `copy`. */
  readonly from: readonly string[]
  /** The value of `add`, `replace` and `test`. */
  readonly value: unknown
}

/**
 * Maximum number of operations in a patch. The number is limited because the time for one operation
 * can grow with the length of the longest list in the record.
 */
export const maxOperations = 1_000

/**
 * Reads the operations of a JSON Patch. Throws `invalid-body`, which lists the malformed operations
 * (RFC 6902 4).
 */
export function readOperations(body: unknown): readonly PatchOperation[] {
  const found: Violation[] = []
  const refuse = (pointer: string, code: ViolationCode, detail: string, more: Partial<Violation> = {}): void => {
    if (found.length < maxViolations) found.push({ pointer, detail, code, clause: 'VERB-5', ...more })
  }
  if (!isList(body))
    refuse(
      '',
      'type',
      'A JSON Patch is a list of operations, even for a single one (RFC 6902). ' +
        'To send an object with the members to change, use application/merge-patch+json.',
      { params: { types: ['array'] } },
    )
  else if (body.length > maxOperations)
    refuse('', 'maxItems', `A JSON Patch has at most ${maxOperations} operations. Send them in several patches.`, {
      params: { limit: maxOperations },
    })
  const given = found.length === 0 ? (body as readonly unknown[]) : []
  const operations = given.map((one, i) => operationOf(one, `/${i}`, refuse))
  refuseBody(found)
  return operations
}

type Refuse = (pointer: string, code: ViolationCode, detail: string, more?: Partial<Violation>) => void

/** Reads one operation. Ignores members that the RFC does not define, as the RFC requires. */
function operationOf(given: unknown, at: string, refuse: Refuse): PatchOperation {
  const op = operationNames.find((name) => name === own(given, 'op'))
  if (!isObject(given))
    refuse(at, 'type', 'An operation is an object: { "op": "replace", "path": "/name", "value": "x" }.', {
      params: { types: ['object'] },
    })
  else if (op === undefined) refuseName(own(given, 'op'), at, refuse)
  const known = isObject(given) && op !== undefined
  const moves = op === 'move' || op === 'copy'
  const path = known ? pointerOf(given, 'path', at, refuse) : undefined
  const from = known && moves ? pointerOf(given, 'from', at, refuse) : undefined
  if (known && (op === 'add' || op === 'replace' || op === 'test') && own(given, 'value') === undefined) {
    refuse(`${at}/value`, 'required', `"value" is required for ${op}. It may be null.`, { params: { member: 'value' } })
  }
  if (op === 'move' && from !== undefined && path !== undefined && isAbove(from, path)) {
    refuse(`${at}/path`, 'pointer', 'A value cannot be moved into itself.')
  }
  return { op: op ?? 'test', path: path ?? [], from: from ?? [], value: own(given, 'value') }
}

const isAbove = (one: readonly string[], other: readonly string[]): boolean =>
  one.length < other.length && one.every((token, i) => token === other[i])

function refuseName(op: unknown, at: string, refuse: Refuse): void {
  const allowed = operationNames.join(', ')
  if (op === undefined) {
    refuse(`${at}/op`, 'required', `"op" is required: one of ${allowed}.`, { params: { member: 'op' } })
    return
  }
  const suggestion = typeof op === 'string' ? nearMiss(op, operationNames) : undefined
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  const more = { allowed: operationNames, ...(suggestion === undefined ? {} : { suggestion }) }
  refuse(`${at}/op`, 'enum', `"op" must be one of ${allowed}.${hint}`, more)
}

/** Returns the tokens of a pointer, or `undefined` if the pointer is refused. */
function pointerOf(
  given: JsonObject,
  name: 'path' | 'from',
  at: string,
  refuse: Refuse,
): readonly string[] | undefined {
  const text = own(given, name)
  const pointer = `${at}/${name}`
  if (text === undefined) refuse(pointer, 'required', `"${name}" is required.`, { params: { member: name } })
  else if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')) || /~(?![01])/.test(text)) {
    refuse(
      pointer,
      'pointer',
      `"${name}" must be a JSON Pointer (RFC 6901), such as "/name/0". Write ~ as ~0, and / as ~1.`,
    )
  } else {
    const tokens = pointerTokens(text)
    // A body can't contain a member named `__proto__` either.
    if (!tokens.includes('__proto__')) return tokens
    refuse(pointer, 'pointer', `"${name}" names "__proto__", which is not a valid member name.`)
  }
  return undefined
}

/** The limits of a patch. */
export interface PatchLimits {
  /**
   * Maximum total size, in bytes, of the values that `copy` copies and that `move` moves to a
   * deeper level.
   */
  readonly bodyLimit: number
  /** Maximum nesting depth of the result, at the positions that the patch has changed. */
  readonly depthLimit: number
}

/** The result of applying a patch. */
export interface Patched {
  /** `undefined` if the whole document was removed. */
  readonly document: unknown
  /** The paths in the result at which the patch removed a member and did not add it again. */
  readonly removed: readonly (readonly string[])[]
}

/**
 * Applies all operations and returns the new document. The given document is not modified. With
 * `shape`, the operation `test` compares values in their canonical form, so that, for example, two
 * UUIDs are equal even if only one is in upper case. Throws `invalid-body` for the first operation
 * that fails (RFC 6902 5).
 */
export function applyOperations(
  document: unknown,
  operations: readonly PatchOperation[],
  limits: PatchLimits,
  shape?: Shape,
): Patched {
  const held: Held = { [whole]: escapedCopy(document) }
  const work: Work = { held, left: limits.bodyLimit, limits }
  const taken = new Map<unknown, Set<string>>()
  for (const [i, { op, path, from, value: given }] of operations.entries()) {
    // `test` compares canonical forms, so its value is converted to its canonical form.
    const value = op === 'test' && shape !== undefined ? canonicalAt(shape, path, given) : given
    const step = { op, path: inside(path), from: inside(from), value: escapedCopy(value) }
    const source = op === 'remove' ? step.path : step.from
    const owner = op === 'remove' || op === 'move' ? find(held, source.slice(0, -1))?.value : undefined
    const fault = run(work, step)
    if (fault !== undefined) refuseBody([{ ...fault, pointer: `/${i}${fault.pointer}`, clause: 'VERB-5' }])
    if (isObject(owner)) taken.set(owner, (taken.get(owner) ?? new Set()).add(source.at(-1) as string))
  }
  return { document: unescapedCopy(held[whole]), removed: taken.size === 0 ? [] : missing(held[whole], taken) }
}

/**
 * Returns the final paths of removed members. The objects that contained them may have moved since
 * the removal, in particular if they are items of a list.
 */
function missing(
  value: unknown,
  taken: ReadonlyMap<unknown, ReadonlySet<string>>,
  at: readonly string[] = [],
): (readonly string[])[] {
  const own = isObject(value) ? [...(taken.get(value) ?? [])].filter((name) => !Object.hasOwn(value, name)) : []
  const inner = isContainer(value) ? Object.entries(value) : []
  return [
    ...own.map((name) => [...at, unescapedName(name)]),
    ...inner.flatMap(([name, one]) => missing(one, taken, [...at, unescapedName(name)])),
  ]
}

/**
 * The document in a wrapper object, because `rfc6902` can't replace the root of a document. While a
 * value is being moved, the wrapper also holds this value (in `carried`).
 */
type Held = Record<string, unknown>
const whole = 'whole'
const carried = ['carried']

interface Work {
  readonly held: Held
  /** The number of bytes that the remaining operations may copy or move. */
  left: number
  readonly limits: PatchLimits
}

type Fault = Violation & { readonly pointer: string }

/** Applies one operation. If the operation fails, returns the violation. */
function run(work: Work, { op, path, from, value }: PatchOperation): Fault | undefined {
  const { held } = work
  switch (op) {
    case 'test': {
      const found = find(held, path)
      if (found === undefined) return absentAt('/path', path)
      return same(found.value, value)
        ? undefined
        : { pointer: '', detail: 'The test failed: the value is different.', code: 'test-failed' }
    }
    case 'remove':
      if (find(held, path) === undefined) return absentAt('/path', path)
      return change(held, { op, path: textOf(path) })
    case 'replace':
      if (find(held, path) === undefined) return absentAt('/path', path)
      return depthFault(work, path, value) ?? change(held, { op, path: textOf(path), value })
    case 'add':
      if (!mayAdd(held, path)) return absentAt('/path', path)
      return depthFault(work, path, value) ?? change(held, { op, path: textOf(path), value })
    case 'copy':
      return copy(work, path, from)
    case 'move':
      return move(work, path, from)
  }
}

function copy(work: Work, path: readonly string[], from: readonly string[]): Fault | undefined {
  const found = find(work.held, from)
  if (found === undefined) return absentAt('/from', from)
  if (!mayAdd(work.held, path)) return absentAt('/path', path)
  const fault = tooLarge(work, found.value) ?? depthFault(work, path, found.value)
  return fault ?? change(work.held, { op: 'copy', from: textOf(from), path: textOf(path) })
}

/**
 * Removes the value and then adds it (RFC 6902 4.4). The target is resolved after the removal,
 * because the removal may have shifted array indices.
 */
function move(work: Work, path: readonly string[], from: readonly string[]): Fault | undefined {
  const { held } = work
  const found = find(held, from)
  if (found === undefined) return absentAt('/from', from)
  const fault =
    path.length > from.length ? (tooLarge(work, found.value) ?? depthFault(work, path, found.value)) : undefined
  if (fault !== undefined) return fault
  change(held, { op: 'move', from: textOf(from), path: textOf(carried) })
  return mayAdd(held, path)
    ? change(held, { op: 'move', from: textOf(carried), path: textOf(path) })
    : absentAt('/path', path)
}

function change(held: Held, operation: Change): undefined {
  const [refused] = applyPatch(held, [operation])
  // The callers have already refused every operation that `rfc6902` would refuse.
  if (refused) throw refused
}

function absentAt(pointer: '/path' | '/from', path: readonly string[]): Fault {
  const text = textOf(path.slice(1).map(unescapedName))
  const shown = cutText(text, 80)
  return {
    pointer,
    detail:
      `"${pointer.slice(1)}" can't be resolved: "${shown}". ` +
      'Pointers apply to the representation that GET of the item returns.',
    code: 'path-absent',
  }
}

function tooLarge(work: Work, value: unknown): Fault | undefined {
  work.left -= Buffer.byteLength(JSON.stringify(value))
  if (work.left >= 0) return undefined
  const detail =
    `The values that a patch copies, or moves to deeper levels, may have at most ${work.limits.bodyLimit} ` +
    'bytes in total.'
  return { pointer: '', detail, code: 'too-large', params: { limit: work.limits.bodyLimit } }
}

function depthFault({ limits: { depthLimit } }: Work, path: readonly string[], value: unknown): Fault | undefined {
  if (path.length - 1 + depthOf(value) <= depthLimit) return undefined
  return {
    pointer: '/path',
    detail: tooDeep(depthLimit),
    code: 'too-deep',
    params: { limit: depthLimit },
  }
}

function depthOf(value: unknown): number {
  if (!isContainer(value)) return 0
  let deepest = 0
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner))
  return deepest + 1
}

const index = /^(?:0|[1-9]\d*)$/

/**
 * Returns the value at a path, wrapped in an object. Returns `undefined` if nothing is at this
 * path.
 */
function find(held: Held, path: readonly string[]): { readonly value: unknown } | undefined {
  let value: unknown = held
  for (const token of path) {
    const there = isList(value)
      ? index.test(token) && Number(token) < value.length
      : isObject(value) && Object.hasOwn(value, token)
    if (!there) return undefined
    value = (value as JsonObject)[token]
  }
  return { value }
}

/** Whether a value can be added at this path. */
function mayAdd(held: Held, path: readonly string[]): boolean {
  const parent = find(held, path.slice(0, -1))?.value
  const token = path.at(-1) as string
  return isList(parent) ? token === '-' || (index.test(token) && Number(token) <= parent.length) : isObject(parent)
}

/**
 * Compares two values by the rules of the RFC: numbers by value, and members in any order (RFC 6902
 * 4.6). Visits no more values than the smaller of the two contains.
 */
function same(one: unknown, other: unknown): boolean {
  if (isList(one)) return isList(other) && one.length === other.length && one.every((item, i) => same(item, other[i]))
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(other)
  return (
    names.every((name) => Object.hasOwn(one, name) && same(one[name], other[name])) &&
    names.length === Object.keys(one).length
  )
}

/**
 * Member names that `rfc6902` skips in pointers and omits from copies. These names are escaped
 * while `rfc6902` works on the document.
 */
const unsafeName = /^\0*(?:__proto__|constructor|prototype)$/

const escapedName = (name: string): string => (unsafeName.test(name) ? `\0${name}` : name)
const unescapedName = (name: string): string => (name.startsWith('\0') && unsafeName.test(name) ? name.slice(1) : name)

const escapedCopy = (value: unknown): unknown => renamed(value, escapedName)
const unescapedCopy = (value: unknown): unknown => renamed(value, unescapedName)

/**
 * Returns a copy with renamed members. The copy is necessary because `rfc6902` modifies its input.
 */
function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (isList(value)) return value.map((item) => renamed(item, rename))
  if (!isObject(value)) return value
  const copied: JsonObject = {}
  for (const name of Object.keys(value)) put(copied, rename(name), renamed(value[name], rename))
  return copied
}

const inside = (path: readonly string[]): readonly string[] => [whole, ...path.map(escapedName)]

const textOf = (path: readonly string[]): string => path.map((token) => `/${escapePointer(token)}`).join('')

/**
 * Reads JSON bodies (RFC 8259, RFC 7493; HDR-5) strictly. A body that other parsers are known to
 * interpret differently is refused.
 */
import { isContainer } from '../definition/json.js'
import { faultAt, forbiddenName, type JsonFault, notFinite, tooDeep, tooPrecise } from './json-fault.js'
import { scanJson } from './json-scanner.js'
import { readSound } from './json-sound.js'

export type { JsonFault }

/** The parsed value, or the error in the JSON text. */
export type JsonResult = { readonly value: unknown } | JsonFault

export interface JsonLimits {
  /** Maximum nesting of arrays and objects; `[[]]` has a depth of 2. */
  readonly depth: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON text. Refuses invalid JSON, invalid UTF-8 and nesting above the limit. Also refuses
 * texts that different parsers are known to read differently: texts with duplicate members, a
 * member named `__proto__`, numbers outside the range of doubles, or integers that a double would
 * silently change. A byte order mark is skipped. `-0` is read as 0, because `JSON.stringify` would
 * write it as 0.
 *
 * @example
 * parseJson(bytes, { depth: 32 })
 * // { value: { id: 3 } } or { malformed: 'A member occurs twice in one object.', pointer: '/id' }
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): JsonResult {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { malformed: 'The text is not valid UTF-8.' }
  }
  const sound = readSound(text, limits.depth)
  if (sound !== undefined) return sound
  const scan = scanJson(text, limits.depth)
  if ('malformed' in scan) return scan
  return { value: scan.negativeZero ? JSON.parse(text, withoutNegativeZero) : JSON.parse(text) }
}

function withoutNegativeZero(_name: string, value: unknown): unknown {
  return value === 0 ? 0 : value
}

/**
 * The position of a value in a body. `step` is the name or index of the value. `parent` is the
 * position of the object or array that contains the value.
 */
interface Place {
  readonly parent: Place | undefined
  readonly step: string | number
}

const root: Place = { parent: undefined, step: '' }

/**
 * Checks a body that another middleware has already parsed. Some errors that `parseJson` reports
 * can still be found in the parsed value: excessive nesting, members named `__proto__`, non-finite
 * numbers and bigints. Returns one of these errors, or `undefined` if there is none. The check
 * works level by level and visits each array or object at most once per level. So it is fast even
 * for cycles, and for objects that occur in many places.
 */
export function checkParsed(value: unknown, limits: JsonLimits): JsonFault | undefined {
  if (!isContainer(value)) return faultOf(value, root)
  let level = new Map<object, Place>([[value, root]])
  for (let depth = 1; level.size > 0; depth++) {
    const next = new Map<object, Place>()
    for (const [container, place] of level) {
      if (depth > limits.depth) return faultAt(tooDeep(limits.depth), pathOf(place))
      const fault = Array.isArray(container) ? checkArray(container, place, next) : checkObject(container, place, next)
      if (fault !== undefined) return fault
    }
    level = next
  }
  return undefined
}

function checkArray(array: readonly unknown[], parent: Place, next: Map<object, Place>): JsonFault | undefined {
  for (let step = 0; step < array.length; step++) {
    const item = array[step]
    const place = { parent, step }
    const fault = isContainer(item) ? undefined : faultOf(item, place)
    if (fault !== undefined) return fault
    if (isContainer(item)) next.set(item, place)
  }
  return undefined
}

function checkObject(object: object, parent: Place, next: Map<object, Place>): JsonFault | undefined {
  for (const step of Object.keys(object)) {
    if (step === '__proto__') return faultAt(forbiddenName, pathOf({ parent, step }))
    const item: unknown = (object as Record<string, unknown>)[step]
    const place = { parent, step }
    const fault = isContainer(item) ? undefined : faultOf(item, place)
    if (fault !== undefined) return fault
    if (isContainer(item)) next.set(item, place)
  }
  return undefined
}

/**
 * The error in a value that is neither an array nor an object. Some parsers read long integers as
 * bigint, which `JSON.stringify` can't write to a response.
 */
function faultOf(value: unknown, place: Place): JsonFault | undefined {
  if (typeof value === 'bigint') return faultAt(tooPrecise, pathOf(place))
  return typeof value === 'number' && !Number.isFinite(value) ? faultAt(notFinite, pathOf(place)) : undefined
}

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.step)
  return path.reverse()
}

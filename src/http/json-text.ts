/**
 * JSON bodies (RFC 8259, RFC 7493; HDR-5): read strictly, so that no two readers can understand a body differently.
 */
import { isContainer } from '../definition/json.js'
import { faultAt, forbiddenName, type JsonFault, notFinite, tooDeep, tooPrecise } from './json-fault.js'
import { scanJson } from './json-scanner.js'
import { readSound } from './json-sound.js'

export type { JsonFault }

/** A value, or what is wrong with the text. */
export type JsonResult = { readonly value: unknown } | JsonFault

export interface JsonLimits {
  /** How many arrays and objects may stand in one another; `[[]]` has 2. */
  readonly depth: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON text. Besides what is not JSON, it refuses what readers are known to understand differently: invalid UTF-8 (a byte
 * order mark is passed over), nesting deeper than the limit, a member that stands twice, a member named `__proto__`, a number beyond the
 * doubles, an integer that a double would silently change. `-0` reads as 0, since JSON has no other way to write it back.
 *
 * @example parseJson(bytes, { depth: 32 }) // { value: { id: 3 } } or { malformed: 'A member stands twice in one object.', pointer: '/id' }
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

/** Where a container stands: the way back to the root. */
interface Place {
  readonly parent: Place | undefined
  readonly step: string | number
}

const root: Place = { parent: undefined, step: '' }

/**
 * What `parseJson` would have refused in a value that another middleware has parsed already, as far as the value still shows it: depth,
 * members named `__proto__`, numbers that are not finite, bigints; `undefined` when nothing is wrong. It goes level by level and takes each
 * container once a level, so neither a cycle nor a value shared a thousand times can hold it up.
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

/** What is wrong with a value that is no container. Some parsers make a bigint of a long integer, which no answer could say. */
function faultOf(value: unknown, place: Place): JsonFault | undefined {
  if (typeof value === 'bigint') return faultAt(tooPrecise, pathOf(place))
  return typeof value === 'number' && !Number.isFinite(value) ? faultAt(notFinite, pathOf(place)) : undefined
}

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.step)
  return path.reverse()
}

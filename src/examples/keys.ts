/**
 * Keys of example records. The keys are unique. If the schema allows it, they are consecutive
 * numbers, or readable strings such as `order-1`.
 */
import type { JsonObject } from '../definition/json.js'
import { unfitForNew } from '../definition/key.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { partsOf } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import type { Shape } from '../definition/shape.js'
import { valueFormat } from '../definition/value-formats.js'
import { all, numbers } from './applied.js'
import type { RecordMaker } from './record-maker.js'
import { Unmade } from './unmade.js'

/** An attempt to generate a key. */
interface PartPlace {
  readonly index: number
  readonly attempt: number
  /**
   * Members of the key that have given or fixed values, or refer to other records, are not
   * generated. `before` is the number of earlier attempts with the same values in these members.
   */
  readonly before: number
}

/** Returns a value for a part of a key; `undefined` if there are no more values. */
export type MakePart = (place: PartPlace) => unknown

/** Creates the generators for those parts of a key that do not refer to other records. */
export function partMakers(maker: RecordMaker, members: readonly string[]): ReadonlyMap<string, MakePart> {
  const makers = new Map<string, MakePart>()
  // If several parts have lists of values, each value of one part is combined with each value of
  // the others.
  let stride = 1
  for (const member of members) {
    const values = listedValues(maker, member)
    if (values === undefined) makers.set(member, partMaker(maker, member))
    else {
      const step = stride
      makers.set(member, ({ before }) => values[Math.floor(before / step) % values.length])
      stride *= values.length
    }
  }
  return makers
}

/** The values of a part that is an `enum`, a `const` or a boolean. */
function listedValues({ definition: { shape } }: RecordMaker, member: string): readonly unknown[] | undefined {
  const place = shape.members.get(member)
  return place?.types.has('boolean') ? [false, true] : place?.values
}

function partMaker(maker: RecordMaker, member: string): MakePart {
  const { shape, schema } = maker.definition
  const place = shape.members.get(member)
  const parts = partsOf(schema, shape.properties.get(member) ?? {})
  const examples = all(parts, 'examples').flat()
  const make = unlisted(maker, member, { place, parts })
  return (at) => examples[at.before] ?? make(at)
}

interface Part {
  readonly place: Shape | undefined
  readonly parts: readonly JsonSchema[]
}

function unlisted(maker: RecordMaker, member: string, { place, parts }: Part): MakePart {
  const types = place?.types ?? new Set()
  if (types.has('integer') || types.has('number')) return counted(parts, types.has('integer'))
  const format = valueFormat(place)
  if (format?.isNumber === true) return ({ before }) => String(before + 1)
  const isPlain =
    place?.format === undefined && all(parts, 'pattern').length === 0 && all(parts, 'examples').length === 0
  const readable = isPlain ? numbered(maker.definition, parts) : undefined
  return ({ index, attempt, before }) => readable?.(before) ?? maker.part(member, index, attempt)
}

/**
 * Consecutive multiples of `multipleOf`, or of 1 by default. They ascend from the minimum in the
 * schema, or from 1 without a minimum. If there is no minimum, and no multiple from 1 to the
 * maximum, they descend from the maximum.
 */
function counted(parts: readonly JsonSchema[], isWhole: boolean): MakePart {
  const step = Math.max(...numbers(parts, 'multipleOf'), isWhole ? 1 : 0) || 1
  const min = Math.max(
    ...numbers(parts, 'minimum'),
    ...numbers(parts, 'exclusiveMinimum').map((bound) => Math.floor(bound) + 1),
  )
  const max = Math.min(
    ...numbers(parts, 'maximum'),
    ...numbers(parts, 'exclusiveMaximum').map((bound) => Math.ceil(bound) - 1),
  )
  const from = Number.isFinite(min) ? min : Math.min(1, max)
  const start = Math.ceil(from / step) * step
  const isDown = !Number.isFinite(min) && (max < 1 || start > max)
  return ({ before }) => {
    const value = isDown ? (Math.floor(max / step) - before) * step : start + before * step
    return value > max ? undefined : value
  }
}

/**
 * Strings such as `order-1`, or only a number if such a string is too long. `undefined` if neither
 * has an allowed length.
 */
function numbered({ singular }: ResourceDefinition, parts: readonly JsonSchema[]): (at: number) => string | undefined {
  const min = Math.max(0, ...numbers(parts, 'minLength'))
  const max = Math.min(200, ...numbers(parts, 'maxLength'))
  return (at) => {
    const number = String(at + 1)
    const long = `${singular}-${number.padStart(min - singular.length - 1, '0')}`
    const short = number.padStart(min, '0')
    return [...long].length <= max ? long : short.length <= max ? short : undefined
  }
}

/** The key as a string, or the reason why the key is not valid. */
export function keyText({ key }: ResourceDefinition, row: JsonObject): string | Unmade {
  const found = key.of(row)
  if (found === undefined) return new Unmade(key.members.join(', '), 'key', 'no value of its type was found')
  const text = key.text(found)
  const why = unfitForNew(text)
  return why === undefined ? text : new Unmade(key.members.join(', '), 'key', why)
}

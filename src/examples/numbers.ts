/** Example numbers within the bounds of a schema. */
import type { JsonSchema } from '../definition/schema-types.js'
import { all, numbers } from './applied.js'
import type { Making } from './making.js'
import { Unmade } from './unmade.js'

/**
 * The usual distance from the smallest to the largest generated number, in steps. It is used if the
 * schema has no maximum. It is also used if the schema has no minimum and allows no positive
 * number. If the schema has no maximum, a step of less than 1 counts as 1.
 */
const usual = 999

interface Bounds {
  readonly min: number
  readonly max: number
  readonly step: number
}

/**
 * A random number within the bounds of the schema. Throws `Unmade` if the schema allows no number.
 */
export function makeNumber(parts: readonly JsonSchema[], isWhole: boolean, making: Making): number {
  const { random, path } = making
  const { min, max, step } = boundsOf(parts, isWhole, path)
  const first = Math.ceil(rounded(min / step))
  const last = Math.floor(rounded(max / step))
  const isCounted = Number.isSafeInteger(first) && Number.isSafeInteger(last)
  if (isCounted && first <= last) return rounded(random.between(first, last) * step)
  const isStepped = isWhole || all(parts, 'multipleOf').length > 0
  if (min > max || (isStepped && isCounted)) {
    throw new Unmade(
      path,
      isStepped && min <= max ? 'multipleOf' : 'minimum',
      `there is no number from ${min} to ${max}${isStepped ? ` that is a multiple of ${step}` : ''}`,
    )
  }
  return isStepped ? rounded(Math.ceil(min / step) * step) : min + (max - min) / 2
}

function boundsOf(parts: readonly JsonSchema[], isWhole: boolean, path: string): Bounds {
  const formats = all(parts, 'format')
  const isSmall = formats.includes('int32')
  const step = stepOf(numbers(parts, 'multipleOf'), isWhole || isSmall || formats.includes('int64'), path)
  const above = numbers(parts, 'exclusiveMinimum').map((bound) => next(bound, step, 1))
  const below = numbers(parts, 'exclusiveMaximum').map((bound) => next(bound, step, -1))
  const min = Math.max(...numbers(parts, 'minimum'), ...above, ...(isSmall ? [-(2 ** 31)] : []))
  const max = Math.min(...numbers(parts, 'maximum'), ...below, ...(isSmall ? [2 ** 31 - 1] : []))
  // Without a minimum, numbers from 1 on are preferred, then smaller positive numbers.
  const lowest = [Math.ceil(rounded(1 / step)) * step, step, max - usual * step].find((one) => one <= max) ?? max
  const from = Number.isFinite(min) ? min : lowest
  const to = Number.isFinite(max) ? max : from + usual * Math.max(step, isWhole ? step : 1)
  return isWhole
    ? { min: Math.max(from, Number.MIN_SAFE_INTEGER), max: Math.min(to, Number.MAX_SAFE_INTEGER), step }
    : { min: from, max: to, step }
}

/** A number just inside an exclusive bound. */
const next = (bound: number, step: number, sign: 1 | -1): number =>
  Math.abs(bound) > 2 ** 40
    ? bound + sign * Math.abs(bound) * Number.EPSILON
    : bound + sign * Math.min(step, 1e-6 + step / 1_000)

/**
 * The step between numbers: a common multiple of every `multipleOf`, and of 1 for integers. Without
 * `multipleOf`, it is 1 for integers and 0.01 for other numbers.
 */
function stepOf(given: readonly number[], isWhole: boolean, path: string): number {
  let step = isWhole ? 1 : undefined
  for (const one of given) step = step === undefined ? one : commonMultiple(step, one, path)
  return step ?? 0.01
}

function commonMultiple(one: number, other: number, path: string): number {
  const [small, large] = one < other ? [one, other] : [other, one]
  for (let i = 1; i <= 10_000; i++) {
    const quotient = rounded((large * i) / small)
    if (Number.isInteger(quotient)) return rounded(large * i)
  }
  throw new Unmade(path, 'multipleOf', `no multiple of both ${one} and ${other} was found`)
}

/** Removes the rounding error of a calculation with doubles, as in 1.1500000000000001. */
const rounded = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(14)))

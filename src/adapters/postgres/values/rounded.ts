/**
 * Conditions on decimals that are shown as doubles. Many decimals are shown as the same double: all
 * decimals between two midpoints. One midpoint lies halfway to the next smaller double, and the
 * other lies halfway to the next larger double. The column is compared with these midpoints, so
 * that an index on the column can be used.
 */
import type { Comparison } from './column-type.js'
import type { Comparing } from './value-texts.js'

/** The smallest decimal that becomes infinite as a double. */
export const infiniteFrom = String(2n ** 1024n - 2n ** 970n)

/**
 * The comparisons that replace `op` and `value`, for a finite `value`. A decimal satisfies all of
 * these comparisons if and only if its double satisfies the comparison with `op` and `value`.
 */
export function comparedRounded(op: Comparing, value: number, cast: string): readonly Comparison[] {
  const [below, above, isEven] = middles(value)
  // A decimal exactly at a midpoint is shown as the neighbouring double with the even significand.
  const from: Comparison = { op: isEven ? '>=' : '>', text: below, cast }
  const to: Comparison = { op: isEven ? '<=' : '<', text: above, cast }
  if (op === '=') return [from, to]
  if (op === '>=') return [from]
  if (op === '<=') return [to]
  return [op === '>' ? { ...to, op: isEven ? '>' : '>=' } : { ...from, op: isEven ? '<' : '<=' }]
}

const fractionBits = 52n
const smallestExponent = -1074

/**
 * The midpoints below and above a double, as decimals, and whether the significand of the double is
 * even.
 */
function middles(value: number): readonly [below: string, above: string, isEven: boolean] {
  const [bits = 0n] = new BigUint64Array(new Float64Array([Math.abs(value)]).buffer)
  const biased = Number(bits >> fractionBits)
  const fraction = bits & ((1n << fractionBits) - 1n)
  const significand = biased === 0 ? fraction : fraction | (1n << fractionBits)
  const exponent = smallestExponent + Math.max(biased - 1, 0)
  const outer = decimal(2n * significand + 1n, exponent - 1)
  // Doubles are twice as dense below a power of two as above it.
  const inner =
    fraction === 0n && biased > 1
      ? decimal(4n * significand - 1n, exponent - 2)
      : decimal(2n * significand - 1n, exponent - 1)
  const isEven = (significand & 1n) === 0n
  return value < 0 ? [negated(outer), negated(inner), isEven] : [inner, outer, isEven]
}

/** The decimal string of `whole * 2 ** exponent`, with all digits. */
const decimal = (whole: bigint, exponent: number): string =>
  exponent < 0 ? `${whole * 5n ** BigInt(-exponent)}e${exponent}` : String(whole << BigInt(exponent))

const negated = (text: string): string => (text.startsWith('-') ? text.slice(1) : `-${text}`)

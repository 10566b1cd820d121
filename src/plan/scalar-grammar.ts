/** How a scalar is written in a query: strictly, so that one value has one meaning (QUERY-1, QUERY-8). */
import type { Scalar } from '../adapters/contract.js'
import type { Shape } from '../definition/shape.js'
import { canonicalOf, valueFormat } from '../definition/value-formats.js'
import { integerChanges } from '../http/json-number.js'
import { formatTest } from './formats.js'

type Parse = (text: string) => Scalar | undefined

export interface ScalarGrammar {
  /** The typed value of a text, or `undefined` where it is none. */
  readonly parse: Parse
  /** What a value looks like, for messages. */
  readonly expects: string
  /** The only values there are, where they can be counted. */
  readonly allowed: readonly Scalar[] | undefined
}

/** The grammar of the scalars that a shape allows. Where it is not `closed` (a bound to compare with), values beside those of an `enum` will do. */
export function scalarGrammar(shape: Shape | undefined, closed = true): ScalarGrammar {
  const types = shape?.types ?? new Set<string>()
  const ways = [
    ...(types.has('number') ? [number] : types.has('integer') ? [integer] : []),
    ...(types.has('boolean') ? [boolean] : []),
    ...(types.has('string') || types.size === 0 ? [textWay(shape)] : []),
  ]
  // Of the types that a member may have, the first that fits is meant: "5" is a number before it is text.
  const parse: Parse = (text) => {
    for (const way of ways) {
      const value = way.parse(text)
      if (value !== undefined) return value
    }
    return undefined
  }
  const values = closed ? shape?.values : undefined
  if (values !== undefined) {
    const among: Parse = (text) => values.find((value) => value === parse(text) || value === text)
    return { parse: among, expects: `one of ${values.join(', ')}`, allowed: values }
  }
  return {
    parse,
    expects: ways.map((way) => way.expects).join(' or '),
    allowed: ways.length > 0 && ways.every((way) => way === boolean) ? [true, false] : undefined,
  }
}

interface Way {
  readonly parse: Parse
  readonly expects: string
}

export const boolean: Way = { parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined), expects: 'true or false' }
const integer: Way = { parse: parseInteger, expects: 'a whole number' }
const number: Way = { parse: parseNumber, expects: 'a number' }

function textWay(shape: Shape | undefined): Way {
  const canonical = canonicalOf(shape)
  const expects = valueFormat(shape)?.expects
  // A raw "+" has become a space on its way here: that of an offset, or of an exponent.
  if (canonical !== undefined && expects !== undefined)
    return { parse: (text) => canonical(text) ?? canonical(text.replaceAll(' ', '+')), expects }
  const format = shape?.format
  const fits = format === undefined ? undefined : formatTest(format)
  if (fits === undefined) return { parse: (text) => (isUnicode(text) ? text : undefined), expects: 'text' }
  return { parse: (text) => (isUnicode(text) && fits(text) ? text : undefined), expects: `a text of the format ${format}` }
}

const isUnicode = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** A whole number that a double holds, as JSON writes it; `-0` is `0` written otherwise. */
export function parseInteger(text: string): number | undefined {
  const value = Number(text)
  return /^(?:0|-?[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(value) ? value : undefined
}

/** A number as JSON writes it that reading does not change. */
function parseNumber(text: string): number | undefined {
  if (!/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) && !integerChanges(text) ? value + 0 : undefined
}

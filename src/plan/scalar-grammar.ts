/** Parses scalars in queries: strictly, so that each value has one meaning (QUERY-1, QUERY-8). */
import type { Scalar } from '../adapters/contract.js'
import type { Shape } from '../definition/shape.js'
import { canonicalOf, valueFormat } from '../definition/value-formats.js'
import { integerChanges } from '../http/json-number.js'
import { formatTest } from './formats.js'

type Parse = (text: string) => Scalar | undefined

export interface ScalarGrammar {
  /** The typed value of a text; `undefined` if it is not valid. */
  readonly parse: Parse
  /** Describes valid values, for messages. */
  readonly expects: string
  /** The complete list of valid values, if it is finite. */
  readonly allowed: readonly Scalar[] | undefined
}

/**
 * The grammar of the scalars that a shape allows. Unless `closed`, values outside an `enum` are
 * accepted too: they may be bounds of a comparison.
 */
export function scalarGrammar(shape: Shape | undefined, closed = true): ScalarGrammar {
  const types = shape?.types ?? new Set<string>()
  const parsers = [
    ...(types.has('number') ? [number] : types.has('integer') ? [integer] : []),
    ...(types.has('boolean') ? [boolean] : []),
    ...(types.has('string') || types.size === 0 ? [textParser(shape)] : []),
  ]
  // If a member may have several types, the first match wins: "5" is a number before it is text.
  const parse: Parse = (text) => {
    for (const parser of parsers) {
      const value = parser.parse(text)
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
    expects: parsers.map((parser) => parser.expects).join(' or '),
    allowed: parsers.length > 0 && parsers.every((parser) => parser === boolean) ? [true, false] : undefined,
  }
}

interface ScalarParser {
  readonly parse: Parse
  readonly expects: string
}

export const boolean: ScalarParser = {
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  expects: 'true or false',
}
const integer: ScalarParser = { parse: parseInteger, expects: 'a whole number' }
const number: ScalarParser = { parse: parseNumber, expects: 'a number' }

function textParser(shape: Shape | undefined): ScalarParser {
  const canonical = canonicalOf(shape)
  const expects = valueFormat(shape)?.expects
  // A raw "+", as in an offset or an exponent, has been decoded as a space.
  if (canonical !== undefined && expects !== undefined)
    return { parse: (text) => canonical(text) ?? canonical(text.replaceAll(' ', '+')), expects }
  const format = shape?.format
  const fits = format === undefined ? undefined : formatTest(format)
  if (fits === undefined) return { parse: (text) => (isUnicode(text) ? text : undefined), expects: 'text' }
  return {
    parse: (text) => (isUnicode(text) && fits(text) ? text : undefined),
    expects: `a text of the format ${format}`,
  }
}

const isUnicode = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/**
 * A whole number that a double represents exactly, as JSON writes it. `-0` is not accepted: it is
 * another spelling of `0`.
 */
export function parseInteger(text: string): number | undefined {
  const value = Number(text)
  return /^(?:0|-?[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(value) ? value : undefined
}

/** A number as JSON writes it, which a double represents without changing its integer part. */
function parseNumber(text: string): number | undefined {
  if (!/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) && !integerChanges(text) ? value + 0 : undefined
}

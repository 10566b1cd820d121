/**
 * Parses the scalar values in queries. Parsing is strict, so that each string has only one meaning
 * (QUERY-1, QUERY-8).
 */
import type { Scalar } from '../adapters/contract.js'
import type { Shape } from '../definition/shape.js'
import { canonicalOf, valueFormat } from '../definition/value-formats.js'
import { alternatives, formatWords, typeWords } from '../definition/value-words.js'
import { integerChanges } from '../http/json-number.js'
import { formatTest } from './formats.js'

type Parse = (text: string) => Scalar | undefined

export interface ScalarGrammar {
  /** Returns the typed value of a string, or `undefined` if the string is not valid. */
  readonly parse: Parse
  /** A description of the valid values, for messages. */
  readonly expects: string
  /** All valid values. `undefined` if they can't be listed. */
  readonly allowed: readonly Scalar[] | undefined
}

/**
 * Compiles the grammar of the scalars that a shape allows. If `closed` is false, values outside the
 * shape's `enum` are also accepted, because they may be the bounds of a comparison.
 */
export function scalarGrammar(shape: Shape | undefined, closed = true): ScalarGrammar {
  const types = shape?.types ?? new Set<string>()
  const parsers = [
    ...(types.has('number') ? [number] : types.has('integer') ? [integer] : []),
    ...(types.has('boolean') ? [boolean] : []),
    ...(types.has('string') || types.size === 0 ? [textParser(shape)] : []),
  ]
  // If a member may have several types, the first parser that succeeds decides. For example, "5" is
  // parsed as a number and not as a string.
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
    expects: alternatives(parsers.map((parser) => parser.expects)),
    allowed: parsers.length > 0 && parsers.every((parser) => parser === boolean) ? [true, false] : undefined,
  }
}

interface ScalarParser {
  readonly parse: Parse
  readonly expects: string
}

export const boolean: ScalarParser = {
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  expects: typeWords(['boolean']),
}
const integer: ScalarParser = { parse: parseInteger, expects: typeWords(['integer']) }
const number: ScalarParser = { parse: parseNumber, expects: typeWords(['number']) }

function textParser(shape: Shape | undefined): ScalarParser {
  const canonical = canonicalOf(shape)
  const expects = valueFormat(shape)?.expects
  // A raw "+" in the query has been decoded as a space. A time offset or an exponent may contain a
  // plus, so the plus is restored here. In a date-time, an earlier space may stand for the "T". In
  // that case, only the last space becomes a plus.
  if (canonical !== undefined && expects !== undefined) {
    const withPlus = (text: string): string | undefined =>
      canonical(text.replaceAll(' ', '+')) ?? canonical(text.replace(/ (?=[^ ]*$)/, '+'))
    return { parse: (text) => canonical(text) ?? withPlus(text), expects }
  }
  const format = shape?.format
  const fits = format === undefined ? undefined : formatTest(format)
  if (fits === undefined)
    return { parse: (text) => (isUnicode(text) ? text : undefined), expects: typeWords(['string']) }
  return {
    parse: (text) => (isUnicode(text) && fits(text) ? text : undefined),
    expects: formatWords(format ?? ''),
  }
}

const isUnicode = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/**
 * Parses a whole number in the spelling of JSON, between -(2^53-1) and 2^53-1. `-0` is not
 * accepted, because it is another spelling of `0`.
 */
export function parseInteger(text: string): number | undefined {
  const value = Number(text)
  return /^(?:0|-?[1-9][0-9]{0,15})$/.test(text) && Number.isSafeInteger(value) ? value : undefined
}

/**
 * Parses a number in the spelling of JSON. An integer is not accepted if its conversion to a double
 * would change it.
 */
function parseNumber(text: string): number | undefined {
  if (!/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) && !integerChanges(text) ? value + 0 : undefined
}

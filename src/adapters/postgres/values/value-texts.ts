/**
 * Types whose values are shown as texts, with one canonical text for each value. Other spellings
 * from clients are converted to it. Texts that are not values are refused, in writes and in
 * conditions.
 */
import type { Scalar } from '../../contract.js'
import { asText, type ColumnType, type Comparison } from './column-type.js'

export interface ValueTexts extends Pick<ColumnType, 'cast' | 'samples' | 'formats' | 'width' | 'counts' | 'inJson'> {
  /** The canonical text of a value; `undefined` if the text is not a value. */
  canonical(text: string): string | undefined
  /** Describes a value, as the end of "must be ...". */
  readonly expects: string
  /** Why the column can't hold a canonical text exactly. Default: it can. */
  holdsNot?(canonical: string): string | undefined
  /** The SQL that reads a value as text. Default: its cast to text. */
  read?(sql: string): string
  /** Converts a text that was read to the canonical one. Default: unchanged. */
  shown?(text: string): string
  /** Converts a canonical text to the one that is sent to the database. Default: unchanged. */
  sent?(canonical: string): string
  /**
   * The comparison with a canonical text that the column can't hold. Default: compares it as it is.
   */
  beyond?(op: Comparing, canonical: string): Comparison
}

export type Comparing = '=' | '<' | '<=' | '>' | '>='

/** Makes a type of such values. */
export function valueTexts(type: ValueTexts): ColumnType {
  const { cast, canonical, sent = (text) => text, shown } = type
  const of = (value: Scalar): string | undefined => canonical(value as string)
  const mismatch = (value: Scalar): string | undefined =>
    of(value) === undefined ? `must be ${type.expects}` : undefined
  return {
    cast,
    holds: ['string'],
    samples: type.samples,
    ...(type.formats === undefined ? {} : { formats: type.formats }),
    ...(type.width === undefined ? {} : { width: type.width }),
    counts: type.counts ?? false,
    inJson: type.inJson ?? false,
    canonical,
    read: type.read ?? asText,
    decode: shown ?? ((text) => text),
    plain: shown === undefined,
    faithful: (text) => of(shown === undefined ? text : shown(text)) !== undefined,
    encode: (value) => sent(of(value) ?? String(value)),
    mismatch,
    fault(value) {
      const text = of(value)
      return text === undefined ? mismatch(value) : type.holdsNot?.(text)
    },
    compare(op, value) {
      const text = of(value)
      if (text === undefined) return 'never'
      if (type.beyond !== undefined && type.holdsNot?.(text) !== undefined) return type.beyond(op, text)
      return { op, text: sent(text), cast }
    },
  }
}

/**
 * A comparison with a value between two that the column can hold. It compares with `below`, the
 * lower of them.
 */
export function between(op: Comparing, below: string, cast: string): Comparison {
  if (op === '=') return 'never'
  return { op: op === '>' || op === '>=' ? '>' : '<=', text: below, cast }
}

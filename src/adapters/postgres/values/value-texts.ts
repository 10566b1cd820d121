/**
 * Types whose values are shown as strings, with one canonical string for each value. Other
 * spellings that clients send are converted to the canonical string. A string that is not a value
 * of the type is refused, both in writes and in conditions.
 */
import type { Scalar } from '../../contract.js'
import { asText, type ColumnType, type Comparison } from './column-type.js'

export interface ValueTexts
  extends Pick<ColumnType, 'cast' | 'samples' | 'formats' | 'width' | 'counts' | 'inJson' | 'shownAs'> {
  /** The canonical string of a value. `undefined` if the string is not a value of the type. */
  canonical(text: string): string | undefined
  /** Describes a value, as the end of "must be ...". */
  readonly expects: string
  /**
   * Why the column can't hold a canonical string exactly. `undefined` if it can. If the function is
   * absent, the column can hold every canonical string.
   */
  columnFault?(canonical: string): string | undefined
  /** The SQL that reads a value as text. Default: a cast to text. */
  read?(sql: string): string
  /** Converts a string from the database to the canonical string. Default: unchanged. */
  shown?(text: string): string
  /** Converts a canonical string to the string that is sent to the database. Default: unchanged. */
  sent?(canonical: string): string
  /**
   * The comparison with a canonical string that the column can't hold. Default: the same comparison
   * as for other strings.
   */
  compareUnheld?(op: Comparing, canonical: string): Comparison
}

export type Comparing = '=' | '<' | '<=' | '>' | '>='

/** Makes a type from the description of its strings. */
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
    ...(type.shownAs === undefined ? {} : { shownAs: type.shownAs }),
    read: type.read ?? asText,
    decode: shown ?? ((text) => text),
    plain: shown === undefined,
    faithful: (text) => of(shown === undefined ? text : shown(text)) !== undefined,
    encode: (value) => sent(of(value) ?? String(value)),
    mismatch,
    fault(value) {
      const text = of(value)
      return text === undefined ? mismatch(value) : type.columnFault?.(text)
    },
    compare(op, value) {
      const text = of(value)
      if (text === undefined) return 'never'
      if (type.compareUnheld !== undefined && type.columnFault?.(text) !== undefined)
        return type.compareUnheld(op, text)
      return { op, text: sent(text), cast }
    },
  }
}

/**
 * A comparison with a value that lies between two values that the column can hold. The comparison
 * uses `below`, the lower of these two, instead of the value.
 */
export function between(op: Comparing, below: string, cast: string): Comparison {
  if (op === '=') return 'never'
  return { op: op === '>' || op === '>=' ? '>' : '<=', text: below, cast }
}

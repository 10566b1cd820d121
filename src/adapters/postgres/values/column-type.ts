/**
 * The interface of a PostgreSQL type that holds JSON values. Values are read, written and compared
 * as strings that are cast in SQL, so no parser of a driver changes them. If a type can't hold a
 * value exactly, the value is refused. It is never rounded or truncated.
 */
import type { Scalar } from '../../contract.js'

/** A comparison of a column with a value. `never` matches no row. */
export type Comparison =
  | {
      readonly op: '=' | '<' | '<=' | '>' | '>='
      readonly text: string
      readonly cast: string
      /**
       * Whether the column is compared as text, and not as a value of its type. Used for
       * enumerations: a comparison as text finds rows with a label that was added after the catalog
       * was read, and an unknown label causes no error.
       */
      readonly asText?: boolean
      /**
       * Whether `text` may be a label that was added to the enumeration after the catalog was read.
       * The statement then looks up the label, because a cast of an unknown label is an error.
       */
      readonly isLabel?: boolean
    }
  | 'never'

type Range = '<' | '<=' | '>' | '>='

export interface ColumnType {
  /** The name of the type, for casts. */
  readonly cast: string
  /** The JSON types of the values. */
  readonly holds: readonly ('string' | 'number' | 'integer' | 'boolean')[]
  /** The SQL that reads a value as text. The text must not depend on settings of the session. */
  read(sql: string): string
  decode(text: string): Scalar | null
  /**
   * Whether `array_to_json` outputs items of this type correctly. If not, each item is read with
   * `read`.
   */
  readonly inJson?: boolean
  /**
   * The JSON Schema formats that a member of the type can have. Messages recommend the first one.
   * If absent, the member can have any format, as for `text`.
   */
  readonly formats?: readonly string[]
  /**
   * Converts a string to the canonical spelling of its value. `undefined` if the string is not a
   * value of the type.
   */
  canonical?(text: string): string | undefined
  /**
   * The minimum and maximum length of a canonical string, in characters. Absent if no such limits
   * are known.
   */
  readonly width?: readonly [min: number, max: number]
  /**
   * Whether the strings are whole numbers. For a key of this type, the adapter can assign the next
   * number: the largest number so far plus 1.
   */
  readonly counts?: boolean
  /**
   * SQL that is true if the value is shown as the canonical string in `text`. Only for types whose
   * equal values can be shown as different strings, such as the intervals `P1M` and `P30D`.
   */
  shownAs?(sql: string, text: string): string
  /**
   * Whether the value is the unchanged string from the database, so that decoding can be skipped.
   */
  readonly plain?: boolean
  /**
   * Values that almost every column of the type accepts. They are used in the sample statements of
   * `ready()`.
   */
  readonly samples: readonly [Scalar, ...Scalar[]]
  /**
   * Whether the stored value and the decoded value have the same result in every comparison. False,
   * for example, if another program has stored a value that JSON can't represent.
   */
  faithful(text: string): boolean
  /**
   * SQL that is true for each value whose shown form does not equal the stored value, such as a
   * rounded number. A client might send the shown form back. `faithful` is false for such a value.
   * The SQL may also be true for other values. Absent if there are no such values.
   */
  inexact?(sql: string): string
  encode(value: Scalar): string
  /**
   * Why the type can't hold a value exactly, phrased as the end of a sentence: `must have at most 5
   * characters`.
   */
  fault(value: Scalar): string | undefined
  /**
   * Why a value does not belong to the type at all, so that no condition can use it. Phrased as the
   * end of a sentence. `undefined` for a value that belongs to the type. If a value belongs to the
   * type but this column can't hold the value exactly, conditions can still use the value, but no
   * stored value is equal to it.
   */
  mismatch?(value: Scalar): string | undefined
  /**
   * Why a string is not a known label of the enumeration, phrased as the end of a sentence. `fault`
   * accepts an unknown label, because it may have been added after the catalog was read. The
   * database then accepts or refuses the label.
   */
  labelFault?(value: Scalar): string | undefined
  compare(op: '=' | Range, value: Scalar): Comparison
  /**
   * For types whose shown values may be rounded: the comparisons that replace `op` and `value`. A
   * stored value satisfies all of them if and only if its shown form satisfies `op` and `value`.
   * Absent if each value is shown unchanged, or as null.
   */
  compareShown?(op: '=' | Range, value: Scalar): readonly Comparison[]
  /** SQL that is true for the values that are shown as null. Absent if there are none. */
  unshown?(sql: string): string
}

/** The SQL that reads a value as text, for most types. */
export const asText = (sql: string): string => `${sql}::text`

/**
 * The interface of a PostgreSQL type that holds JSON values. Values are read, written and compared
 * as texts that are cast in SQL, so no parser of a driver changes them. A value that a type can't
 * hold exactly is refused, never rounded or truncated.
 */
import type { Scalar } from '../../contract.js'

/** A comparison that a type supports; `never` matches nothing. */
export type Comparison =
  | {
      readonly op: '=' | '<' | '<=' | '>' | '>='
      readonly text: string
      readonly cast: string
      /**
       * Whether the text of the column is compared. This finds labels that were added to an
       * enumeration after the table was described, and avoids an error for unknown ones.
       */
      readonly asText?: boolean
    }
  | 'never'

type Range = '<' | '<=' | '>' | '>='

export interface ColumnType {
  /** The name of the type, for casts. */
  readonly cast: string
  /** The JSON types of its values. */
  readonly holds: readonly ('string' | 'number' | 'integer' | 'boolean')[]
  /** The SQL that reads a value as text. Must not depend on settings of the session. */
  read(sql: string): string
  decode(text: string): Scalar | null
  /**
   * Whether `array_to_json` outputs items of this type correctly. Otherwise items are read one by
   * one.
   */
  readonly inJson?: boolean
  /**
   * The JSON Schema formats that all its texts have. The first one is the best to declare. Absent:
   * any format may be declared, as for `text`.
   */
  readonly formats?: readonly string[]
  /**
   * The text that the database shows for a value in another spelling; `undefined` if the text is
   * not a value of the type.
   */
  canonical?(text: string): string | undefined
  /** The minimum and maximum length of its texts in characters, if they are limited. */
  readonly width?: readonly [min: number, max: number]
  /** Whether its texts are whole numbers, which the store can assign by counting. */
  readonly counts?: boolean
  /** Whether the value is the text itself. */
  readonly plain?: boolean
  /** Values that every column of the type accepts, for statements that are only checked. */
  readonly samples: readonly [Scalar, ...Scalar[]]
  /**
   * Whether the decoded value is exactly what the column holds. Other writers may have stored
   * values that JSON can't represent.
   */
  faithful(text: string): boolean
  /**
   * SQL that is true for every value for which `faithful` is false and whose shown form a client
   * may send back. May also be true for other values. Absent: there are none.
   */
  inexact?(sql: string): string
  encode(value: Scalar): string
  /** Why the type can't hold a value exactly, as the end of a sentence. */
  fault(value: Scalar): string | undefined
  /**
   * Why a value does not belong to the type at all, so that no condition can use it, as the end of
   * a sentence. Does not include values of the type that this column can't hold: those match no
   * row.
   */
  mismatch?(value: Scalar): string | undefined
  /**
   * Why a text is not a label of the enumeration, as the end of a sentence. Labels may have been
   * added after the table was described, so the database decides.
   */
  labelFault?(value: Scalar): string | undefined
  compare(op: '=' | Range, value: Scalar): Comparison
  /**
   * Comparisons that are all true for the values whose shown form compares so. Absent: each value
   * is shown unchanged, or as null.
   */
  compareShown?(op: '=' | Range, value: Scalar): readonly Comparison[]
  /** SQL that is true for the values that are shown as null. Absent: there are none. */
  unshown?(sql: string): string
}

/** The SQL that reads a value as text, for most types. */
export const asText = (sql: string): string => `${sql}::text`

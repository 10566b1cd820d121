/**
 * How a type of PostgreSQL holds JSON values. They are read, written and compared as text that is
 * cast in SQL, so that no parser of a driver changes them. A value that a type can't hold exactly
 * is refused, never rounded or cut.
 */
import type { Scalar } from '../../contract.js'

/** A comparison as a type can make it; `never` matches nothing. */
export type Comparison =
  | {
      readonly op: '=' | '<' | '<=' | '>' | '>='
      readonly text: string
      readonly cast: string
      /**
       * Whether the text of the column is compared. So a label that was added to an enumeration
       * since the table was described is found, and an unknown one is no error.
       */
      readonly asText?: boolean
    }
  | 'never'

type Range = '<' | '<=' | '>' | '>='

export interface ColumnType {
  /** The type's name, for casts. */
  readonly cast: string
  /** The JSON types that its values are. */
  readonly holds: readonly ('string' | 'number' | 'integer' | 'boolean')[]
  /** The SQL that gives a value as text. It depends on no setting of the session. */
  read(sql: string): string
  decode(text: string): Scalar | null
  /** `array_to_json` shows its items as they are; others are read one by one. */
  readonly inJson?: boolean
  /**
   * The formats of JSON Schema that all its texts have; the first one is the best to declare.
   * Absent: any format may be declared, as of a `text`.
   */
  readonly formats?: readonly string[]
  /** The text that it shows of a value which is written in another spelling; `undefined` where a text is no value. */
  canonical?(text: string): string | undefined
  /** The fewest and the most characters of its texts, where they are fixed. */
  readonly width?: readonly [least: number, most: number]
  /** Its texts are whole numbers, which the store counts on where it assigns them. */
  readonly counts?: boolean
  /** Whether the text is the value. */
  readonly plain?: boolean
  /** Values that every column of the type takes: for statements that are checked and not run. */
  readonly samples: readonly [Scalar, ...Scalar[]]
  /**
   * Whether what was decoded says all that the column holds. Others may have written what JSON
   * can't say.
   */
  faithful(text: string): boolean
  /**
   * SQL that is true of every value that `faithful` is false of, and that a client may send back as
   * it was shown. It may be true of others. Absent: there is none.
   */
  inexact?(sql: string): string
  encode(value: Scalar): string
  /** Why the type can't hold a value exactly, as the rest of a sentence. */
  fault(value: Scalar): string | undefined
  /**
   * Why a value is none of the type at all, so that no condition can ask for it, as the rest of a
   * sentence. A value of the type that this column does not hold is not among them: it is found in
   * no row.
   */
  mismatch?(value: Scalar): string | undefined
  /**
   * Why a text is no label of the enumeration, as the rest of a sentence. Labels may have been
   * added since the table was described, so the database decides.
   */
  labelFault?(value: Scalar): string | undefined
  compare(op: '=' | Range, value: Scalar): Comparison
  /**
   * Comparisons that are all true of the values whose shown form compares so. Absent: each value is
   * shown as itself, or as null.
   */
  compareShown?(op: '=' | Range, value: Scalar): readonly Comparison[]
  /** SQL that is true of the values that are shown as null. Absent: there are none. */
  unshown?(sql: string): string
}

/** The SQL that gives a value as text, for most types. */
export const asText = (sql: string): string => `${sql}::text`

/**
 * How a type of PostgreSQL holds JSON values. They are read, written and compared as text that is
 * cast in SQL, so that no parser of a driver changes them. A value that a type can't hold exactly
 * is refused, never rounded or cut.
 */
import type { Scalar } from '../contract.js'

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
  /** The SQL that gives a value as text. */
  read(sql: string): string
  decode(text: string): Scalar | null
  /** Whether the text is the value. */
  readonly plain?: boolean
  /** Values that every column of the type takes: for statements that are checked and not run. */
  readonly samples: readonly [Scalar, ...Scalar[]]
  /**
   * Whether what was decoded says all that the column holds. Others may have written what JSON
   * can't say.
   */
  faithful(text: string): boolean
  encode(value: Scalar): string
  /** Why the type can't hold a value exactly, as the rest of a sentence. */
  fault(value: Scalar): string | undefined
  /**
   * Why a text is no label of the enumeration, as the rest of a sentence. Labels may have been
   * added since the table was described, so the database decides.
   */
  labelFault?(value: Scalar): string | undefined
  compare(op: '=' | Range, value: Scalar): Comparison
}

/** The SQL that gives a value as text, for most types. */
export const asText = (sql: string): string => `${sql}::text`

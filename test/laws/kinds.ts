/**
 * The kinds of columns in the generated tables: their SQL type, their schema, and values to send
 * and to store.
 */
import type fc from 'fast-check'
import { numberKinds } from './kinds-numbers.js'
import { otherKinds } from './kinds-others.js'
import { textKinds } from './kinds-texts.js'
import { timeKinds } from './kinds-times.js'

/** A column type, with the schema of a member that is stored in such a column. */
export interface Kind {
  readonly name: string
  /** The SQL type, as DDL writes it. */
  readonly type: string
  /** Statements that create the type if it does not exist. They can run several times. */
  readonly setup?: string
  /** The JSON Schema of the member, without null. */
  readonly schema: { readonly type: string; readonly [keyword: string]: unknown }
  /** Values that every column of the kind accepts. */
  readonly values: fc.Arbitrary<unknown>
  /** Values that the service is allowed to refuse, with a 422 that points to the member. */
  readonly odd?: fc.Arbitrary<unknown>
  /**
   * The normal form of a value. Two values are equal if their normal forms are equal. Default: the
   * JSON of the value.
   */
  means?(value: unknown): string
  /**
   * Other strings for the same value in a query. A filter by such a string finds the same records
   * as a filter by the value, or gets 400.
   */
  spellings?(value: unknown): readonly string[]
  /** Whether some different strings are equal in the column, as in `citext`. */
  readonly isBlind?: boolean
  /**
   * The filter operators of the member. If the value is `all` or `equality`, lists can also be
   * sorted by the member.
   */
  readonly compares: 'all' | 'equality' | 'contains' | 'none'
  /** Whether a key, or a part of a key, can have this kind. */
  readonly keyable: boolean
  /** SQL of the values that other sessions write. PUT must accept what GET shows for them. */
  readonly foreign?: readonly string[]
  /**
   * SQL of values that JSON can't represent exactly. GET shows a record with such a value. A PUT of
   * the shown record gets 422, or does not change what GET shows. `filters()` and `orders()` do not
   * test these values.
   */
  readonly inexact?: readonly string[]
  /** Whether `ready()` may refuse such a column, with an error that names it. Default: false. */
  readonly optional?: boolean
}

export const kinds: readonly Kind[] = [...numberKinds, ...textKinds, ...timeKinds, ...otherKinds]

/** The normal form of a value of a kind, as a string. */
export const meaning = (kind: Kind, value: unknown): string =>
  value === null || value === undefined ? 'null' : kind.means === undefined ? JSON.stringify(value) : kind.means(value)

/**
 * The kinds of columns that generated tables consist of: their SQL type, their schema, and values
 * to send and to store.
 */
import type fc from 'fast-check'
import { numberKinds } from './kinds-numbers.js'
import { otherKinds } from './kinds-others.js'
import { textKinds } from './kinds-texts.js'
import { timeKinds } from './kinds-times.js'

/** A column of one type, with the member's schema. */
export interface Kind {
  readonly name: string
  /** The type, as DDL writes it. */
  readonly type: string
  /** Statements that create the type. They run once for each database, and may run again. */
  readonly setup?: string
  /** The member's JSON Schema, without null. */
  readonly schema: { readonly type: string; readonly [keyword: string]: unknown }
  /** Values that every column of the kind accepts. */
  readonly values: fc.Arbitrary<unknown>
  /** Values that may be refused, with a 422 that points to the member. */
  readonly odd?: fc.Arbitrary<unknown>
  /**
   * The normal form of a value: two values are equal if their normal forms are. Default: its JSON.
   */
  means?(value: unknown): string
  /** Query texts for the same value: each finds the same records as the value, or is 400. */
  spellings?(value: unknown): readonly string[]
  /** Whether the column treats different texts as equal. */
  readonly isBlind?: boolean
  /** Whether lists filter and sort by the member. */
  readonly compares: 'all' | 'equality' | 'contains' | 'none'
  /** Whether the kind can be (a part of) a key. */
  readonly keyable: boolean
  /** SQL of values that only other sessions write: PUT accepts what GET shows of them. */
  readonly foreign?: readonly string[]
  /**
   * SQL of values that JSON can't represent exactly. GET shows them, and PUT leaves them unchanged;
   * filters and orders are not compared with the shown values.
   */
  readonly inexact?: readonly string[]
  /**
   * Whether `ready()` must accept such a column; otherwise it may refuse it, with the fix. Default
   * true.
   */
  readonly optional?: boolean
}

export const kinds: readonly Kind[] = [...numberKinds, ...textKinds, ...timeKinds, ...otherKinds]

/** The normal form of a value of a kind, as a text. */
export const meaning = (kind: Kind, value: unknown): string =>
  value === null || value === undefined ? 'null' : kind.means === undefined ? JSON.stringify(value) : kind.means(value)

/** The kinds of columns that generated tables are made of: their SQL type, their schema, and values to send and to store. */
import type fc from 'fast-check'
import { numberKinds } from './kinds-numbers.js'
import { otherKinds } from './kinds-others.js'
import { textKinds } from './kinds-texts.js'
import { timeKinds } from './kinds-times.js'

/** A column of one type, under one member of a schema. */
export interface Kind {
  readonly name: string
  /** The type, as DDL writes it. */
  readonly type: string
  /** Statements that make the type. They run once for each database, and may run again. */
  readonly setup?: string
  /** The member's JSON Schema, without null. */
  readonly schema: { readonly type: string; readonly [keyword: string]: unknown }
  /** Values that every column of the kind takes. */
  readonly values: fc.Arbitrary<unknown>
  /** Values that may be refused, with a 422 that points to the member. */
  readonly odd?: fc.Arbitrary<unknown>
  /** What a value means: two values are the same if these are equal. Default: its JSON. */
  means?(value: unknown): string
  /** Query texts that mean the same value: each finds what the value finds, or is 400. */
  spellings?(value: unknown): readonly string[]
  /** Whether the column takes different texts for equal. */
  readonly isBlind?: boolean
  /** Whether lists filter and sort by the member. */
  readonly compares: 'all' | 'equality' | 'contains' | 'none'
  /** Whether the kind can be (a part of) a key. */
  readonly keyable: boolean
  /** SQL of values that only SQL writes: what GET shows of them, PUT takes back. */
  readonly foreign?: readonly string[]
  /**
   * SQL of values that JSON can't show exactly. GET shows them, and PUT leaves them as they are;
   * filters and orders are not held against what is shown.
   */
  readonly inexact?: readonly string[]
  /** Whether `ready()` has to take such a column; otherwise it may refuse it, with the fix. Default true. */
  readonly optional?: boolean
}

export const kinds: readonly Kind[] = [...numberKinds, ...textKinds, ...timeKinds, ...otherKinds]

/** What a value of a kind means, as a text. */
export const meaning = (kind: Kind, value: unknown): string =>
  value === null || value === undefined ? 'null' : kind.means === undefined ? JSON.stringify(value) : kind.means(value)

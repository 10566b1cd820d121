/** The statement of a list, and its parts. */
import type { Place } from '../values/places.js'

/** The statement of a list. */
export interface ListStatement {
  readonly text: string
  /**
   * The names of its columns: those of a record, whether a record exists, and the total, if it
   * counts.
   */
  readonly names: readonly string[]
  readonly values: readonly (string | null)[]
  /** The rows that are counted. */
  readonly matching: Matching
  readonly page: PageSql
  readonly searched: Searched | undefined
  /** The links that were joined to its rows. */
  readonly joined: readonly object[]
  /** The index of the first column of the joins. */
  readonly joinedFrom: number
  /** The statement with other columns in place of the whole record (`known-page.ts`). */
  showing(names: readonly string[]): { readonly text: string; readonly names: readonly string[] }
}

/** The rows that match a condition. */
export interface Matching {
  readonly from: string
  readonly where: string
  readonly values: readonly (string | null)[]
}

/** The rows of one page. */
export interface PageSql {
  readonly sql: string
  /**
   * How the page is found. Rows `after` or `before` a position, or `counted` from the beginning,
   * are read with one extra row, which shows whether there are more. If they are counted from the
   * `end`, by the total, no extra row is read.
   */
  readonly from: 'after' | 'before' | 'counted' | 'end'
}

/** The parts that a search adds to a list. */
export interface Searched {
  /** A join, with a leading space; `''` for none. */
  readonly join: string
  readonly where: readonly string[]
  /** The sort term of the rank, best first. */
  readonly rank: OrderTerm
}

export interface OrderTerm {
  readonly place: Place
  readonly descending: boolean
}

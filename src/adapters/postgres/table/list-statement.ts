/** The statement of a list, and what it is put together from. */
import type { Place } from '../values/places.js'

/** The statement of a list. */
export interface ListStatement {
  readonly text: string
  /** The names of its columns: those of a record, whether there is one, and the total, where it counts. */
  readonly names: readonly string[]
  readonly values: readonly (string | null)[]
  /** What is counted. */
  readonly matching: Matching
  readonly page: PageSql
  readonly searched: Searched | undefined
  /** What was joined to its rows. */
  readonly joined: readonly object[]
  /** Where the columns of the joins begin. */
  readonly joinedFrom: number
  /** The same with other columns in place of the whole record (`known-page.ts`). */
  showing(names: readonly string[]): { readonly text: string; readonly names: readonly string[] }
}

/** Rows that fulfil a condition. */
export interface Matching {
  readonly from: string
  readonly where: string
  readonly values: readonly (string | null)[]
}

/** The rows of one page. */
export interface PageSql {
  readonly sql: string
  /**
   * How it is found. Rows `after` or `before` a place, or `counted` from the beginning, come with one more, which tells whether there is more. Counted from the `end`,
   * by the total, they come alone.
   */
  readonly from: 'after' | 'before' | 'counted' | 'end'
}

/** What a search adds to a list. */
export interface Searched {
  /** What is joined to the rows, with a leading space; `''` for nothing. */
  readonly join: string
  readonly where: readonly string[]
  /** The best first. */
  readonly rank: OrderTerm
}

export interface OrderTerm {
  readonly place: Place
  readonly descending: boolean
}

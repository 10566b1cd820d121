/** The SQL statement that reads a page of a list, and the parts of that statement. */
import type { Place } from '../values/places.js'

/** The SQL statement that reads a page of a list. */
export interface ListStatement {
  readonly text: string
  /**
   * The names of the statement's columns: `shownNames` of the table, then `here`, then `total` if
   * the statement counts the matching rows, then the columns of the joined links. `here` is 1 in
   * each row of the page. If the statement counts the matching rows and the page is empty, the
   * result has one row, which holds only the total. In this row, `here` is null.
   */
  readonly names: readonly string[]
  readonly values: readonly (string | null)[]
  /** The rows that the total counts. */
  readonly matching: Matching
  readonly page: PageSql
  readonly searched: Searched | undefined
  /** The joins to the targets of links. */
  readonly joined: readonly object[]
  /** The index of the first joined column. */
  readonly joinedFrom: number
  /** This statement, but with the columns `names` instead of `shownNames` (see `known-page.ts`). */
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
   * How the rows of the page are found:
   * - `after` or `before`: next to a position.
   * - `offset`: at an offset from the beginning.
   * - `end`: at an offset from the end, computed from the total.
   *
   * Except for `end`, one extra row is read, which shows whether there are more rows.
   */
  readonly foundBy: 'after' | 'before' | 'offset' | 'end'
}

/** The SQL that a search adds to the statement of a list. */
export interface Searched {
  /** A JOIN clause with a leading space. `''` if the search needs no join. */
  readonly join: string
  readonly where: readonly string[]
  /** The sort term that puts the best matches first. */
  readonly rank: OrderTerm
}

export interface OrderTerm {
  readonly place: Place
  readonly descending: boolean
}

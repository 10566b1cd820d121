/**
 * The source from which a resource is read: its table, or the view or query in the option
 * `readFrom`.
 */

import type { Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { failureKind, messageOf, stateOf } from '../connections/failures.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { quoteRelation, relationName } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import { describe, type Relation } from './catalog.js'

type ReadFrom = NonNullable<PostgresAdapterOptions['readFrom']>

/** Whether `readFrom` is a query, and not the name of a view. */
export const isQuery = (given: ReadFrom): given is string =>
  typeof given === 'string' && /^\s*(?:select|with|values)\s/i.test(given)

const queryOf = (given: string): string => given.replace(/[\s;]+$/, '')

export const sourceSql = (given: ReadFrom): string =>
  isQuery(given) ? `(${queryOf(given)}\n)` : quoteRelation(relationName(given))

/**
 * Describes the view that `readFrom` names. If `readFrom` is a query, creates a temporary view of
 * it in a transaction that is rolled back, and describes that view.
 */
export async function describeSource(given: ReadFrom, databases: Databases, wait: Wait): Promise<Relation> {
  if (!isQuery(given)) {
    const found = await describe(databases.read, relationName(given), wait)
    if (found === undefined)
      throw unfit(`there is no view ${quoteRelation(relationName(given))}. Check "readFrom" and the search_path`)
    return found
  }
  const undone = {}
  let found: Relation | undefined
  await databases.write
    .transaction(async (session) => {
      await session.query(`CREATE TEMPORARY VIEW rest_source AS ${queryOf(given)}`, [])
      found = await describe(
        { ...databases.write, query: (text, values) => session.query(text, values) },
        { name: 'rest_source' },
        wait,
      )
      throw undone
    }, wait)
    .catch((error) => {
      if (error === undone) return
      // Temporary failures, such as a lost connection, say nothing about the query.
      if (stateOf(error) === undefined || !['other', 'refused'].includes(failureKind(error))) throw error
      throw unfit(
        `the database refuses a temporary view of the query in "readFrom": ${messageOf(error)}. Correct the query, ` +
          'grant TEMPORARY on the database, or name a view in "readFrom"',
      )
    })
  if (found === undefined) throw unfit('the query in "readFrom" cannot be described')
  return found
}

/**
 * Determines whether a statement failed because of a value that a client sent. The SQLSTATE alone
 * does not show this: class 22 is also raised for the content of stored rows, for example by a
 * column's expression that divides by zero. So the values are sent again, without the table.
 */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, ListRequest, Refused } from '../../contract.js'
import type { Databases } from '../connections/database.js'
import { stateOf } from '../connections/failures.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { Parameters } from '../sql/sql.js'
import { addKeySql, compareSql, conditionSql } from '../table/conditions.js'
import type { Table } from '../table/table.js'
import { reading } from '../transactions/statements.js'

/** The databases, options and call with which the values are sent again. */
export interface Sending {
  readonly databases: Databases
  readonly options: PostgresAdapterOptions
  readonly call: AdapterCall
}

/** Whether the error is a data exception of the database (SQLSTATE class 22). */
export const isDataException = (error: unknown): boolean => stateOf(error)?.startsWith('22') === true

/** Parameters that also keep the SQL of each placeholder, with its casts. */
class Placeholders extends Parameters {
  readonly #sql: string[] = []

  override add(value: string | null, cast?: string): string {
    const sql = super.add(value, cast)
    this.#sql[this.values.length - 1] = sql
    return sql
  }

  /** A statement that only casts the values. Empty if there are no values. */
  get statement(): string {
    const each = this.#sql.slice(0, this.values.length).map((sql, i) => `(${sql})::text AS c${i}`)
    return each.length === 0 ? '' : `SELECT ${each.join(', ')}`
  }
}

/**
 * Whether the database refuses one of the values that the callback `add` adds to the parameters.
 */
async function areRefused(sending: Sending, add: (parameters: Parameters) => void): Promise<boolean> {
  const { databases, options, call } = sending
  const placeholders = new Placeholders()
  add(placeholders)
  const { statement } = placeholders
  if (statement === '') return false
  try {
    await reading(databases, options, call, (ask) => ask.query(statement, placeholders))
    return false
  } catch (error) {
    if (isDataException(error)) return true
    throw error
  }
}

/** Whether the database refuses a value in one of the keys. No row can have such a key. */
export const areRefusedKeys = (table: Table, keys: readonly KeyValue[], sending: Sending): Promise<boolean> =>
  areRefused(sending, (parameters) => {
    for (const key of keys) {
      const texts = table.layout.keyTexts(key)
      if (texts !== undefined) addKeySql(table.layout, texts, parameters, [])
    }
  })

/** Why a value in a list request is refused, as the end of a sentence about the parameter. */
export const incomparable = 'holds a value that the store cannot compare'

/**
 * Sends the filters, the search text and the cursor position of a list request to the database.
 * Returns a refusal for the first value that the database refuses. Returns `undefined` if the
 * database accepts all values.
 */
export async function refusedValue(table: Table, request: ListRequest, sending: Sending): Promise<Refused | undefined> {
  const { where, search, sort, seek } = request
  for (const condition of where)
    if (await areRefused(sending, (parameters) => void conditionSql(table.layout, condition, parameters)))
      return { refused: 'rule', members: [condition.field], why: incomparable }
  if (search !== undefined && (await areRefused(sending, (parameters) => void parameters.add(search))))
    return { refused: 'rule', members: [], why: incomparable }
  for (const [i, { field, path }] of sort.entries()) {
    const value = seek?.values[i] ?? null
    if (value === null) continue
    const place = table.layout.place(path)
    if (await areRefused(sending, (parameters) => void compareSql(place, '>', value, parameters)))
      return { refused: 'rule', members: [field], why: incomparable }
  }
  return undefined
}

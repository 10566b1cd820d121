/** Translates the conditions of a request into SQL. */
import type { Condition, Scalar } from '../../contract.js'
import { arrayText, literal, type Parameters } from '../sql/sql.js'
import type { Comparison } from '../values/column-type.js'
import { containsSql, incomparable, itemMismatch, type Place } from '../values/places.js'
import type { Comparing } from '../values/value-texts.js'
import type { Member } from './columns.js'
import type { Layout } from './layout.js'

/**
 * SQL that compares the value in a column, or at a path within a JSON column, with another value.
 */
export function compareSql(place: Place, op: Comparing, value: Scalar, parameters: Parameters): string {
  return comparisonSql(place, place.compare(op, value), parameters)
}

function comparisonSql(place: Place, comparison: Comparison, parameters: Parameters): string {
  if (comparison === 'never') return 'false'
  const { asText, op } = comparison
  return `${asText ? `${place.sql}::text` : place.sql} ${op} ${operandSql(comparison, parameters)}`
}

/** SQL of the value on the right side of a comparison. */
export function operandSql({ text, cast, isLabel }: Exclude<Comparison, 'never'>, parameters: Parameters): string {
  if (!isLabel) return parameters.add(text, cast)
  // An unknown label gives null, which is neither before nor after any label.
  return (
    `(SELECT _e.enumlabel::text::${cast} FROM pg_catalog.pg_enum AS _e WHERE _e.enumtypid = ` +
    `${literal(cast)}::regtype AND _e.enumlabel::text = ${parameters.add(text)})`
  )
}

/**
 * SQL that is true for rows whose shown value satisfies the comparison. A shown value can differ
 * from the stored one: it may be rounded, or null. Null never matches.
 */
function shownSql(place: Place, op: Comparing, value: Scalar, parameters: Parameters): string {
  const { compareShown, unshown, sameType } = place
  const comparisons = compareShown?.(op, value) ?? [place.compare(op, value)]
  const found = comparisons.map((comparison) => comparisonSql(place, comparison, parameters)).join(' AND ')
  if (op === '=' || found === 'false') return found
  const typed = sameType === undefined ? found : `${found} AND ${sameType(value)}`
  return unshown === undefined ? typed : `${typed} AND NOT (${unshown})`
}

const operators = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** SQL of one condition of a list (QUERY-1). */
export function conditionSql(layout: Layout, condition: Condition, parameters: Parameters): string {
  const { path } = condition
  if (condition.op === 'null') return condition.value ? layout.isNullSql(path) : `NOT (${layout.isNullSql(path)})`
  if (condition.op === 'contains') {
    const { content, sql, inner } = layout.holder(path)
    return containsSql(content, sql, inner, condition.value, parameters)
  }
  const place = layout.place(path)
  if (condition.op !== 'in') return shownSql(place, operators[condition.op], condition.value, parameters)
  if (place.compareShown !== undefined) {
    const each = condition.value.map((value) => shownSql(place, '=', value, parameters))
    return each.length === 0 ? 'false' : `(${each.join(' OR ')})`
  }
  const found = condition.value.map((value) => place.compare('=', value)).filter((comparison) => comparison !== 'never')
  const [first] = found
  if (first === undefined) return 'false'
  const asText = found.some((comparison) => comparison.asText)
  const cast = asText ? 'text' : first.cast
  return (
    `${asText ? `${place.sql}::text` : place.sql} = ANY ` +
    `(${parameters.add(arrayText(found.map(({ text }) => text)), `${cast}[]`)})`
  )
}

/**
 * Returns the reason why a value of the condition does not belong to the type of the member. The
 * reason is the end of a sentence: `must be a UUID`. Returns `undefined` if every value belongs to
 * the type.
 */
export function mismatchOf(layout: Layout, condition: Condition): string | undefined {
  const { op, path, value } = condition
  if (op === 'null') return undefined
  if (op === 'contains') return itemMismatch(layout.holder(path).content, value)
  const place = layout.place(path)
  return op === 'in' ? value.map(place.mismatch).find((why) => why !== undefined) : place.mismatch(value)
}

/**
 * Searches the conditions for the first value that can't be sent to the database, because no column
 * could hold it. Returns the field of its condition and the reason.
 */
export function unsendable(
  conditions: readonly { readonly field: string; readonly value?: unknown }[],
): { readonly field: string; readonly why: string } | undefined {
  for (const { field, value } of conditions) {
    for (const one of Array.isArray(value) ? value : [value]) {
      const why = incomparable(one)
      if (why !== undefined) return { field, why }
    }
  }
  return undefined
}

/** Adds the conditions of the caller's scope, which requires certain values of certain members. */
export function addScopeSql(
  layout: Layout,
  scope: Readonly<Record<string, Scalar>>,
  parameters: Parameters,
  conditions: string[],
): void {
  for (const member of Object.keys(scope)) {
    const value = scope[member]
    const isComparable = value !== undefined && value !== null && incomparable(value) === undefined
    conditions.push(isComparable ? compareSql(layout.place([member]), '=', value, parameters) : 'false')
  }
}

/**
 * Adds the conditions that select the row with the given key. `texts` contains the key's parts as
 * strings.
 */
export function addKeySql(
  { key }: Layout,
  texts: readonly string[],
  parameters: Parameters,
  conditions: string[],
): void {
  for (let i = 0; i < key.length; i++) {
    const { sql, cast, foldsTexts, content } = key[i] as Member
    const same = `${sql} = ${parameters.add(texts[i] as string, cast)}`
    if (!foldsTexts) {
      conditions.push(same)
      continue
    }
    // The database may treat different strings as equal, for example `a` and `A`. So the strings
    // are also compared exactly.
    const text = `$${parameters.values.length}::text`
    const shownAs = content.kind === 'scalar' ? content.type.shownAs : undefined
    conditions.push(`${same} AND ${shownAs?.(sql, text) ?? `${sql}::text COLLATE "C" = ${text}`}`)
  }
}

/** The conditions that select the row with a key. */
export function keySql(layout: Layout, texts: readonly string[], parameters: Parameters): string[] {
  const conditions: string[] = []
  addKeySql(layout, texts, parameters, conditions)
  return conditions
}

/**
 * SQL that joins the rows that have these keys. `_s.rest_place` is the position of the row's key in
 * `keys`.
 */
export function keysJoin(layout: Layout, keys: readonly (readonly string[])[], parameters: Parameters): string {
  const columns = layout.key.map(({ cast }, i) =>
    parameters.add(arrayText(keys.map((texts) => texts[i] as string)), `${cast}[]`),
  )
  const names = layout.key.map((_, i) => `rest_k${i}`).join(', ')
  const same = layout.key.map(({ sql }, i) => `${sql} = _s.rest_k${i}`).join(' AND ')
  return ` JOIN unnest(${columns.join(', ')}) WITH ORDINALITY AS _s (${names}, rest_place) ON ${same}`
}

/**
 * Describes changes of `limit`, `sort` and `expand` in the terms of the conventions (QUERY-2,
 * QUERY-5, QUERY-6).
 */
import { parameter } from '../wire.js'
import type { Found } from './changes.js'
import type { Finding } from './findings.js'
import type { OwnKind } from './kinds.js'
import { parseListPattern } from './list-pattern.js'

/**
 * The description of a change of a parameter. The caller adds the locations of the parameter in the
 * documents, and uses `effect` only if the change breaks clients.
 */
export type ListChange = Pick<Found, 'what' | 'effect' | 'detail'> & { readonly kind: OwnKind }

/**
 * Converts a finding about a parameter to changes in the terms of the conventions. Returns
 * `undefined` if the conventions define no terms for the finding. `of` names the list or the
 * operation in messages.
 */
export function listChanges(finding: Finding, name: string, of: string): readonly ListChange[] | undefined {
  if (name === parameter.size) return limitChange(finding, of)
  if (name === parameter.sort || name === parameter.expand) return choiceChanges(finding, name, of)
  return undefined
}

function limitChange({ difference, from, to }: Finding, of: string): readonly ListChange[] | undefined {
  const detail = `${String(from)} ${String(to)}`
  const greatest = `the maximum limit of ${of} is ${String(to ?? 'unknown')} in place of ${String(from ?? 'unknown')}`
  if (difference === 'maximum-lowered')
    return [{ kind: 'limit-lowered', detail, what: greatest, effect: 'clients that send a larger limit get 400' }]
  if (difference === 'maximum-raised') return [{ kind: 'limit-raised', detail, what: greatest }]
  // Without both numbers, it is not known which default is lower.
  if (difference !== 'default-changed' || typeof from !== 'number' || typeof to !== 'number') return undefined
  const kind = to > from ? 'limit-default-raised' : 'limit-default-lowered'
  const what = `the default limit of ${of} is ${to} in place of ${from}`
  return [{ kind, detail, what, effect: 'clients that rely on the previous page size miss items' }]
}

/**
 * Returns a change for each name that was removed or added. The names are the values of an enum, or
 * are listed in the pattern of a comma-separated list. Returns `undefined` for any other finding.
 */
function choiceChanges({ difference, from, to }: Finding, name: string, of: string): readonly ListChange[] | undefined {
  const change = (choice: string, happened: 'removed' | 'added'): ListChange => ({
    kind: name === parameter.sort ? `sort-member-${happened}` : `expansion-${happened}`,
    detail: choice,
    what:
      `the ${name === parameter.sort ? 'sort member' : 'expansion'} "${choice}" of ${of} ` +
      `${happened === 'removed' ? 'was removed' : 'is new'}`,
    effect: `clients that send ${name}=${choice} get 400`,
  })
  if (difference === 'value-removed') return [change(String(from), 'removed')]
  if (difference === 'value-added') return [change(String(to), 'added')]
  if (difference !== 'pattern-changed') return undefined
  const [old, updated] = [parseListPattern(String(from)), parseListPattern(String(to))]
  if (old === undefined || updated === undefined || old.rest !== updated.rest || (old.isMany && !updated.isMany))
    return undefined
  return [
    ...[...old.names].filter((one) => !updated.names.has(one)).map((one) => change(one, 'removed')),
    ...[...updated.names].filter((one) => !old.names.has(one)).map((one) => change(one, 'added')),
  ]
}

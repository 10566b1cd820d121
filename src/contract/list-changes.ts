/** What findings in the parameters of a list mean by the conventions: `limit`, `sort`, `expand` (QUERY-2, QUERY-5, QUERY-6). */
import { parameter } from '../wire.js'
import type { Found } from './changes.js'
import type { Finding } from './findings.js'
import type { OwnKind } from './kinds.js'
import { parseListPattern } from './list-pattern.js'

/** A change, but for the parameter that it is of. */
export type ListChange = Pick<Found, 'what' | 'so' | 'detail'> & { readonly kind: OwnKind }

/** What a finding means; `undefined` where the conventions have no word for it. `of`: whose parameter it is, in words. */
export function listChanges(finding: Finding, name: string, of: string): readonly ListChange[] | undefined {
  if (name === parameter.size) return limitChange(finding, of)
  if (name === parameter.sort || name === parameter.expand) return choiceChanges(finding, name, of)
  return undefined
}

function limitChange({ difference, from, to }: Finding, of: string): readonly ListChange[] | undefined {
  const detail = `${String(from)} ${String(to)}`
  const greatest = `the greatest limit of ${of} is ${String(to ?? 'unknown')} in place of ${String(from ?? 'unknown')}`
  if (difference === 'maximum-lowered')
    return [{ kind: 'limit-lowered', detail, what: greatest, so: 'clients that send more get 400' }]
  if (difference === 'maximum-raised') return [{ kind: 'limit-raised', detail, what: greatest }]
  if (difference !== 'default-changed') return undefined
  const kind =
    typeof from === 'number' && typeof to === 'number' && to > from ? 'limit-default-raised' : 'limit-default-lowered'
  const what = `the limit of ${of} is ${String(to ?? 'unknown')} in place of ${String(from ?? 'unknown')} where a request has none`
  return [{ kind, detail, what, so: 'clients that count on a page of that size miss items' }]
}

/** Names that are gone and new, in an enum or in the pattern of a comma list. */
function choiceChanges({ difference, from, to }: Finding, name: string, of: string): readonly ListChange[] | undefined {
  const change = (choice: string, happened: 'removed' | 'added'): ListChange => ({
    kind: name === parameter.sort ? `sort-member-${happened}` : `expansion-${happened}`,
    detail: choice,
    what: `the ${name === parameter.sort ? 'sort member' : 'expansion'} "${choice}" of ${of} is ${happened === 'removed' ? 'gone' : 'new'}`,
    so: `clients that send ${name}=${choice} get 400`,
  })
  if (difference === 'value-removed') return [change(String(from), 'removed')]
  if (difference === 'value-added') return [change(String(to), 'added')]
  if (difference !== 'pattern-changed') return undefined
  const [old, young] = [parseListPattern(String(from)), parseListPattern(String(to))]
  if (old === undefined || young === undefined || old.rest !== young.rest || (old.isMany && !young.isMany))
    return undefined
  return [
    ...[...old.names].filter((one) => !young.names.has(one)).map((one) => change(one, 'removed')),
    ...[...young.names].filter((one) => !old.names.has(one)).map((one) => change(one, 'added')),
  ]
}

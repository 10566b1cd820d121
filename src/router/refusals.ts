/**
 * Converts refusals of a store to problems that use the names that clients know. If the store
 * refuses a record, the problem is a 422 that names the members (ERR-2). If the store refuses a
 * list query, the problem is a 400 that names the parameters (QUERY-1, QUERY-3).
 */
import type { Refused } from '../adapters/contract.js'
import { escapePointer } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import type { ListQuery } from '../plan/list-grammar.js'
import { misfitCursor } from '../plan/query-pairs.js'
import { onWire, type ResourcePlan } from '../plan/resource-plan.js'
import { HttpProblem, type Violation } from '../problem.js'
import { parameter } from '../wire.js'

const reasons: Readonly<Record<Refused['refused'], string>> = {
  duplicate: 'is taken already',
  reference: 'refers to a record that does not exist',
  referenced: 'is still referred to by other records',
  rule: 'violates a rule of the store',
}

const whyOf = ({ refused, why = reasons[refused] }: Refused): string => why

/**
 * Returns the problem for a write that the store has refused because of a rule of the store.
 * `collections` contains the collections that the message may name.
 */
export function refusedRecord(plan: ResourcePlan, refusal: Refused, collections: ReadonlySet<string>): HttpProblem {
  const { refused, members } = refusal
  const why = whyOf(refusal)
  if (refused === 'referenced' && members.length === 0) {
    const by = (refusal.by ?? []).filter((name) => collections.has(name)).map((name) => JSON.stringify(name))
    const detail = `The record ${
      refusal.why === undefined && by.length > 0 ? `is still referred to by records of ${by.join(' and ')}` : why
    }.`
    return new HttpProblem(refused, { detail, errors: [{ pointer: '', detail, code: refused, clause: 'ERR-2' }] })
  }
  const errors = onWire(
    plan,
    members.map((member) => ({
      pointer: memberPointer(plan.definition.shape, member),
      detail: `"${member}" ${why}.`,
      code: refused,
      clause: 'ERR-2',
    })),
  )
  return new HttpProblem(refused, { detail: errors.length === 0 ? `The record ${why}.` : detailsOf(errors), errors })
}

/**
 * Returns the problem for a list query with a value that the store can't compare. If the client did
 * not send that value, returns `undefined`, and the list is empty. A refused value in a pagination
 * cursor counts as sent by the client, because a cursor that the service made contains only values
 * from the store.
 */
export function refusedQuery(
  plan: ResourcePlan,
  { pairs, sort, seek }: ListQuery,
  refusal: Refused,
): HttpProblem | undefined {
  const { refused, members } = refusal
  const why = whyOf(refusal)
  const given = new Set(pairs.map(([name]) => name))
  const atFault = (name: string, clause: string): Violation => ({
    parameter: name,
    detail: `"${name}" ${why}.`,
    code: refused,
    clause,
  })
  const errors = [...plan.list.filters.values()]
    .filter(({ name, field }) => given.has(name) && members.includes(field))
    .map(({ name }) => atFault(name, 'QUERY-1'))
  if (members.length === 0 && given.has(parameter.search)) errors.push(atFault(parameter.search, 'QUERY-3'))
  if (seek !== undefined && sort.some(({ field }) => members.includes(field))) errors.push(misfitCursor)
  return errors.length === 0 ? undefined : new HttpProblem('invalid-query', { detail: detailsOf(errors), errors })
}

const detailsOf = (errors: readonly Violation[]): string => errors.map(({ detail }) => detail).join(' ')

/**
 * Returns the JSON pointer to a member that the store has named: `a.b` becomes `/a/b`. If the
 * record has a member whose own name is `a.b`, the pointer is `/a.b`.
 */
function memberPointer(shape: Shape, member: string): string {
  const names = shape.members.has(member) ? [member] : member.split('.')
  return names.map((name) => `/${escapePointer(name)}`).join('')
}

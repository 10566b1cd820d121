/**
 * Reads query and body (QUERY, HDR-5, ERR-2). The description of the operation names the kind of
 * each, and each kind has one reader.
 */
import { HttpProblem } from '../../problem.js'
import { parameter } from '../../wire.js'
import { bodyReaders } from '../body-readers.js'
import { idempotencyKey } from '../idempotency.js'
import { queryReaders } from '../query-readers.js'
import type { Input, Negotiated } from '../stages.js'

export function parse(exchange: Negotiated): Input | Promise<Input> {
  const { operation, permission } = exchange
  // Throws for a malformed Host now. Links need the root, and an error after a change would be too
  // late.
  void exchange.root
  const queryInput = queryReaders[operation.query](exchange)
  const key = operation.creates ? idempotencyKey(exchange) : undefined
  const readBody = bodyReaders[operation.body]
  if (queryInput.expand.length === 0 || permission === undefined) return readBody(exchange, queryInput, key)
  return checkExpansions(exchange, queryInput.expand).then(() => readBody(exchange, queryInput, key))
}

/** Refuses (403) expansions that the principal may not read, before anything is read (AUTH-4). */
async function checkExpansions(exchange: Negotiated, expand: readonly string[]): Promise<void> {
  const { targets } = exchange.resource
  const decided = await Promise.all(
    expand.map(async (name) => {
      const target = targets.get(name)
      return target === undefined || (await exchange.decide('read', target.plan.collection)) === 'allow'
    }),
  )
  const refused = expand.filter((_, i) => !decided[i])
  if (refused.length === 0) return
  const errors = refused.map((name) => ({
    parameter: parameter.expand,
    detail: `You have no permission to read "${name}". Leave it out of ${parameter.expand}.`,
    code: 'forbidden',
    clause: 'AUTH-4',
  }))
  throw new HttpProblem('forbidden', { detail: errors.map(({ detail }) => detail).join(' '), errors })
}

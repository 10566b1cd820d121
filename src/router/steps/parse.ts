/**
 * Reads the query and the body (QUERY, HDR-5, ERR-2). The operation's description names the kind of
 * query and the kind of body. There is one reader for each kind.
 */
import { HttpProblem } from '../../problem.js'
import { parameter } from '../../wire.js'
import { bodyReaders } from '../body-readers.js'
import { idempotencyKey } from '../idempotency.js'
import { queryReaders } from '../query-readers.js'
import type { Input, Negotiated } from '../stages.js'

export function parse(exchange: Negotiated): Input | Promise<Input> {
  const { operation, permission } = exchange
  // The links in the response need `root`, but reading `root` throws if `Host` is malformed. `root`
  // is read here, so that the error occurs before anything is changed.
  void exchange.root
  const queryInput = queryReaders[operation.query](exchange)
  const key = operation.creates ? idempotencyKey(exchange) : undefined
  const readBody = bodyReaders[operation.body]
  if (queryInput.expand.length === 0 || permission === undefined) return readBody(exchange, queryInput, key)
  return checkExpansions(exchange, queryInput.expand).then(() => readBody(exchange, queryInput, key))
}

/**
 * Throws `forbidden` (403) if the request expands a resource that the principal is not allowed to
 * read. This check comes before any record is read (AUTH-4).
 */
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

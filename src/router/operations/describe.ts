/** The operation that returns the OpenAPI document, a docs page or a docs asset of a version. */
import type { Operation } from './operation.js'

export const describe: Operation<'none', 'ignored', 200> = {
  name: 'describe',
  method: 'GET',
  target: 'document',
  // Every caller of the version may read its documents. The option `reduced` limits the operations
  // that the documents show.
  actions: [],
  query: 'none',
  body: 'ignored',
  preconditions: 'representation',
  answers: 'document',
  statuses: [200],
  async execute(exchange) {
    const { documents } = exchange.service
    if (documents.current === undefined) throw new Error('A document was requested, but the service has none.')
    const isPage = exchange.route.document?.pages !== undefined
    return {
      kind: 'document',
      status: 200,
      ...(await (isPage ? documents.current.file(exchange) : documents.current.of(exchange))),
    }
  },
}

/** The document of a version, at an address of its own. */
import type { Operation } from './operation.js'

export const describe: Operation<'none', 'ignored', 200> = {
  name: 'describe',
  method: 'GET',
  target: 'document',
  // Whoever may call the version may read what it is: see `reduced`.
  actions: [],
  query: 'none',
  body: 'ignored',
  preconditions: 'representation',
  answers: 'document',
  statuses: [200],
  async execute(exchange) {
    const { documents } = exchange.service
    if (documents.current === undefined) throw new Error('A document is asked for, and the service describes itself nowhere.')
    const isPage = exchange.route.document?.pages !== undefined
    return { kind: 'document', status: 200, ...(await (isPage ? documents.current.file(exchange) : documents.current.of(exchange))) }
  },
}

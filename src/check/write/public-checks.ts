/** Public collections, which clients write and do not list (VERB-11). */
import type { WriteCheck } from '../check.js'
import { goneAfterDelete, shownAtLocation } from './write-checks.js'

export const publicChecks: readonly WriteCheck[] = [
  {
    id: 'VERB-11/create',
    rule: 'POST of a public collection answers 201 or 202 with `Location`, and GET there shows the new item.',
    why: 'A client knows its items by these addresses alone, since it can not list them.',
    fix: 'Send Location with 201 and 202, and serve the item there.',
    run: shownAtLocation,
  },
  {
    id: 'VERB-11/delete',
    needs: ['VERB-11/create'],
    rule: 'DELETE of a public item answers without a body, and afterwards the item is 404.',
    why: 'What a client has deleted is gone for everybody.',
    fix: 'Answer DELETE with 204, and GET of what was deleted with 404.',
    run: goneAfterDelete,
  },
]

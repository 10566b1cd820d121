/**
 * Checks of public collections, to which clients can write, but which they can't list (VERB-11).
 */
import type { WriteCheck } from '../check.js'
import { goneAfterDelete, shownAtLocation } from './write-checks.js'

export const publicChecks: readonly WriteCheck[] = [
  {
    id: 'VERB-11/create',
    rule: 'POST to a public collection returns 201 or 202 with `Location`, and GET of that URL returns the new item.',
    why: 'Clients cannot list the collection, so they find their items only by the address in Location.',
    fix: 'Send Location with 201 and 202, and serve the item there.',
    run: shownAtLocation,
  },
  {
    id: 'VERB-11/delete',
    needs: ['VERB-11/create'],
    rule: 'The response to DELETE of a public item has no body, and afterwards GET of the item returns 404.',
    why: 'A deleted item must be gone for every client.',
    fix: 'Answer DELETE with 204, and GET of a deleted item with 404.',
    run: goneAfterDelete,
  },
]

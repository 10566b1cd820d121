/** Refuses a request early, before its credentials and its body are looked at, where the service has too many to answer (ERR-1). */
import { Unavailable } from '../../problem.js'
import type { Exchange } from '../exchange.js'

/** Throws `unavailable` (503) where no further request may execute. */
export function admit({ service: { load } }: Exchange): void {
  if (load.executing < load.most) return
  throw new Unavailable({
    detail: 'The service has as many requests to answer as it can. Nothing was changed: try again in a moment.',
  })
}

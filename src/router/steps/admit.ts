/**
 * Refuses a request early, before its credentials and its body are looked at, where the service has
 * too many to answer (ERR-1).
 */
import type { Exchange } from '../exchange.js'

export function admit({ service }: Exchange): void {
  service.load.check()
}

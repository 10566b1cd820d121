/**
 * Refuses a request before its credentials and body are read, where too many are being answered
 * (ERR-1).
 */
import type { Exchange } from '../exchange.js'

export function admit({ service }: Exchange): void {
  service.load.check()
}

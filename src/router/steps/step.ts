/** A step of a request's life: it sets what later steps need, sets the answer, or throws a problem. */
import type { Exchange } from '../exchange.js'

export type Step = (exchange: Exchange) => void | Promise<void>

/**
 * The options of a server for these curves: plain data, because it is sent to another process.
 * Equal options share one server.
 */
import type { Extent } from '../data/records.js'

/** Pieces and their contracts, in memory or in existing tables. */
export interface PiecesServing extends Extent {
  readonly kind: 'pieces'
  readonly database?: string
  /** Whether a list has a total. Default: an exact one. */
  readonly count?: 'none'
}

/** Pieces with four links, whose adapters count how often they are called. */
export interface LinkedServing extends Extent {
  readonly kind: 'linked'
  readonly database?: string
}

/**
 * Several copies of the pieces under different names: in one `api()`, or each with a
 * `resourceRouter()` in one Express app.
 */
export interface ManyServing {
  readonly kind: 'many'
  readonly by: 'api' | 'routers'
  readonly resources: number
}

/** Pieces that require a token and count requests, for any host. */
export interface SecuredServing extends Extent {
  readonly kind: 'secured'
  readonly secret: string
}

/** One piece as constant bytes, by `node:http` alone: the cost of the connections. */
export interface BareServing {
  readonly kind: 'bare'
}

export type Serving = BareServing | PiecesServing | LinkedServing | ManyServing | SecuredServing

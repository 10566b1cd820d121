/**
 * The options of a server on which points of curves are measured (see `../curve.ts`). The options
 * are plain data, because they are sent to another process. Points with equal options share one
 * server.
 */
import type { Extent } from '../data/records.js'

/** Pieces and their contracts, in memory or in existing tables. */
export interface PiecesServing extends Extent {
  readonly kind: 'pieces'
  readonly database?: string
  /** `none`: lists have no total. Default: lists have an exact total. */
  readonly count?: 'none'
}

/** Pieces with four links. The calls of their adapters are counted. */
export interface LinkedServing extends Extent {
  readonly kind: 'linked'
  readonly database?: string
}

/**
 * Several copies of the pieces under different names. All copies are in one `api()`, or each has
 * its own `resourceRouter()` in one Express app.
 */
export interface ManyServing {
  readonly kind: 'many'
  readonly by: 'api' | 'routers'
  readonly resources: number
}

/** Pieces that require a token and have a rate limit. Requests can have any `Host`. */
export interface SecuredServing extends Extent {
  readonly kind: 'secured'
  readonly secret: string
}

/**
 * One piece as constant bytes, served by `node:http` alone. This server shows the cost of the
 * connections.
 */
export interface BareServing {
  readonly kind: 'bare'
}

export type Serving = BareServing | PiecesServing | LinkedServing | ManyServing | SecuredServing

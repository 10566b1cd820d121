/** What a server of these curves is told to serve: plain data, since it goes to another process. Equal ones are one server. */
import type { Extent } from '../data/records.js'

/** Pieces and their contracts, in memory or in tables that are there. */
export interface PiecesServing extends Extent {
  readonly kind: 'pieces'
  readonly database?: string
  /** Whether a list tells its total. Default: exactly. */
  readonly count?: 'none'
}

/** Pieces with four links, whose adapters count how often they are called. */
export interface LinkedServing extends Extent {
  readonly kind: 'linked'
  readonly database?: string
}

/** The pieces so many times, each time under another name: in one `api()`, or each with a `resourceRouter()` in one Express app. */
export interface ManyServing {
  readonly kind: 'many'
  readonly by: 'api' | 'routers'
  readonly resources: number
}

/** Pieces for whoever has a token and is counted, at whatever host is asked for. */
export interface SecuredServing extends Extent {
  readonly kind: 'secured'
  readonly secret: string
}

/** One piece as ready bytes, by `node:http` alone: what connections cost where nothing else does. */
export interface BareServing {
  readonly kind: 'bare'
}

export type Serving = BareServing | PiecesServing | LinkedServing | ManyServing | SecuredServing

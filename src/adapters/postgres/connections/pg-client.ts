/**
 * The members of `pg`'s clients and pools that the library uses. A client or a pool is recognized
 * by its methods and properties.
 */
import type { CancellableClient } from './cancel.js'
import type { CellQuery } from './cell-query.js'
import type { TextRow } from './client.js'

interface QueryConfig {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly name?: string
}

export interface PgResult {
  readonly rows: readonly TextRow[]
  readonly command?: string
}

/** A NoticeResponse of the server. */
export interface PgNotice {
  /**
   * The function in the server's source code that sent the notice. Its name does not depend on the
   * language of messages.
   */
  readonly routine?: string | undefined
}

/** A `Client` of `pg`. */
export interface PgClient extends CancellableClient {
  query(config: QueryConfig | string): Promise<PgResult>
  query(query: CellQuery): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notice', listener: (notice: PgNotice) => void): unknown
  listeners(event: 'error' | 'notice'): readonly unknown[]
  /**
   * Returns a client to its pool. With an error or true, the pool closes the client. Absent for a
   * client that belongs to no pool.
   */
  release?(error?: Error | boolean): void
  /**
   * Returns the transaction status. `I`: no transaction is open. `T`: a transaction is open. `E`: a
   * transaction is open, and a statement in it has failed.
   */
  getTransactionStatus?(): string | null
  readonly connection?: {
    readonly stream?: { destroy(): void; setKeepAlive?(enable: boolean, initialDelay: number): unknown }
    /** Not documented by `pg`: the statements that the server keeps prepared, by name. */
    readonly parsedStatements?: Record<string, unknown>
  }
}

/** A `Pool` of `pg`. */
export interface PgPool {
  connect(): Promise<PgClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect' | 'acquire', listener: (client: PgClient) => void): unknown
  listenerCount(event: 'acquire'): number
  readonly totalCount: number
  readonly idleCount: number
  readonly options?: { readonly keepAlive?: boolean | undefined; readonly max?: number | undefined }
  /** Not documented by `pg`: the connections that the pool has or is making. */
  readonly _clients?: readonly (PgClient & { readonly _connecting?: boolean })[]
}

export const isPgPool = (client: object): client is PgPool =>
  'totalCount' in client && typeof (client as { connect?: unknown }).connect === 'function'

export const isPgClient = (client: object): client is PgClient =>
  'connect' in client && 'query' in client && 'escapeIdentifier' in client && !('totalCount' in client)

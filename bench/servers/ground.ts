/** What a server is started with, and what its file exports. */
import type { Server } from 'node:http'
import type { Account } from '../by-hand/access.js'

/** Told by the benchmark, as JSON. */
export interface Setting {
  /** One of the names in `servers/index.ts`. */
  readonly server: string
  /** The checkout whose library is served, built. */
  readonly checkout: string
  /** Where the data is: the address of a database with its tables filled; in the process where there is none. */
  readonly database: string | undefined
  /**
   * The library reads, over an adapter of a team's own, what is in the process; those by hand as
   * ever.
   */
  readonly ownAdapter?: boolean
  /** Whether a token is asked for, and requests are counted. */
  readonly secured: boolean
  /**
   * Where a token is asked for: whether answers have the fields for browsers, CORS and secure
   * headers. `api` always has them.
   */
  readonly browsers?: boolean
  /** What tokens are signed with, in base64. */
  readonly secret: string
  readonly account: Account
}

/** Resolves with a server that does not listen yet. */
export type Start = (setting: Setting) => Promise<Server> | Server

/** The options of a server, and the exports of its file. */
import type { Server } from 'node:http'
import type { Account } from '../by-hand/access.js'

/** Sent by the benchmark, as JSON. */
export interface Setting {
  /** One of the names in `servers/index.ts`. */
  readonly server: string
  /** The built checkout whose library is used. */
  readonly checkout: string
  /** The data: the address of a database with filled tables; absent for data in the process. */
  readonly database: string | undefined
  /**
   * The library reads data in the process through a custom adapter; hand-written servers are
   * unchanged.
   */
  readonly ownAdapter?: boolean
  /** Whether a token is required, and requests are counted. */
  readonly secured: boolean
  /**
   * With a token: whether responses have the headers for browsers, CORS and secure headers. `api`
   * always has them.
   */
  readonly browsers?: boolean
  /** The signing key of tokens, in base64. */
  readonly secret: string
  readonly account: Account
}

/** Resolves with a server that does not listen yet. */
export type Start = (setting: Setting) => Promise<Server> | Server

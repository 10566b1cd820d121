/** The options of a server, and the type of the function that creates it. */
import type { Server } from 'node:http'
import type { Account } from '../by-hand/access.js'

/** The options of a server. The benchmark sends them to the process of the server as JSON. */
export interface Setting {
  /** One of the names in `servers/index.ts`. */
  readonly server: string
  /** The built checkout whose library is used. */
  readonly checkout: string
  /**
   * The URL of a database with filled tables. If it is `undefined`, the data is in the memory of
   * the process.
   */
  readonly database: string | undefined
  /**
   * Whether the library reads the data in memory through a custom adapter. Hand-written servers
   * ignore this option.
   */
  readonly ownAdapter?: boolean
  /** Whether the server requires a token and applies a rate limit. */
  readonly secured: boolean
  /**
   * Whether responses have header fields for browsers: CORS and secure headers. Only workloads that
   * require a token set this option. Responses of `api` always have these fields.
   */
  readonly browsers?: boolean
  /** The key that signs tokens, in base64. */
  readonly secret: string
  readonly account: Account
}

/** Creates a server that does not listen yet. */
export type Start = (setting: Setting) => Promise<Server> | Server

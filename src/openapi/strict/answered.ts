/** An answer as it left, ready to be compared with a document. */

/** Names of headers are in lower case. */
export interface Answered {
  readonly method: string
  /** Below the version, without the query; `/login` for the login. */
  readonly path: string
  /** Whether it stands beside the versions, as the login does: then its path in the document has servers of its own. */
  readonly isBeside?: boolean
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** `undefined` where nobody has seen it whole, such as a long stream. */
  readonly body: Buffer | undefined
  /** Headers that stood in the response before the service got the request: they are the app's own. */
  readonly before?: ReadonlySet<string>
}

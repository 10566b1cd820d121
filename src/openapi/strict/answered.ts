/** A sent response, for the comparison with a document. */

/** Header names are in lower case. */
export interface Answered {
  readonly method: string
  /** The path below the version, without the query. `/login` for the login. */
  readonly path: string
  /**
   * Whether the path is outside of versions, as the login is. Its path item in the document
   * declares `servers`.
   */
  readonly isBeside?: boolean
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** `undefined` if the body was not buffered completely, such as a long stream. */
  readonly body: Buffer | undefined
  /** Headers that were set before the service got the request. They are the app's own. */
  readonly before?: ReadonlySet<string>
}

/** The responses that are compared with a document. */

/** A response that is compared with a document. The names of header fields are in lower case. */
export interface SentResponse {
  readonly method: string
  /**
   * The path below the version, without the query. It is the whole path if there are no versions,
   * and `/login` for the login.
   */
  readonly path: string
  /**
   * Whether the path is outside of all versions, like the path of the login. In the document, the
   * path item of such a path declares `servers`.
   */
  readonly isOutsideVersions?: boolean
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /**
   * `undefined` if the whole body is not known, because it is too long, or because the header
   * fields were flushed before the body was written.
   */
  readonly body: Buffer | undefined
  /**
   * The header fields that the app had set before the service got the request. The document need
   * not describe them.
   */
  readonly before?: ReadonlySet<string>
}

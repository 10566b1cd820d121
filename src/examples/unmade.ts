/** Maximum length of a path in a message. */
const longest = 80

/**
 * No value could be generated for a place in a schema. The message gives the place and the reason;
 * the caller adds how to fix it.
 */
export class Unmade extends Error {
  override readonly name = 'Unmade'

  /**
   * `path`: member names with dots, empty for the whole value. `keyword`: the JSON Schema keyword
   * that can't be satisfied.
   */
  constructor(
    readonly path: string,
    readonly keyword: string,
    readonly why: string,
  ) {
    super(
      `${path === '' ? 'the whole record' : `"${path.length > longest ? `${path.slice(0, longest)}...` : path}"`} (${keyword}): ${why}`,
    )
  }
}

/** The maximum length of a path in a message. */
const longest = 80

/**
 * Thrown if no value could be generated for a part of a schema. The message contains the path and
 * the reason. The caller adds advice on how to fix the schema.
 */
export class Unmade extends Error {
  override readonly name = 'Unmade'

  /**
   * `path`: the names of the members, joined by dots; empty for the whole value. `keyword`: the
   * JSON Schema keyword that can't be satisfied, or another cause: `key`, `link`, `rules` or
   * `schema`.
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

/** Characters of a path that a message shows. */
const longest = 80

/** No value could be made for a place of a schema: the message says where and why, the caller says what helps. */
export class Unmade extends Error {
  override readonly name = 'Unmade'

  /** `path`: members with dots, empty for the whole value. `keyword`: of JSON Schema, the one that stands in the way. */
  constructor(
    readonly path: string,
    readonly keyword: string,
    readonly why: string,
  ) {
    super(`${path === '' ? 'the whole record' : `"${path.length > longest ? `${path.slice(0, longest)}...` : path}"`} (${keyword}): ${why}`)
  }
}

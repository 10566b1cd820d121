/** Finds the line and the column of a value in a JSON or YAML file. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml'

/** A position in a file. The first line and the first column have the number 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/**
 * Returns a function that finds the position of a value by its path from the root. If there is no
 * such value, the function returns the position of its nearest existing ancestor. The file is
 * parsed when the function is first called. JSON is parsed as YAML, because JSON is a subset of
 * YAML. The function returns `undefined` if the file is empty.
 */
export function positionsOf(text: string): (path: readonly (string | number)[]) => Position | undefined {
  const lines = new LineCounter()
  let root: Node | null | undefined
  return (path) => {
    root ??= parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' }).contents
    const offset = root === null ? undefined : offsetOf(root, path)
    if (offset === undefined) return undefined
    const { line, col } = lines.linePos(offset)
    return line === 0 ? undefined : { line, column: col }
  }
}

/**
 * The offset of a value in the file. For a member of an object, this is the offset of its name. For
 * an element of a list, it is the offset of the element.
 */
function offsetOf(root: Node, path: readonly (string | number)[]): number | undefined {
  let node: unknown = root
  let offset = root.range?.[0]
  for (const name of path) {
    // The path leads through an alias, whose target is written elsewhere in the file. So the offset
    // of the member or element that holds the alias is returned.
    if (isAlias(node)) return offset
    if (isMap(node)) {
      const pair = memberOf(node, String(name))
      // If the path leads through a `$ref` or a merge key `<<`, the offset of that key is returned.
      const other = pair ?? memberOf(node, '$ref') ?? memberOf(node, '<<')
      if (pair === undefined) return (other?.key as Node | undefined)?.range?.[0] ?? offset
      offset = (pair.key as Node).range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      const item = node.items[Number(name)] as Node | undefined
      if (item === undefined) return offset
      offset = item.range?.[0] ?? offset
      node = item
    } else return offset
  }
  return offset
}

const memberOf = (node: YAMLMap, name: string): Pair | undefined =>
  node.items.find(({ key }) => isScalar(key) && String(key.value) === name)

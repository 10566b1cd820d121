/** Lines and columns of the values of a JSON or YAML text. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml'

/** Both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/**
 * Finds the position of a value by its path from the root, or that of its nearest existing
 * ancestor. The text is parsed on first use. JSON is parsed as YAML, of which it is a subset.
 * Returns `undefined` for a text that can't be parsed.
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

/** A member is found at its name, an element of a list at its value. */
function offsetOf(root: Node, path: readonly (string | number)[]): number | undefined {
  let node: unknown = root
  let offset = root.range?.[0]
  for (const name of path) {
    // The position of an alias is where it is used. Its members are where they are written.
    if (isAlias(node)) return offset
    if (isMap(node)) {
      const pair = memberOf(node, String(name))
      // The target of a reference is found at the reference.
      if (pair === undefined) return (memberOf(node, '$ref')?.key as Node | undefined)?.range?.[0] ?? offset
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

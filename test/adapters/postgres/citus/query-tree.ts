/**
 * Statements as PostgreSQL has analysed them: the catalog shows the query tree of a function's
 * body.
 */

/** A node of a query tree: the values of each field by its name. */
export interface Node {
  readonly type: string
  readonly fields: ReadonlyMap<string, readonly Value[]>
}
export type Value = string | Node | readonly Value[]

const isNode = (value: Value | undefined): value is Node => typeof value === 'object' && !Array.isArray(value)

/** The first value of a field as text. */
export const textOf = (node: Node, field: string): string => {
  const [value = ''] = node.fields.get(field) ?? []
  return typeof value === 'string' ? value : ''
}
export const numberOf = (node: Node, field: string): number => Number(textOf(node, field))

/** The node of a field, or the nodes of its list. */
export const nodesIn = (node: Node, field: string): readonly Node[] =>
  (node.fields.get(field) ?? []).flatMap((value) => flat(value))
const flat = (value: Value): readonly Node[] =>
  isNode(value) ? [value] : typeof value === 'string' ? [] : value.flatMap(flat)

/** The child nodes of a node. */
export const childrenOf = (node: Node): readonly Node[] =>
  [...node.fields.values()].flatMap((values) => values.flatMap(flat))

/** A node and all its descendants. */
export function* allOf(node: Node): Generator<Node> {
  yield node
  for (const child of childrenOf(node)) yield* allOf(child)
}

/** The text format of `pg_node_tree`. */
export function parseTree(text: string): Value {
  let at = 0
  const space = (): void => {
    while (/\s/.test(text[at] ?? '')) at++
  }
  const token = (): string => {
    let found = ''
    if (text[at] === '"') {
      for (at++; text[at] !== '"'; at++) found += text[at] === '\\' ? text[++at] : text[at]
      at++
      return found
    }
    for (; at < text.length && !/[\s{}()]/.test(text[at] as string); at++)
      found += text[at] === '\\' ? text[++at] : text[at]
    return found
  }
  const value = (): Value => {
    if (text[at] === '{') return node()
    if (text[at] !== '(') return token()
    at++
    const items: Value[] = []
    for (space(); text[at] !== ')'; space()) items.push(value())
    at++
    return items
  }
  const node = (): Node => {
    at++
    const type = token()
    const fields = new Map<string, Value[]>()
    let values: Value[] = []
    for (space(); text[at] !== '}'; space()) {
      if (text[at] === ':') {
        values = []
        fields.set(token().slice(1), values)
      } else values.push(value())
    }
    at++
    return { type, fields }
  }
  space()
  return value()
}

export type Sql = (text: string) => Promise<Record<string, unknown>[]>

let functions = 0

/**
 * The query tree of a statement, whose parameters are texts. Requires PostgreSQL 14: older versions
 * store the text of a function body, and no tree. The function is dropped again.
 */
export async function queryOf(sql: Sql, given: string): Promise<Node> {
  // A function has at most 100 parameters. Which one is used does not affect the structure of the
  // tree.
  const statement = given.replace(/\$(\d+)/g, (_, number) => `$${Math.min(Number(number), 100)}`)
  const parameters = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const name = `analysed_${++functions}`
  const types = Array.from({ length: parameters }, () => 'text').join(', ')
  await sql(`CREATE FUNCTION ${name}(${types}) RETURNS void LANGUAGE sql BEGIN ATOMIC ${statement}; END`)
  const [row] = await sql(`SELECT prosqlbody::text AS body FROM pg_proc WHERE oid = '${name}'::regproc`)
  await sql(`DROP FUNCTION ${name}`)
  const [query] = flat(parseTree(String(row?.body)))
  if (query?.type !== 'QUERY') throw new Error(`The body of a function has no query: ${statement}`)
  return query
}

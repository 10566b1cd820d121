/**
 * Reads the query tree of a statement, which is the result of PostgreSQL's analysis. To get the
 * tree, the statement is stored as the body of a function, because the catalog contains the tree of
 * that body.
 */

/** A node of a query tree. `fields` maps the name of each field to its values. */
export interface Node {
  readonly type: string
  readonly fields: ReadonlyMap<string, readonly Value[]>
}
export type Value = string | Node | readonly Value[]

const isNode = (value: Value | undefined): value is Node => typeof value === 'object' && !Array.isArray(value)

/** The first value of a field, as a string. */
export const textOf = (node: Node, field: string): string => {
  const [value = ''] = node.fields.get(field) ?? []
  return typeof value === 'string' ? value : ''
}
export const numberOf = (node: Node, field: string): number => Number(textOf(node, field))

/** The nodes in a field, including those in its lists. */
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

/** Parses the text format of the type `pg_node_tree`. */
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
 * The query tree of a statement. All parameters of the statement get the type `text`. Requires
 * PostgreSQL 14 or later, because older versions store the body of a function only as text. Creates
 * a function for the analysis, and drops it afterwards.
 */
export async function queryOf(sql: Sql, given: string): Promise<Node> {
  // A function has at most 100 parameters, so parameter numbers above 100 become 100. These numbers
  // do not affect the structure of the tree.
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

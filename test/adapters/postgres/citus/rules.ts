/**
 * Finds statements that the planner of Citus refuses. The rules come from the documentation of
 * Citus (Reference: SQL support and workarounds) and from the messages of the planner. They apply
 * to the query tree of a statement over distributed tables. The catalog of PostgreSQL gives the
 * volatility of each function.
 */
import { allOf, childrenOf, type Node, nodesIn, numberOf, parseTree, queryOf, type Sql, textOf } from './query-tree.js'

type Volatility = 'i' | 's' | 'v'

/**
 * Facts from the catalog, by OID: the volatility of each function, and the distributed tables.
 * `input` and `output` contain the volatility of the functions that parse and format the values of
 * each type.
 */
export interface Facts {
  readonly functions: ReadonlyMap<string, Volatility>
  readonly input: ReadonlyMap<string, Volatility>
  readonly output: ReadonlyMap<string, Volatility>
  readonly tables: ReadonlySet<string>
  /** The number of each table's distribution column. Reference tables have none. */
  readonly columns: ReadonlyMap<string, number>
  /**
   * The default of each column. The key is the OID of the table, a dot and the number of the
   * column.
   */
  readonly defaults: ReadonlyMap<string, readonly Node[]>
}

export async function factsOf(sql: Sql): Promise<Facts> {
  const pairs = async (text: string) => (await sql(text)).map(({ a, b }) => [String(a), String(b)] as const)
  const types = (side: string) =>
    `SELECT t.oid AS a, p.provolatile AS b FROM pg_type t JOIN pg_proc p ON p.oid = t.${side}`
  const tables = await pairs(
    "SELECT logicalrelid::oid AS a, coalesce(substring(partkey FROM ':varattno ([0-9]+)'), '0') AS b FROM " +
      'pg_catalog.pg_dist_partition',
  )
  const defaults = await pairs("SELECT adrelid || '.' || adnum AS a, adbin::text AS b FROM pg_attrdef")
  return {
    defaults: new Map(defaults.map(([column, tree]) => [column, [parseTree(tree) as Node]])),
    functions: new Map(await pairs('SELECT oid AS a, provolatile AS b FROM pg_proc')) as Map<string, Volatility>,
    input: new Map(await pairs(types('typinput'))) as Map<string, Volatility>,
    output: new Map(await pairs(types('typoutput'))) as Map<string, Volatility>,
    tables: new Set(tables.map(([table]) => table)),
    columns: new Map(tables.filter(([, column]) => column !== '0').map(([table, column]) => [table, Number(column)])),
  }
}

const resultTypes: Readonly<Record<string, string>> = {
  VAR: 'vartype',
  PARAM: 'paramtype',
  CONST: 'consttype',
  FUNCEXPR: 'funcresulttype',
  OPEXPR: 'opresulttype',
  AGGREF: 'aggtype',
  RELABELTYPE: 'resulttype',
  COERCEVIAIO: 'resulttype',
  ARRAYCOERCEEXPR: 'resulttype',
  COERCETODOMAIN: 'resulttype',
  CASE: 'casetype',
  CASEEXPR: 'casetype',
  COALESCE: 'coalescetype',
  COALESCEEXPR: 'coalescetype',
  ROW: 'row_typeid',
  ROWEXPR: 'row_typeid',
  ARRAY: 'array_typeid',
  ARRAYEXPR: 'array_typeid',
  MINMAX: 'minmaxtype',
  SQLVALUEFUNCTION: 'type',
}
const boolean = '16'

/**
 * The OID of an expression's type. A scalar subquery has the type of its column. Unknown kinds of
 * nodes get the OID of boolean.
 */
function typeOf(node: Node): string {
  const field = resultTypes[node.type]
  if (field !== undefined) return textOf(node, field)
  const [inner] =
    node.type === 'SUBLINK' ? nodesIn(node, 'subselect').flatMap((query) => nodesIn(query, 'targetList')) : []
  if (inner !== undefined && textOf(node, 'subLinkType') === '4') return typeOf(nodesIn(inner, 'expr')[0] as Node)
  if (node.type === 'COLLATE' || node.type === 'COLLATEEXPR') return typeOf(nodesIn(node, 'arg')[0] as Node)
  return boolean
}

/** The volatility of each function that the node itself calls. */
function calls(node: Node, facts: Facts): readonly Volatility[] {
  const named = ['funcid', 'opfuncid', 'aggfnoid', 'winfnoid']
    .map((field) => textOf(node, field))
    .filter((oid) => oid !== '' && oid !== '0')
  const found = named.map((oid) => facts.functions.get(oid) ?? 'v')
  if (node.type === 'COERCEVIAIO') {
    const [argument] = nodesIn(node, 'arg')
    found.push(facts.output.get(typeOf(argument as Node)) ?? 'v', facts.input.get(textOf(node, 'resulttype')) ?? 'v')
  }
  if (node.type === 'SQLVALUEFUNCTION') found.push('s')
  if (node.type === 'NEXTVALUEEXPR') found.push('v')
  return found
}

const uses = (nodes: readonly Node[], worst: readonly Volatility[], facts: Facts): boolean =>
  nodes.some((node) =>
    [...allOf(node)].some((one) => calls(one, facts).some((volatility) => worst.includes(volatility))),
  )

/**
 * True if the expression passes a column to a STABLE function, or if CASE or COALESCE contains a
 * function that is not IMMUTABLE. Citus calls STABLE functions before it sends the statement. At
 * that time, the values of columns are not available.
 */
function passesColumns(node: Node, facts: Facts): boolean {
  if (/^(?:CASE|COALESCE)/.test(node.type)) return uses([node], ['s', 'v'], facts)
  if (
    calls(node, facts).includes('s') &&
    childrenOf(node).some((child) => [...allOf(child)].some(({ type }) => type === 'VAR'))
  )
    return true
  return childrenOf(node).some((child) => passesColumns(child, facts))
}

const commands = ['', 'SELECT', 'UPDATE', 'INSERT', 'DELETE']

const tablesOf = (query: Node): readonly Node[] =>
  nodesIn(query, 'rtable').filter((entry) => textOf(entry, 'rtekind') === '0')
const isOuter = (node: Node): boolean => node.type === 'VAR' && numberOf(node, 'varlevelsup') > 0

/**
 * True if all matching rows are on one server: the query reads a reference table, or its WHERE
 * clause compares the distribution column of a table with a value that does not come from an outer
 * query.
 */
function isRouted(query: Node, facts: Facts): boolean {
  const entries = nodesIn(query, 'rtable')
  return entries.some((entry, i) => {
    if (!facts.tables.has(textOf(entry, 'relid'))) return false
    const column = facts.columns.get(textOf(entry, 'relid'))
    if (column === undefined) return true
    return nodesIn(query, 'jointree').some((tree) =>
      [...allOf(tree)].some((node) => {
        const [left, right] = node.type === 'OPEXPR' ? nodesIn(node, 'args') : []
        const isColumn =
          left?.type === 'VAR' && numberOf(left, 'varno') === i + 1 && numberOf(left, 'varattno') === column
        return isColumn && right !== undefined && ![...allOf(right)].some(isOuter)
      }),
    )
  })
}

/**
 * Whether an INSERT takes its row from a subquery without a table. Citus stores such a row first,
 * and inserts it by a second statement.
 */
const isOverNone = (query: Node): boolean => {
  const [source] = nodesIn(query, 'rtable').flatMap((entry) => nodesIn(entry, 'subquery'))
  return (
    source !== undefined &&
    nodesIn(source, 'rtable').every(
      (entry) => textOf(entry, 'rtekind') === '1' && nodesIn(entry, 'subquery').every(isOverNothing),
    )
  )
}
const isOverNothing = (query: Node): boolean => nodesIn(query, 'rtable').length === 0

/**
 * The reasons for which Citus would refuse a statement. The list is empty for statements without a
 * distributed table.
 */
export async function refusedByCitus(sql: Sql, statement: string, facts: Facts): Promise<readonly string[]> {
  const top = await queryOf(sql, statement)
  const queries = [...allOf(top)].filter(({ type }) => type === 'QUERY')
  if (!queries.some((query) => tablesOf(query).some((entry) => facts.tables.has(textOf(entry, 'relid'))))) return []
  return [...new Set(queries.flatMap((query) => faultsOf(query, facts)))]
}

function faultsOf(query: Node, facts: Facts): readonly string[] {
  const faults: string[] = []
  const command = commands[numberOf(query, 'commandType')] ?? ''
  const written = nodesIn(query, 'rtable')[numberOf(query, 'resultRelation') - 1]
  const targets = nodesIn(query, 'targetList')
  const defaults = targets
    .filter((target) => nodesIn(target, 'expr')[0]?.type === 'SETTODEFAULT')
    .flatMap((target) => facts.defaults.get(`${written && textOf(written, 'relid')}.${textOf(target, 'resno')}`) ?? [])
  const where = nodesIn(query, 'jointree')
  const isChange = command === 'UPDATE' || command === 'DELETE'
  if (isChange && uses([query, ...defaults], ['v'], facts)) faults.push(`a VOLATILE function in ${command}`)
  if (isChange && [...targets, ...where].some((node) => passesColumns(node, facts)))
    faults.push(`a STABLE function of a column in ${command}`)
  if (uses(nodesIn(query, 'returningList'), ['s', 'v'], facts))
    faults.push('a function that is not IMMUTABLE in RETURNING')
  if (uses(nodesIn(query, 'onConflict'), ['s', 'v'], facts))
    faults.push('a function that is not IMMUTABLE in ON CONFLICT')
  if (command === 'INSERT' && targets.some((node) => [...allOf(node)].some(({ type }) => type === 'SUBLINK')))
    faults.push('a subquery in the values of INSERT')
  if (command === 'INSERT' && nodesIn(query, 'cteList').length > 0) faults.push('WITH in INSERT')
  if (command === 'INSERT' && isOverNone(query)) faults.push('INSERT of a SELECT without a table')
  const window = [...nodesIn(query, 'limitOffset'), ...nodesIn(query, 'limitCount')]
  if (window.some((node) => [...allOf(node)].some(({ type }) => type === 'SUBLINK')))
    faults.push('a subquery in LIMIT or OFFSET')
  const tables = tablesOf(query).map((entry) => textOf(entry, 'relid'))
  const isOver = tables.some((table) => facts.tables.has(table))
  if (nodesIn(query, 'rowMarks').length > 0 && isOver && !isRouted(query, facts))
    faults.push('a lock of rows on several servers')
  for (const entry of nodesIn(query, 'rtable')) {
    if (textOf(entry, 'lateral') === 'true') faults.push('a LATERAL subquery')
    const inner = nodesIn(entry, 'subquery')
    if (command === 'INSERT' && inner.some((node) => hasCorrelated(node)))
      faults.push('a correlated subquery in FROM of INSERT')
  }
  const system = [...targets, ...where, ...nodesIn(query, 'returningList')].flatMap((node) => [...allOf(node)])
  if (isOver && system.some((node) => node.type === 'VAR' && numberOf(node, 'varattno') < 0))
    faults.push('a system column')
  return faults
}

/** Whether an expression has a subquery that refers to the query around it. */
const hasCorrelated = (query: Node): boolean =>
  [...allOf(query)].some(
    (node) => node.type === 'SUBLINK' && nodesIn(node, 'subselect').some((inner) => [...allOf(inner)].some(isOuter)),
  )

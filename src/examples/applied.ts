/**
 * Collects the schemas that apply together to one value. Follows references, and chooses one branch
 * of each union and condition.
 */
import { isList, isObject } from '../definition/json.js'
import { anything, isSchema, schemaAt } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import type { Making } from './making.js'
import { Unmade } from './unmade.js'

/**
 * The maximum depth of nested references and branches. A schema that nests deeper is considered
 * cyclic.
 */
const maxDepth = 64

/** All schemas that apply to a value. Throws `Unmade` if one of them allows no value. */
export function applied(root: JsonSchema, nodes: readonly unknown[], making: Making): JsonSchema[] {
  const parts: JsonSchema[] = []
  for (const node of nodes) add(root, node, making, parts, 0)
  return parts
}

function add(root: JsonSchema, given: unknown, making: Making, parts: JsonSchema[], depth: number): void {
  const node = given === true ? anything : given
  if (!isSchema(node)) throw new Unmade(making.path, 'false', 'its schema allows no value')
  if (depth > maxDepth) throw new Unmade(making.path, '$ref', 'its schema has a $ref cycle')
  const also = (part: unknown): void => add(root, part, making, parts, depth + 1)
  parts.push(node)
  if (typeof node.$ref === 'string') also(schemaAt(root, node.$ref))
  if (isList(node.allOf)) node.allOf.forEach(also)
  for (const union of [node.anyOf, node.oneOf]) {
    const branch = isList(union) ? branchOf(union, making) : undefined
    if (branch !== undefined) also(branch)
  }
  if (node.if === undefined) return
  // A value that is generated for `else` may also match `if`. Validation rejects such a value
  // later.
  if (making.random.chance(node.then === undefined ? 0.2 : 0.6)) {
    also(node.if)
    if (node.then !== undefined) also(node.then)
  } else if (node.else !== undefined) also(node.else)
}

/**
 * One of the branches that allow a value. If null and other values are allowed, null is chosen with
 * the probability `gaps`. Otherwise, one of the other branches is chosen: the first one if `first`
 * is true, and a random one if not.
 */
function branchOf(union: readonly unknown[], { random, gaps, first }: Making): unknown {
  const open = union.filter((branch) => branch !== false)
  const real = open.filter((branch) => !isNull(branch))
  if (real.length === 0 || (real.length < open.length && random.chance(gaps))) return open.find(isNull)
  return first ? real[0] : random.one(real)
}

const isNull = (branch: unknown): boolean => isObject(branch) && (branch.type === 'null' || branch.const === null)

/** The values of a keyword in all schemas that have it. */
export function all(parts: readonly JsonSchema[], keyword: string): unknown[] {
  const found: unknown[] = []
  // A plain loop is faster than `filter` and `map`. The function is called for each keyword of each
  // value, and most schemas lack the keyword.
  for (const part of parts) {
    const value = part[keyword]
    if (value !== undefined) found.push(value)
  }
  return found
}

/** The numbers among the values of a keyword, in all schemas. */
export const numbers = (parts: readonly JsonSchema[], keyword: string): number[] =>
  all(parts, keyword).filter((value) => typeof value === 'number')

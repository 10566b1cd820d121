/**
 * Finds the deprecated parts that a request uses: its parameters and the members that it sends
 * (VER-3).
 */
import { isList, isObject, own } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/** A deprecated part that a request used. The request was served as usual. */
export interface DeprecatedUse {
  readonly kind: 'operation' | 'parameter' | 'member'
  /**
   * `DELETE /notas/{id}`, the name of a parameter, or the path of a member such as `lineas[].nota`.
   * Never a value.
   */
  readonly name: string
}

/** Returns the paths of the deprecated members in a body. `undefined` if the schema has none. */
export type DeprecatedIn = ((body: unknown) => readonly string[]) | undefined

/** The path of a member: names, and `[]` for the items of an array. */
type MemberPath = readonly string[]

/** The maximum depth of the search: a recursive schema has no end. */
const maxDepth = 8

/** Compiles the search for members that a schema marks as deprecated. */
export function compileDeprecated(shape: Shape): DeprecatedIn {
  const paths = deprecatedPaths(shape, [])
  if (paths.length === 0) return undefined
  const named = paths.map((path) => [nameOf(path), path] as const)
  return (body) => named.flatMap(([name, path]) => (isAt(body, path, 0) ? [name] : []))
}

function deprecatedPaths(shape: Shape, path: MemberPath): readonly MemberPath[] {
  if (path.length >= maxDepth) return []
  const items = shape.isArray && shape.items !== undefined ? below(shape.items, [...path, '[]']) : []
  return [...items, ...[...shape.members].flatMap(([name, member]) => below(member, [...path, name]))]
}

const below = (shape: Shape, path: MemberPath): readonly MemberPath[] =>
  shape.deprecated ? [path] : deprecatedPaths(shape, path)

const nameOf = (path: MemberPath): string => path.join('.').replaceAll('.[', '[')

function isAt(value: unknown, path: MemberPath, at: number): boolean {
  const name = path[at]
  if (name === undefined) return true
  if (name === '[]') return isList(value) && value.some((item) => isAt(item, path, at + 1))
  return isObject(value) && Object.hasOwn(value, name) && isAt(own(value, name), path, at + 1)
}

/**
 * Like `deprecatedIn`, for the operations of a JSON Patch: finds paths to a deprecated member or
 * into one.
 */
export function inJsonPatch(deprecatedIn: DeprecatedIn, operations: unknown): readonly string[] {
  if (deprecatedIn === undefined || !isList(operations)) return []
  const bodies = operations.map((operation) => {
    const path = own(operation, 'path')
    return typeof path === 'string' ? bodyAt(tokensOf(path), own(operation, 'value')) : undefined
  })
  return [...new Set(bodies.flatMap((body) => deprecatedIn(body)))]
}

/** The tokens of a pointer, up to the maximum depth: the client chooses how many there are. */
const tokensOf = (pointer: string): readonly string[] => pointer.split('/', maxDepth + 1).slice(1)

/** The smallest body that has a value at the place of a pointer. */
function bodyAt(tokens: readonly string[], value: unknown): unknown {
  const [token, ...rest] = tokens
  if (token === undefined) return value
  const inner = bodyAt(rest, value)
  if (/^(?:\d+|-)$/.test(token)) return [inner]
  return { [token.replaceAll('~1', '/').replaceAll('~0', '~')]: inner }
}

/** Finds the deprecated members that the body of a request uses (VER-3). */
import { isList, isObject, own } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/**
 * A deprecated operation, parameter or member that a request used. The request was served as usual.
 */
export interface DeprecatedUse {
  readonly kind: 'operation' | 'parameter' | 'member'
  /**
   * An operation such as `DELETE /notas/{id}`, the name of a parameter, or the path of a member
   * such as `lineas[].nota`. Never contains a value from the request.
   */
  readonly name: string
}

/**
 * The function that returns the paths of the deprecated members in a body. `undefined` if the
 * schema has no deprecated members.
 */
export type DeprecatedIn = ((body: unknown) => readonly string[]) | undefined

/**
 * The path of a member: the names of the members that contain it, and then its own name. `[]`
 * stands for the items of an array.
 */
type MemberPath = readonly string[]

/**
 * The maximum depth of the search. Without this limit, the search in a recursive schema would never
 * end.
 */
const maxDepth = 8

/** Compiles the function that finds the members that a schema marks as deprecated. */
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
 * Returns the paths of the deprecated members that the operations of a JSON Patch use. An operation
 * uses a member if the operation's `path` leads to the member or into the member, or if the
 * operation's value contains the member.
 */
export function inJsonPatch(deprecatedIn: DeprecatedIn, operations: unknown): readonly string[] {
  if (deprecatedIn === undefined || !isList(operations)) return []
  const bodies = operations.map((operation) => {
    const path = own(operation, 'path')
    return typeof path === 'string' ? bodyAt(tokensOf(path), own(operation, 'value')) : undefined
  })
  return [...new Set(bodies.flatMap((body) => deprecatedIn(body)))]
}

/**
 * The tokens of a JSON Pointer, up to the maximum depth. The number is limited because a client
 * could send a very long pointer.
 */
const tokensOf = (pointer: string): readonly string[] => pointer.split('/', maxDepth + 1).slice(1)

/**
 * Returns the smallest body in which a JSON Pointer with these tokens leads to `value`. Each array
 * index in the pointer is replaced by 0.
 */
function bodyAt(tokens: readonly string[], value: unknown): unknown {
  const [token, ...rest] = tokens
  if (token === undefined) return value
  const inner = bodyAt(rest, value)
  if (/^(?:\d+|-)$/.test(token)) return [inner]
  return { [token.replaceAll('~1', '/').replaceAll('~0', '~')]: inner }
}

/** What of a request is deprecated: parameters that it has, and members that it sends (VER-3). */
import { isList, isObject, own } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/** Something deprecated that a request used. It was served all the same. */
export interface DeprecatedUse {
  readonly kind: 'operation' | 'parameter' | 'member'
  /** `DELETE /notas/{id}`, the name of a parameter, or the place of a member such as `lineas[].nota`. Never a value. */
  readonly name: string
}

/** The deprecated members that a body has, by their places; absent where its schema has none. */
export type DeprecatedIn = ((body: unknown) => readonly string[]) | undefined

/** The way to a member: names, and `[]` for the items of an array. */
type Way = readonly string[]

/** Levels of a schema that are looked at: one that holds itself has no end. */
const deepest = 8

/** Compiles the look for members that a schema says are deprecated. */
export function compileDeprecated(shape: Shape): DeprecatedIn {
  const ways = deprecatedWays(shape, [])
  if (ways.length === 0) return undefined
  const named = ways.map((way) => [nameOf(way), way] as const)
  return (body) => named.flatMap(([name, way]) => (isAt(body, way, 0) ? [name] : []))
}

function deprecatedWays(shape: Shape, way: Way): readonly Way[] {
  if (way.length >= deepest) return []
  const items = shape.isArray && shape.items !== undefined ? below(shape.items, [...way, '[]']) : []
  return [...items, ...[...shape.members].flatMap(([name, member]) => below(member, [...way, name]))]
}

const below = (shape: Shape, way: Way): readonly Way[] => (shape.deprecated ? [way] : deprecatedWays(shape, way))

const nameOf = (way: Way): string => way.join('.').replaceAll('.[', '[')

function isAt(value: unknown, way: Way, at: number): boolean {
  const name = way[at]
  if (name === undefined) return true
  if (name === '[]') return isList(value) && value.some((item) => isAt(item, way, at + 1))
  return isObject(value) && Object.hasOwn(value, name) && isAt(own(value, name), way, at + 1)
}

/** The same of the operations of a JSON Patch: a path that leads to a deprecated member, or into one. */
export function inJsonPatch(deprecatedIn: DeprecatedIn, operations: unknown): readonly string[] {
  if (deprecatedIn === undefined || !isList(operations)) return []
  const bodies = operations.map((operation) => {
    const path = own(operation, 'path')
    return typeof path === 'string' ? bodyAt(tokensOf(path), own(operation, 'value')) : undefined
  })
  return [...new Set(bodies.flatMap((body) => deprecatedIn(body)))]
}

/** The tokens of a pointer, as far as a way goes: a client chooses how many there are. */
const tokensOf = (pointer: string): readonly string[] => pointer.split('/', deepest + 1).slice(1)

/** The smallest body that has a value at the place of a pointer. */
function bodyAt(tokens: readonly string[], value: unknown): unknown {
  const [token, ...rest] = tokens
  if (token === undefined) return value
  const inner = bodyAt(rest, value)
  if (/^(?:\d+|-)$/.test(token)) return [inner]
  return { [token.replaceAll('~1', '/').replaceAll('~0', '~')]: inner }
}

/** Finds the deprecated members that the body of a request uses (VER-3). */
import { isList, isObject, own } from '../definition/json.js'
import { placesOf } from '../definition/schema-places.js'
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

/** A step of a path from a value to the values inside it. */
interface Step {
  /**
   * The name of a member, or `[]` for an item, `[0]` for the first item of a list with
   * `prefixItems`, and `*` for a member that the schema allows without naming it.
   */
  readonly name: string
  /** Whether this step matches `token`, a member name or an array index in a JSON Pointer. */
  readonly takes: (token: string) => boolean
  /** The values that this step leads to. */
  readonly from: (value: unknown) => readonly unknown[]
}

type MemberPath = readonly Step[]

/**
 * The maximum depth of the search. Without this limit, the search in a recursive schema would never
 * end.
 */
const maxDepth = 8

/**
 * Compiles the search for the members that a schema marks as deprecated. Returns `undefined` if
 * there are none.
 */
export function compileDeprecated(shape: Shape): DeprecatedMembers | undefined {
  // In a recursive schema, the number of paths can be large. So the paths are computed only if a
  // member is deprecated.
  if (![...placesOf(shape)].some(([path, place]) => path !== '' && place.deprecated)) return undefined
  const paths = deprecatedPaths(shape, [])
  return paths.length === 0 ? undefined : new DeprecatedMembers(paths)
}

/** Finds the deprecated members of a schema in bodies. */
export class DeprecatedMembers {
  readonly #named: readonly (readonly [name: string, path: MemberPath])[]

  constructor(paths: readonly MemberPath[]) {
    this.#named = paths.map((path) => [nameOf(path), path])
  }

  /** Returns the paths of the deprecated members that a body contains. */
  in(body: unknown): readonly string[] {
    return this.#where((path) => isAt(body, path, 0))
  }

  /**
   * Returns the paths of the deprecated members that the operations of a JSON Patch use. An
   * operation uses a member if the operation's `path` or `from` leads to the member or into the
   * member, or if the operation's value contains the member.
   */
  inJsonPatch(operations: unknown): readonly string[] {
    const used = (isList(operations) ? operations : []).flatMap((operation) => {
      const at = (pointer: unknown, value?: unknown): readonly string[] => {
        if (typeof pointer !== 'string') return []
        const tokens = tokensOf(pointer)
        return this.#where((path) => isUsed(path, 0, tokens, value))
      }
      return [...at(own(operation, 'path'), own(operation, 'value')), ...at(own(operation, 'from'))]
    })
    return [...new Set(used)]
  }

  #where(test: (path: MemberPath) => boolean): readonly string[] {
    return [...new Set(this.#named.flatMap(([name, path]) => (test(path) ? [name] : [])))]
  }
}

function deprecatedPaths(shape: Shape, path: MemberPath): readonly MemberPath[] {
  if (path.length >= maxDepth) return []
  return stepsFrom(shape).flatMap(([step, one]) =>
    one.deprecated ? [[...path, step]] : deprecatedPaths(one, [...path, step]),
  )
}

/** Returns the steps from a value to the values inside it, with the shapes of these values. */
function stepsFrom(shape: Shape): readonly (readonly [Step, Shape])[] {
  const { prefix, items, members } = shape
  return [
    ...prefix.map((one, i) => [positionStep(i), one] as const),
    ...(shape.isArray && items !== undefined ? [[itemStep(prefix.length), items] as const] : []),
    ...[...members].map(([name, member]) => [memberStep(name), member] as const),
    ...[...new Set(shape.others)].map((one) => [otherStep(shape, one), one] as const),
  ]
}

const memberStep = (name: string): Step => ({
  name,
  takes: (token) => token === name,
  from: (value) => (isObject(value) && Object.hasOwn(value, name) ? [own(value, name)] : []),
})

const otherStep = (shape: Shape, one: Shape): Step => {
  const takes = (name: string): boolean => !shape.members.has(name) && shape.other(name) === one
  return {
    name: '*',
    takes,
    from: (value) =>
      isObject(value) ? Object.entries(value).flatMap(([name, part]) => (takes(name) ? [part] : [])) : [],
  }
}

/** The step to the items of a list after the first `start` items. */
const itemStep = (start: number): Step => ({
  name: '[]',
  takes: (token) => token === '-' || (isIndex(token) && Number(token) >= start),
  from: (value) => (isList(value) ? value.slice(start) : []),
})

const positionStep = (index: number): Step => ({
  name: `[${index}]`,
  takes: (token) => isIndex(token) && Number(token) === index,
  from: (value) => (isList(value) ? value.slice(index, index + 1) : []),
})

const isIndex = (token: string): boolean => /^\d+$/.test(token)

const nameOf = (path: MemberPath): string =>
  path
    .map(({ name }) => name)
    .join('.')
    .replaceAll('.[', '[')

/**
 * Whether `value` contains a value at the end of a path. The first step from `value` is `path[at]`.
 */
function isAt(value: unknown, path: MemberPath, at: number): boolean {
  const step = path[at]
  return step === undefined || step.from(value).some((part) => isAt(part, path, at + 1))
}

/**
 * Whether a pointer leads to or into the member at the end of a path. If the pointer ends above
 * this member: whether `value` contains the member. The steps and tokens before the index `at` have
 * already been compared.
 */
function isUsed(path: MemberPath, at: number, tokens: readonly string[], value: unknown): boolean {
  const [step, token] = [path[at], tokens[at]]
  if (step === undefined || token === undefined) return isAt(value, path, at)
  return step.takes(token) && isUsed(path, at + 1, tokens, value)
}

/**
 * The tokens of a JSON Pointer, up to the maximum depth. The number is limited because a client
 * could send a very long pointer.
 */
const tokensOf = (pointer: string): readonly string[] =>
  pointer
    .split('/', maxDepth + 1)
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

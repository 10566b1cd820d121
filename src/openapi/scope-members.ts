/** The members of a resource that the scope of a caller sets. Clients need not send them. */
import { isPlainObject } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'

const none: ReadonlySet<string> = new Set()

/**
 * Returns the names of the members that the resource's function `scope` sets. No real principal is
 * known when the document is built, so the function is called with three stand-ins. The first two
 * have every member. The methods of the first return a truthy value, and those of the second return
 * `undefined`. The third is an empty object. The results are combined. If the function throws or
 * does not return a plain object, that call adds no members.
 */
export function membersOfScope({ scope }: ResourceDefinition): ReadonlySet<string> {
  if (scope === undefined) return none
  return new Set([standIn(true), standIn(false), {}].flatMap((principal) => namesGiven(scope, principal)))
}

function namesGiven(scope: (principal: unknown) => unknown, principal: unknown): readonly string[] {
  try {
    const given: unknown = scope(principal)
    // A promise is not a valid result. Its rejection is handled here, because an unhandled
    // rejection would end the process.
    if (given instanceof Promise) given.catch(() => {})
    return isPlainObject(given) ? Object.keys(given) : []
  } catch {
    return []
  }
}

/**
 * Maximum depth of the members of a stand-in. Without this limit, a function `scope` that goes from
 * member to member in a loop might never end.
 */
const maxDepth = 8

/**
 * Returns a value that has every member, can be converted to a string, and can be called. A call
 * returns another stand-in if `agrees` is true, otherwise `undefined`.
 */
function standIn(agrees: boolean, depth = maxDepth): unknown {
  const member = (): unknown => (depth === 0 ? undefined : standIn(agrees, depth - 1))
  return new Proxy(function principal() {}, {
    get: (_, name) => {
      if (name === Symbol.toPrimitive) return () => 'x'
      return name === Symbol.iterator ? () => [][Symbol.iterator]() : member()
    },
    apply: () => (agrees ? member() : undefined),
  })
}

/** The members of a resource that the scope of a caller sets. Clients need not send them. */
import { isPlainObject } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'

const none: ReadonlySet<string> = new Set()

/**
 * Returns the members that `scope` sets for some principal. No real principal is known when the
 * document is built, so the team's function is called with stand-ins: principals that have every
 * member, whose methods return a truthy value or `undefined`, and an empty one. The results are
 * combined. A function that throws or does not return a plain object contributes no members.
 */
export function membersOfScope({ scope }: ResourceDefinition): ReadonlySet<string> {
  if (scope === undefined) return none
  return new Set([standIn(true), standIn(false), {}].flatMap((principal) => namesGiven(scope, principal)))
}

function namesGiven(scope: (principal: unknown) => unknown, principal: unknown): readonly string[] {
  try {
    const given: unknown = scope(principal)
    // The promise is not used. An unhandled rejection would end the process.
    if (given instanceof Promise) given.catch(() => {})
    return isPlainObject(given) ? Object.keys(given) : []
  } catch {
    return []
  }
}

/** The depth of the members of a stand-in. It ends functions that follow members in a loop. */
const maxDepth = 8

/**
 * Returns a value that has every member, converts to a string and is callable. A call returns
 * another stand-in if `agrees` is true, else `undefined`.
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

/** The members of a resource that the scope of a caller gives: clients need not send them. */
import { isPlainObject } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'

const none: ReadonlySet<string> = new Set()

/**
 * The members that `scope` names for some principal. A document is made before anybody calls, so the
 * team's function gets stand-ins: principals that have every member, whose methods say yes or no, and
 * one that has none. What it names for one of them counts. A function that throws, or gives no plain
 * object, says nothing.
 */
export function membersOfScope({ scope }: ResourceDefinition): ReadonlySet<string> {
  if (scope === undefined) return none
  return new Set([standIn(true), standIn(false), {}].flatMap((principal) => namesGiven(scope, principal)))
}

function namesGiven(scope: (principal: unknown) => unknown, principal: unknown): readonly string[] {
  try {
    const given: unknown = scope(principal)
    // Nobody waits for it: a rejection must not end the process.
    if (given instanceof Promise) given.catch(() => {})
    return isPlainObject(given) ? Object.keys(given) : []
  } catch {
    return []
  }
}

/** Members of members of a stand-in, so that a function that walks along them ends. */
const deepest = 8

/** A value that has every member, is a text where one is wanted, and can be called. `agrees`: what it gives then is another, else nothing. */
function standIn(agrees: boolean, depth = deepest): unknown {
  const member = (): unknown => (depth === 0 ? undefined : standIn(agrees, depth - 1))
  return new Proxy(function principal() {}, {
    get: (_, name) => {
      if (name === Symbol.toPrimitive) return () => 'x'
      return name === Symbol.iterator ? () => [][Symbol.iterator]() : member()
    },
    apply: () => (agrees ? member() : undefined),
  })
}

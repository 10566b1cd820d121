/** Applies the service's rules to example records. */
import type { JsonObject } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { withTimeout } from '../timeout.js'

/**
 * The maximum duration of the rules for one record, in milliseconds. Rules may query a database
 * that is not running.
 */
const longest = 2_000

/**
 * Returns a function that applies the rules of a definition to a new record and describes the
 * violations. Returns `undefined` if the definition has no rules. Rules that throw or time out are
 * reported once and are not called again.
 */
export function brokenRule(
  { rules }: ResourceDefinition,
  principal: unknown,
  onFailure: (error: unknown) => void,
): ((record: JsonObject) => Promise<string | undefined>) | undefined {
  if (rules === undefined) return undefined
  let hasFailed = false
  return async (record) => {
    if (hasFailed) return undefined
    try {
      // The rules get a copy, because they may change their argument.
      const answer = rules(structuredClone(record), { current: undefined, action: 'create', principal })
      const found = await withTimeout(
        answer,
        longest,
        () => new Error(`The rules did not end within ${longest / 1_000} s.`),
      )
      if (found.length === 0) return undefined
      return found.map(({ member, detail }) => (member === undefined ? detail : `"${member}": ${detail}`)).join(' ')
    } catch (error) {
      hasFailed = true
      onFailure(error)
      return undefined
    }
  }
}

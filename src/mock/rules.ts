/** Applies the rules of a team to example records. */
import type { JsonObject } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { withTimeout } from '../timeout.js'

/** Milliseconds that rules may take for one record: they may ask a database that is not there. */
const longest = 2_000

/**
 * What the rules of a definition say of a record that is created; `undefined` where it has none. Rules that throw, or do not
 * end, are reported once and not asked again.
 */
export function brokenRule(
  { rules }: ResourceDefinition,
  principal: unknown,
  onFailure: (error: unknown) => void,
): ((record: JsonObject) => Promise<string | undefined>) | undefined {
  if (rules === undefined) return undefined
  let isSilent = false
  return async (record) => {
    if (isSilent) return undefined
    try {
      // They may change what they are given.
      const answer = rules(structuredClone(record), { current: undefined, action: 'create', principal })
      const found = await withTimeout(answer, longest, () => new Error(`They did not end within ${longest / 1_000} s.`))
      if (found.length === 0) return undefined
      return found.map(({ member, detail }) => (member === undefined ? detail : `"${member}": ${detail}`)).join(' ')
    } catch (error) {
      isSilent = true
      onFailure(error)
      return undefined
    }
  }
}

/**
 * Limits the work of the validator that reports all violations. In `oneOf` and `anyOf`, that
 * validator checks a value against every branch, and continues after violations. With nested
 * branches, the work grows exponentially with the depth of the value, so a body of a few hundred
 * bytes could block the process. The validator that stops at the first violation has no limit: it
 * leaves a branch as soon as the branch fails, for example at its discriminator.
 */
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { isDocumentData, isDocumentMap } from '../definition/document-maps.js'
import { isList, isObject } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'

/**
 * The maximum number of branches that are checked for a body: 3 for each value in the body, and at
 * least 3,000. Checking them takes some milliseconds.
 */
const maxBranches = (values: number): number => Math.max(3_000, 3 * values)

/** Thrown if the validator has checked too many branches. */
class OverBudget extends Error {}

const keyword = 'countedBranch'

/** Returns a copy of a schema in which every branch of `oneOf` and `anyOf` is counted. */
export const withCountedBranches = (schema: JsonSchema): JsonSchema => counted(schema, false) as JsonSchema

function counted(node: unknown, isMap: boolean): unknown {
  if (isList(node)) return node.map((part) => counted(part, false))
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([name, part]) => {
      if (!isMap && isDocumentData(name, part)) return [name, part]
      const inner = counted(part, !isMap && isDocumentMap(name, part))
      const isBranches = !isMap && (name === 'oneOf' || name === 'anyOf') && isList(inner)
      return [name, isBranches ? inner.map((one) => (isObject(one) ? { ...one, [keyword]: true } : one)) : inner]
    }),
  )
}

/**
 * Gives a validator the keyword that counts branches. Returns a function that runs `check`, the
 * check of a body. `values` is the number of values in the body. The function returns `undefined`
 * if the check needs too many branches.
 */
export function countBranches(ajv: Ajv2020): <T>(values: number, check: () => T) => T | undefined {
  let left = 0
  ajv.addKeyword({
    keyword,
    schemaType: 'boolean',
    errors: false,
    validate: () => {
      left -= 1
      if (left < 0) throw new OverBudget()
      return true
    },
  })
  return (values, check) => {
    left = maxBranches(values)
    try {
      return check()
    } catch (error) {
      if (error instanceof OverBudget) return undefined
      throw error
    }
  }
}

/**
 * Finds names in `required` that no object can contain, because undeclared members are refused
 * (REP-8). Every body with such an object would be refused, so the mistake is reported when the
 * resource is defined.
 */
import { nearMiss } from '../near-miss.js'
import { ConfigurationError } from '../problem.js'
import { isList, isObject } from './json.js'
import { partsOf, patternsOf, schemasIn } from './schema-parts.js'
import { placesOf } from './schema-places.js'
import type { JsonSchema } from './schema-types.js'
import type { Shape } from './shape.js'

/**
 * Throws `ConfigurationError` if the schema requires a member that it neither declares nor allows.
 * A member counts as declared if any branch of the same object declares it. `owner` is the start of
 * the message, such as `The schema of "invoices"`.
 */
export function checkRequired(owner: string, schema: JsonSchema, shape: Shape): void {
  for (const [path, place] of placesOf(shape)) {
    if (!place.isObject || place.open) continue
    const parts = partsOf(schema, place.node)
    const schemas = schemasAt(schema, place.node, [...branches, 'if'])
    for (const name of requiredBy(schemasAt(schema, place.node, branches))) {
      if (schemas.some((one) => declares(one, name) || allowsOthers(one, parts.includes(one)))) continue
      const suggestion = nearMiss(name, place.properties.keys())
      const fix =
        suggestion === undefined
          ? 'Declare it in "properties", or leave it out of "required".'
          : `Did you mean "${suggestion}"?`
      throw new ConfigurationError(
        'unknown-member',
        `${owner} has "${name}" in "required"${path === '' ? '' : ` of "${path}"`}, but does not declare this ` +
          `member. ${fix}`,
      )
    }
  }
}

/** The keywords whose subschemas may apply to the same value as the schema that contains them. */
const branches: readonly string[] = ['anyOf', 'oneOf', 'then', 'else', 'dependentSchemas']

/** Returns the schemas that may apply to the same value as `node`, including `node` itself. */
function schemasAt(
  root: JsonSchema,
  node: JsonSchema,
  keywords: readonly string[],
  seen: Set<JsonSchema> = new Set(),
): readonly JsonSchema[] {
  return partsOf(root, node).flatMap((part) => {
    if (seen.has(part)) return []
    seen.add(part)
    const inner = keywords.flatMap((keyword) => {
      const given = part[keyword]
      return schemasIn(keyword === 'dependentSchemas' && isObject(given) ? Object.values(given) : [given].flat())
    })
    return [part, ...inner.flatMap((one) => schemasAt(root, one, keywords, seen))]
  })
}

const requiredBy = (schemas: readonly JsonSchema[]): ReadonlySet<string> =>
  new Set(
    schemas
      .flatMap(({ required, dependentRequired }) => [
        required,
        ...(isObject(dependentRequired) ? Object.values(dependentRequired) : []),
      ])
      .filter(isList)
      .flat()
      .filter((name) => typeof name === 'string'),
  )

/** Whether one schema names a member, or has a pattern that matches the name. */
const declares = ({ properties, patternProperties }: JsonSchema, name: string): boolean =>
  (isObject(properties) && Object.hasOwn(properties, name)) ||
  patternsOf(patternProperties).some(([pattern]) => pattern.test(name))

/**
 * Whether one schema allows members that it does not name. `isPart` says whether the schema always
 * applies to the object. It is false for a schema in a branch, for example of `anyOf`. In a branch,
 * `additionalProperties: false` and `unevaluatedProperties: false` also count as allowing other
 * members: if the branch does not match, Ajv still regards all members as evaluated.
 */
const allowsOthers = ({ additionalProperties, unevaluatedProperties }: JsonSchema, isPart: boolean): boolean =>
  [additionalProperties, unevaluatedProperties].some((one) => one !== undefined && !(isPart && one === false))

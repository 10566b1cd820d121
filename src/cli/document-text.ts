/** Parses documents. The extension of a document's name determines whether it is JSON or YAML. */
import { parse } from 'yaml'
import { isObject } from '../definition/json.js'
import { messageOf, UsageError } from './usage-error.js'

const isYamlName = (name: string): boolean => /\.ya?ml$/.test(name)

/**
 * The greatest number of values in a YAML file, if each alias is replaced with a copy of its
 * target.
 */
const maxValues = 5_000_000

/**
 * Parses a document. YAML may contain merge keys (`<<`), because most tools for OpenAPI documents
 * accept them. Throws a `UsageError` whose message names the file and the fault.
 */
export function parseDocument(text: string, name: string): unknown {
  const isYaml = isYamlName(name)
  let value: unknown
  try {
    // The option `maxAliasCount` would refuse many aliases of a small value. So the values are
    // counted instead.
    value = isYaml ? parse(text, { merge: true, maxAliasCount: -1 }) : JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${name} is not ${isYaml ? 'YAML' : 'JSON'}: ${messageOf(error)}`)
  }
  if (isYaml && countValues(value, new Map()) > maxValues)
    throw new UsageError(
      `${name} has more than ${maxValues.toLocaleString('en')} values if each YAML alias is replaced with a copy of ` +
        'its target. Use $ref in place of aliases that contain aliases.',
    )
  return value
}

/**
 * The number of values. The target of an alias is counted at each use. The parser returns the same
 * object for each alias. `counts` caches the number of values in each object, so even a huge number
 * of values is counted quickly. If a value contains itself, the inner occurrence counts as nothing.
 */
function countValues(value: unknown, counts: Map<object, number>): number {
  if (!Array.isArray(value) && !isObject(value)) return 1
  const known = counts.get(value)
  if (known !== undefined) return known
  counts.set(value, 0)
  let count = 1
  for (const one of Object.values(value)) count += countValues(one, counts)
  counts.set(value, count)
  return count
}

/**
 * The name of a document, with `.yaml` appended if the text does not look like JSON. Most URLs have
 * no extension, so the format is determined by the text.
 */
export const formatName = (name: string, text: string): string =>
  isYamlName(name) || /^\s*[{[]/.test(text) ? name : `${name}.yaml`

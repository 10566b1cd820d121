/** Documents as text: JSON or YAML, by the end of the name. */
import { parse } from 'yaml'
import { messageOf, UsageError } from './usage-error.js'

/** Reads a document. Throws `UsageError` that names the file and the place. */
export function parseDocument(text: string, name: string): unknown {
  const isYaml = /\.ya?ml$/.test(name)
  try {
    const value: unknown = isYaml ? parse(text, { maxAliasCount: 1000 }) : JSON.parse(text)
    return value
  } catch (error) {
    throw new UsageError(`${name} is not ${isYaml ? 'YAML' : 'JSON'}: ${messageOf(error)}`)
  }
}

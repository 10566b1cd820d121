/** Parses documents. The extension of a document's name determines whether it is JSON or YAML. */
import { parse } from 'yaml'
import { messageOf, UsageError } from './usage-error.js'

const isYamlName = (name: string): boolean => /\.ya?ml$/.test(name)

/** Parses a document. Throws a `UsageError` whose message names the file and the fault. */
export function parseDocument(text: string, name: string): unknown {
  const isYaml = isYamlName(name)
  try {
    const value: unknown = isYaml ? parse(text, { maxAliasCount: 1000 }) : JSON.parse(text)
    return value
  } catch (error) {
    throw new UsageError(`${name} is not ${isYaml ? 'YAML' : 'JSON'}: ${messageOf(error)}`)
  }
}

/**
 * The name of a document, with `.yaml` appended if the text does not look like JSON. Most URLs have
 * no extension, so the format is determined by the text.
 */
export const formatName = (name: string, text: string): string =>
  isYamlName(name) || /^\s*[{[]/.test(text) ? name : `${name}.yaml`

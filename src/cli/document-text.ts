/** Parses documents. The extension decides between JSON and YAML. */
import { parse } from 'yaml'
import { messageOf, UsageError } from './usage-error.js'

const isYamlName = (name: string): boolean => /\.ya?ml$/.test(name)

/** Reads a document. Throws `UsageError` that names the file and the position. */
export function parseDocument(text: string, name: string): unknown {
  const isYaml = isYamlName(name)
  try {
    const value: unknown = isYaml ? parse(text, { maxAliasCount: 1000 }) : JSON.parse(text)
    return value
  } catch (error) {
    throw new UsageError(`${name} is not ${isYaml ? 'YAML' : 'JSON'}: ${messageOf(error)}`)
  }
}

/** A name with an extension for a document. Most addresses have none, so the text decides. */
export const formatName = (name: string, text: string): string =>
  isYamlName(name) || /^\s*[{[]/.test(text) ? name : `${name}.yaml`

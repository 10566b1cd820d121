/** Parses documents. The end of the name tells JSON and YAML apart. */
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

/** A name by which a document is parsed: most addresses do not end with a format, so the text decides. */
export const formatName = (name: string, text: string): string =>
  isYamlName(name) || /^\s*[{[]/.test(text) ? name : `${name}.yaml`

/** Describes faults of schemas, and how to fix them (ERR-2). */
import type { ErrorObject } from 'ajv/dist/2020.js'
import { pointerTokens } from '../definition/json.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { ConfigurationError } from '../problem.js'

/** The error for an invalid schema. `fault` says what is wrong, without a full stop at its end. */
export const invalidSchema = (owner: string, fault: string, fix = 'Correct the schema.'): ConfigurationError =>
  new ConfigurationError('invalid-schema', `The schema of "${owner}" is not valid: ${fault}. ${fix}`)

/**
 * Returns the error for a value that is not one of the values that the keyword allows, such as an
 * unknown `type`. `errors` are the errors of the meta-schema, with the refused values. Returns
 * `undefined` if none of the errors is about such a value.
 */
export function unlistedValue(owner: string, errors: readonly ErrorObject[]): ConfigurationError | undefined {
  const error = errors.find(({ keyword, data }) => keyword === 'enum' && typeof data === 'string')
  if (error === undefined) return undefined
  const given = error.data as string
  const allowed = (error.params.allowedValues as readonly unknown[]).map(String)
  const near = nearMiss(given, allowed)
  return invalidSchema(
    owner,
    `"${pointerTokens(error.instancePath).join('.')}" is ${JSON.stringify(given)}`,
    `${near === undefined ? '' : `${didYouMean(near, allowed)} `}Allowed: ${allowed.join(', ')}.`,
  )
}

const ownCheck = 'Compare the value in "rules" of the resource, or in the handler of the endpoint.'

/**
 * Keywords that a schema must not have, and what to use instead. They come from OpenAPI 3.0, from
 * earlier drafts of JSON Schema, and from Ajv.
 */
export const replacedKeywords: ReadonlyMap<string, string> = new Map([
  ['nullable', `If the value may be null, add "null" to "type", as in type: ['string', 'null'].`],
  ['dependencies', 'Use "dependentRequired" or "dependentSchemas" instead.'],
  ['formatMinimum', ownCheck],
  ['formatMaximum', ownCheck],
  ['formatExclusiveMinimum', ownCheck],
  ['formatExclusiveMaximum', ownCheck],
  ['$async', 'Remove it: values are validated synchronously.'],
])

/**
 * Returns the error for a schema that Ajv refuses to compile. `message` is the message of Ajv.
 * `keywords` and `formats` list the keywords and formats that a schema may have.
 */
export function uncompiled(
  owner: string,
  message: string,
  keywords: readonly string[],
  formats: readonly string[],
): ConfigurationError {
  const [, keyword] = /unknown keyword: "(.*)"$/.exec(message) ?? []
  if (keyword !== undefined) {
    const near = nearMiss(keyword, keywords)
    const fix =
      replacedKeywords.get(keyword) ??
      (near === undefined ? 'Names of your own keywords must begin with "x-".' : didYouMean(near, keywords))
    return invalidSchema(owner, `unknown keyword "${keyword}"`, fix)
  }
  // Ajv's message says that the format is ignored, although Ajv refuses the schema.
  const [, format, place] = /^unknown format "(.*)" ignored in schema at path "#?\/?(.*)"$/.exec(message) ?? []
  if (format === undefined || place === undefined) return invalidSchema(owner, message)
  const near = nearMiss(format, formats)
  const at = place === '' ? '' : ` in "${pointerTokens(`/${place}`).join('.')}"`
  const fix = near === undefined ? 'Use "pattern" instead, or one of the known formats.' : didYouMean(near, formats)
  return invalidSchema(owner, `unknown format "${format}"${at}`, fix)
}

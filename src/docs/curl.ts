/** Generates the curl command for an operation. The command is for a POSIX shell. */
import { isList, isObject, type JsonObject } from '../definition/json.js'
import type { OpenApiDocument } from '../openapi/document.js'
import { header, mediaType } from '../wire.js'
import { objectIn, sound, textIn } from './read.js'
import { follow } from './references.js'
import { sampleOf } from './sample.js'
import type { DocsOperation } from './site.js'

/**
 * Quotes a string if necessary, so that a POSIX shell reads it as one word and interprets none of
 * its characters.
 */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/**
 * Maximum length of a body in the command, in characters. The command reads a longer body from a
 * file.
 */
const longestBody = 4_000

/**
 * Maximum length of the value of a parameter, in characters. A longer value is replaced with the
 * word `value`.
 */
const longestValue = 300

/**
 * Percent-encodes a string, including the characters `!'()*`, which `encodeURIComponent` leaves
 * unchanged.
 */
const encoded = (text: string): string =>
  encodeURIComponent(sound(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Returns the curl command. `server`: the absolute URL of the API version. */
export function curlOf(document: OpenApiDocument, docsOperation: DocsOperation, server: string): string {
  const { method, operation, parameters } = docsOperation
  const words = [
    'curl',
    method === 'HEAD' ? '-I' : '-i',
    ...(method === 'GET' || method === 'HEAD' ? [] : ['-X', method]),
  ]
  const lines = [[...words, shellWord(addressOf(document, docsOperation, server))].join(' ')]
  lines.push(...credentials(document, operation))
  for (const parameter of parameters.filter(isNeeded('header')))
    lines.push(`-H ${shellWord(`${textIn(parameter, 'name')}: ${fieldValue(document, parameter)}`)}`)
  const cookies = parameters
    .filter(isNeeded('cookie'))
    .map((parameter) => `${textIn(parameter, 'name')}=${encoded(plain(exampleOf(document, parameter)))}`)
  if (cookies.length > 0) lines.push(`-b ${shellWord(cookies.join('; '))}`)
  lines.push(...bodyOf(document, operation))
  return lines.join(' \\\n  ')
}

const isNeeded =
  (place: string) =>
  (parameter: JsonObject): boolean =>
    parameter.in === place && parameter.required === true && textIn(parameter, 'name') !== undefined

function addressOf(
  document: OpenApiDocument,
  { path, parameters, server: own }: DocsOperation,
  server: string,
): string {
  const values = new Map(
    parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => [textIn(parameter, 'name'), plain(exampleOf(document, parameter))]),
  )
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => encoded(values.get(name) || 'value'))
  const query = parameters
    .filter(isNeeded('query'))
    .map((parameter) => `${encoded(textIn(parameter, 'name') ?? '')}=${encoded(plain(exampleOf(document, parameter)))}`)
  return `${serverOf(own, server)}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

/**
 * Returns the URL of the server of an operation. `own` is the server that the document declares for
 * the operation or its path. The path of the login, for example, has such a server. If `own` is
 * `/`, it stands for the URL of the API version without the last segment. Any other relative URL is
 * resolved against the URL of the API version.
 */
function serverOf(own: string | undefined, server: string): string {
  if (own === undefined) return server
  const found = own === '/' ? server.slice(0, server.lastIndexOf('/')) : own
  return (URL.canParse(found, `${server}/`) ? new URL(found, `${server}/`).href : found).replace(/\/+$/, '')
}

/** Returns an example of a parameter, or a value that matches its schema. */
function exampleOf(document: OpenApiDocument, parameter: JsonObject): unknown {
  if ('example' in parameter) return parameter.example
  const [first] = Object.values(objectIn(parameter, 'examples')).map((example) => follow(document, example))
  return isObject(first) && 'value' in first
    ? first.value
    : sampleOf(document, parameter.schema, textIn(parameter, 'name') ?? '')
}

const plain = (value: unknown): string => {
  const text = isList(value) ? value.map(plain).join(',') : isObject(value) ? JSON.stringify(value) : String(value)
  return text.length > longestValue ? 'value' : text
}

/**
 * Returns the value of a header field. For `If-Match`, the value is `*`, which matches any version
 * of a record, so that the command works unchanged. Real clients send the entity tag that they have
 * received (HDR-3).
 */
const fieldValue = (document: OpenApiDocument, parameter: JsonObject): string =>
  textIn(parameter, 'name')?.toLowerCase() === header.ifMatch.toLowerCase()
    ? '*'
    : plain(exampleOf(document, parameter)).replace(/[\r\n]+/g, ' ')

/**
 * Returns the options that send the credentials of the first security requirement, with shell
 * variables such as `$TOKEN` in place of the credentials. Returns no options if no credentials are
 * required.
 */
function credentials(document: OpenApiDocument, operation: JsonObject): readonly string[] {
  const wanted = isList(operation.security) ? operation.security : (document.security ?? [])
  // An empty security requirement means that the operation can also be called without credentials.
  if (wanted.some((one) => isObject(one) && Object.keys(one).length === 0)) return []
  const [first] = wanted
  const schemes = isObject(first) ? Object.keys(first) : []
  const hasBody = operation.requestBody !== undefined
  return schemes.map((name) => schemeText(follow(document, document.components.securitySchemes?.[name]), hasBody))
}

function schemeText(scheme: unknown, hasBody: boolean): string {
  const name = textIn(scheme, 'name') ?? header.authorization
  const place = textIn(scheme, 'in')
  if (textIn(scheme, 'type') === 'http' && textIn(scheme, 'scheme')?.toLowerCase() === 'basic')
    return '-u "$NAME:$PASSWORD"'
  if (textIn(scheme, 'type') === 'apiKey' && place === 'cookie') return withToken('-b', `${encoded(name)}=`)
  if (textIn(scheme, 'type') === 'apiKey' && place === 'query')
    // With `-G`, curl would also send the body in the query. `--url-query` needs curl 7.87.
    return withToken(hasBody ? '--url-query' : '-G --data-urlencode', `${encoded(name)}=`)
  if (textIn(scheme, 'type') === 'apiKey') return withToken('-H', `${name}: `)
  const called = textIn(scheme, 'scheme') ?? 'bearer'
  return withToken('-H', `${header.authorization}: ${called.charAt(0).toUpperCase()}${called.slice(1)} `)
}

/** Returns an option that ends with the shell variable `TOKEN`. */
const withToken = (option: string, before: string): string =>
  /^[\w :=-]+$/.test(before) ? `${option} "${before}$TOKEN"` : `${option} ${shellWord(before)}"$TOKEN"`

function bodyOf(document: OpenApiDocument, operation: JsonObject): readonly string[] {
  const body = follow(document, operation.requestBody)
  const content = objectIn(body, 'content')
  const types = Object.keys(content)
  const type =
    [mediaType.mergePatch, mediaType.json].find((one) => types.includes(one)) ??
    types.find((one) => one.endsWith('json')) ??
    types[0]
  if (type === undefined) return []
  const field = `-H ${shellWord(`Content-Type: ${type}`)}`
  if (type.endsWith('json')) {
    const text = JSON.stringify(bodySample(document, content[type]) ?? null)
    return [field, text.length > longestBody ? '-d @body.json' : `-d ${shellWord(text)}`]
  }
  if (type.startsWith('multipart/')) return ['-F file=@FILE']
  return [field, '--data-binary @FILE']
}

/**
 * Returns the first example of a body, or a value that matches its schema. If no members are
 * required, as in a patch, the value has the first scalar member of the schema that is not
 * read-only, if any.
 */
function bodySample(document: OpenApiDocument, content: unknown): unknown {
  if (isObject(content) && 'example' in content) return content.example
  const [example] = Object.values(objectIn(content, 'examples')).map((one) => follow(document, one))
  if (isObject(example) && 'value' in example) return example.value
  const given = isObject(content) ? content.schema : undefined
  const sample = sampleOf(document, given, 'body') ?? {}
  if (!isObject(sample) || Object.keys(sample).length > 0) return sample
  const schema = follow(document, given)
  const member = Object.entries(objectIn(schema, 'properties')).find(([, one]) => isScalar(follow(document, one)))
  return member === undefined ? sample : { [member[0]]: sampleOf(document, member[1], member[0]) }
}

const isScalar = (schema: unknown): boolean =>
  isObject(schema) &&
  schema.readOnly !== true &&
  ['string', 'integer', 'number', 'boolean'].includes(String(isList(schema.type) ? schema.type[0] : schema.type))

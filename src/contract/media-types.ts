/** Normalizes, compares and classifies the media types in OpenAPI documents. */

/** Normalizes a media type or range: lower case, no spaces, no charset, sorted parameters. */
export function normalType(type: string): string {
  const [essence = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const declared = parameters.map((one) => one.replace(/^([^=]*)="([^"\\]*)"$/, '$1=$2'))
  return [essence, ...declared.filter((one) => one !== '' && !one.startsWith('charset=')).sort()].join(';')
}

/** Returns whether a media range, such as `application/*`, includes a type or another range. */
export function holds(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true
  const [kind = '', sub = ''] = range.split('/')
  return sub === '*' && type.startsWith(`${kind}/`)
}

export const isXml = (type: string): boolean => /[/+]xml(?:;|$)/.test(type)

/**
 * Returns whether bodies of a type are binary. Schemas do not describe binary bodies: OpenAPI 3.0
 * declares a string, and OpenAPI 3.1 leaves the schema out.
 */
export const isBinary = (type: string): boolean =>
  !/\+(?:json|xml)(?:;|$)/.test(type) &&
  /^(?:(?:image|audio|video|font|model)\/|application\/(?:octet-stream|pdf|zip|gzip|vnd\.(?:ms-|openxmlformats)[^;]*)(?:;|$))/.test(
    type,
  )

/**
 * Returns whether bodies of a media type contain all values as text. For example, a form or an XML
 * document contains a number as its digits.
 */
export const isTextual = (type: string): boolean =>
  isXml(type) || /^(?:text\/|multipart\/|application\/x-www-form-urlencoded)/.test(type)

/** Media types of documents: which of one side stands for which of the other. */

/** A media type or range without what tells nobody anything: case, spaces, the charset. */
export function normalType(type: string): string {
  const [essence = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const said = parameters.map((one) => one.replace(/^([^=]*)="([^"\\]*)"$/, '$1=$2'))
  return [essence, ...said.filter((one) => one !== '' && !one.startsWith('charset=')).sort()].join(';')
}

/** Whether a media range, such as `application/*`, holds a type or a range. */
export function holds(range: string, type: string): boolean {
  if (range === type || range === '*/*') return true
  const [kind = '', sub = ''] = range.split('/')
  return sub === '*' && type.startsWith(`${kind}/`)
}

export const isXml = (type: string): boolean => /[/+]xml(?:;|$)/.test(type)

/** Whether a body is bytes there, of which a schema says nothing: OpenAPI 3.0 calls them a string, 3.1 nothing at all. */
export const isBinary = (type: string): boolean =>
  !/\+(?:json|xml)(?:;|$)/.test(type) &&
  /^(?:(?:image|audio|video|font|model)\/|application\/(?:octet-stream|pdf|zip|gzip|vnd\.(?:ms-|openxmlformats)[^;]*)(?:;|$))/.test(
    type,
  )

/** Whether values are texts there: in forms and in XML a number is written as its digits. */
export const isTextual = (type: string): boolean =>
  isXml(type) || /^(?:text\/|multipart\/|application\/x-www-form-urlencoded)/.test(type)

/**
 * A linter of responses. It checks the rules of RFC 9110, 9111, 8288 and 9457, and of the
 * conventions, that apply to all responses.
 */

export interface Exchanged {
  readonly method: string
  readonly path: string
  readonly request: Readonly<Record<string, string>>
  readonly status: number
  /** The names and values of the header fields, as in the `rawHeaders` of Node. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const quoted = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
const list = (element: string): RegExp => new RegExp(`^${element}(?:[ \\t]*,[ \\t]*${element})*$`)
const date =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/
const challenge = `${token}(?:[ ]+${token}=(?:${token}|${quoted})(?:[ \\t]*,[ \\t]*${token}=(?:${token}|${quoted}))*)?`
const parameter = `;[ \\t]*${token}(?:=(?:${token}|${quoted}))?`

/**
 * The grammar of header fields that the library sends.
 */
const grammar: Readonly<Record<string, RegExp>> = {
  accept: list(`${token}/${token}(?:${parameter})*`),
  'accept-patch': list(`${token}/${token}`),
  allow: list(token),
  'cache-control': list(`${token}(?:=(?:${token}|${quoted}))?`),
  connection: list(token),
  'content-encoding': list(token),
  'content-length': /^\d+$/,
  'content-type': new RegExp(`^${token}/${token}(?:${parameter})*$`),
  date,
  deprecation: /^@-?\d{1,15}$/,
  etag: /^(?:W\/)?"[!#-~\x80-\xff]*"$/,
  'keep-alive': list(`${token}=\\d+`),
  link: list(`<[^<>"\\\\^\`{|}\\x00-\\x20]*>(?:[ \\t]*${parameter})+`),
  location: /^[a-z][a-z0-9+.-]*:\/\/[^\s<>"\\^`{|}]+$/i,
  'preference-applied': list(`${token}(?:=${token})?`),
  ratelimit: list(`${quoted}(?:; *[a-z]+=-?\\d+)*`),
  'ratelimit-policy': list(`${quoted}(?:; *[a-z]+=-?(?:\\d+|:[A-Za-z0-9+/=]*:|"[^"]*"))*`),
  'retry-after': /^\d+$/,
  sunset: date,
  'transfer-encoding': list(token),
  vary: list(token),
  'www-authenticate': list(challenge),
  'x-total-count': /^\d+$/,
}

/** The directives that a response may have in these tests (RFC 9111 5.2.2). */
const directives = /^(?:no-store|no-cache|private|public|must-revalidate|no-transform|max-age=\d+|s-maxage=\d+)$/

/**
 * Returns the faults of a response, each as a short text. `authenticated` is the name of the
 * request header field with the credentials. It is undefined if the path requires no credentials.
 */
export function lint(exchanged: Exchanged, authenticated: string | undefined): string[] {
  const { method, status, rawHeaders, body } = exchanged
  const faults: string[] = []
  const fields = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [(rawHeaders[at] as string).toLowerCase(), rawHeaders[at + 1] as string]
    if (fields.has(name)) faults.push(`${name} is repeated`)
    fields.set(name, value)
    if (value !== value.trim() || value === '') faults.push(`${name} is empty, or begins or ends with whitespace`)
    const form = grammar[name]
    if (form !== undefined && !form.test(value)) faults.push(`${name} is malformed: ${value}`)
  }
  const has = (name: string): boolean => fields.has(name)
  const must = (holds: boolean, fault: string): void => void (holds || faults.push(fault))
  const varies = (fields.get('vary') ?? '').toLowerCase().split(/ *, */)
  const caching = (fields.get('cache-control') ?? '').split(/ *, */)
  const ownBody = method !== 'HEAD' && status !== 204 && status !== 304

  must(has('date'), 'no Date (RFC 9110 6.6.1)')
  // Length and body.
  must(ownBody || body.length === 0, 'a body in a response that must have none')
  if (status === 204 || status === 304) {
    for (const name of ['content-length', 'transfer-encoding', 'content-type', 'content-encoding']) {
      must(!has(name), `${name} on a ${status} (RFC 9110 8.6, 15.4.5)`)
    }
  } else {
    must(
      has('content-length') !== has('transfer-encoding') || (method === 'HEAD' && !has('transfer-encoding')),
      'neither Content-Length nor Transfer-Encoding, or both',
    )
    if (ownBody && has('content-length'))
      must(Number(fields.get('content-length')) === body.length, 'Content-Length is not the length of the body')
  }
  must(body.length === 0 || has('content-type'), 'a body without Content-Type (RFC 9110 8.3)')
  must(!(ownBody && body.length === 0 && has('content-type')), 'Content-Type without a body')
  must(
    !has('content-encoding') || varies.includes('accept-encoding'),
    'Content-Encoding without Vary: Accept-Encoding (RFC 9110 12.5.5)',
  )
  if (has('content-encoding') && has('etag'))
    must(
      /\+[^"]+"$/.test(fields.get('etag') ?? ''),
      'an encoded body with the tag of the plain body (RFC 9110 8.8.3.3)',
    )
  // Fields that the status requires.
  must(
    (status === 401) === has('www-authenticate'),
    '401 without WWW-Authenticate, or another status with it (RFC 9110 15.5.2)',
  )
  must(status !== 405 || has('allow'), '405 without Allow (RFC 9110 15.5.6)')
  must((status !== 429 && status !== 503) || has('retry-after'), `${status} without Retry-After (LIMIT-1)`)
  must(status !== 201 || has('location'), '201 without Location (VERB-2)')
  must(
    status !== 302 || (method === 'HEAD' && !has('location')),
    '302 on a method other than HEAD, or with Location (VERB-8)',
  )
  must(
    status !== 304 || (has('etag') && has('cache-control') && has('vary')),
    '304 without Etag, Cache-Control or Vary (RFC 9110 15.4.5)',
  )
  // Problems.
  if (status >= 400 && status !== 410 && method !== 'HEAD') {
    must(
      /^application\/problem\+(?:json|xml)/.test(fields.get('content-type') ?? ''),
      `a ${status} whose body is not a problem document (ERR-3)`,
    )
  }
  must(status !== 410 || body.length === 0, '410 with a body (VER-2)')
  // Caching.
  for (const one of caching)
    must(one === '' || directives.test(one), `Cache-Control has the unexpected directive ${one}`)
  must(
    status < 400 || (caching.join() === 'no-store' && !has('etag')),
    'an error without no-store, or with a tag (HDR-6)',
  )
  if ((method === 'GET' || method === 'HEAD') && status < 400) {
    must(has('cache-control'), 'a response to GET or HEAD without Cache-Control (RFC 9111 4.2.2)')
    if (authenticated !== undefined)
      must(
        caching.includes('private') || caching.includes('no-store'),
        'shared caches may store a response for one caller (HDR-6)',
      )
  }
  const represents =
    status === 304 || status === 302 || (body.length > 0 && status !== 410) || (status >= 400 && status !== 410)
  must(!represents || varies.includes('accept'), 'no Vary: Accept (HDR-1)')
  if (authenticated !== undefined && represents)
    must(varies.includes(authenticated.toLowerCase()), `no Vary: ${authenticated} (HDR-6)`)
  must(new Set(varies).size === varies.length, 'Vary names a field twice')
  return faults
}

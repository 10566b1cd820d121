/** A request header that may stand once (RFC 9110 5.3). */
import type { IncomingMessage } from 'node:http'

/**
 * The value of a field; `undefined` where it is missing, `{ many: true }` where it stands more than once. Node keeps the first `Authorization` of
 * several, and joins other fields with commas: neither says what a proxy has looked at. Where the field did not come over a connection (a serverless adapter has no raw
 * fields, a middleware may have set it from a cookie), it is taken from `headers`.
 */
export function soleField(req: IncomingMessage, name: string): string | undefined | { readonly many: true } {
  const wanted = name.toLowerCase()
  const { rawHeaders } = req
  let found: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] as string
    if (field.length !== wanted.length || field.toLowerCase() !== wanted) continue
    if (found !== undefined) return many
    found = rawHeaders[at + 1]
  }
  if (found !== undefined) return found
  const set = req.headers[wanted]
  return typeof set === 'string' ? set : undefined
}

const many = Object.freeze({ many: true })

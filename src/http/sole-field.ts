/** Reads a request header field that may occur only once (RFC 9110 5.3). */
import type { IncomingMessage } from 'node:http'

/**
 * The value of a field. The result is `undefined` if the field is missing, and `{ many: true }` if
 * it occurs more than once.
 *
 * The raw fields are read, because `req.headers` hides that a field occurs more than once. Of
 * several `Authorization` fields, Node keeps only the first. Node joins the values of most other
 * repeated fields with commas. From `req.headers`, the service could not tell which of the values a
 * proxy has checked. A field that is missing from the raw fields is read from `req.headers`,
 * because a serverless adapter may provide no raw fields, and a middleware may have copied a cookie
 * into `req.headers`.
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

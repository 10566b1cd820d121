/** Reads a request header field that may occur only once (RFC 9110 5.3). */
import type { IncomingMessage } from 'node:http'

/**
 * The value of a field; `undefined` if it is missing, `{ many: true }` if it occurs more than once.
 * Node keeps the first of several `Authorization` fields and joins other fields with commas:
 * neither shows which value a proxy has checked. If the field did not come over a connection
 * (serverless adapters have no raw fields, and a middleware may have set it from a cookie), it is
 * read from `headers`.
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

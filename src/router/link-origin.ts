/**
 * Explains why a link is refused if its origin differs from the origin of the service (REP-7). This
 * can happen in tests that send their requests to several listening servers, because each server
 * has its own origin.
 */
import { isObject } from '../definition/json.js'

/** The maximum length of an origin that a message includes. */
const longest = 200

/**
 * Returns a sentence about the `href` of a link in a body, if the origin of the `href` differs from
 * the origin of the service. Returns an empty string if the origins are equal, if one of them is
 * unknown, or if the origin of the `href` is very long. The service's own links begin with `root`.
 */
export function otherOrigin(link: unknown, root: string): string {
  const href = isObject(link) ? link.href : undefined
  const theirs = typeof href === 'string' ? originOf(href) : undefined
  const ours = originOf(root)
  if (theirs === undefined || ours === undefined || theirs === ours || theirs.length > longest) return ''
  return (
    ` The href has the origin ${theirs}, and this service has the origin ${ours}. ` +
    'If both origins belong to this service, set its option "baseUrl", or send all requests to one listening server.'
  )
}

/** Returns the origin of an absolute URL (RFC 6454 6.2), or `undefined` for any other string. */
function originOf(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined
  return URL.canParse(address) ? new URL(address).origin : undefined
}

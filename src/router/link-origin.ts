/**
 * Explains a refused link whose origin differs from the service's. This is the first thing that
 * tests meet when each request reaches another listening server (REP-7).
 */
import { isObject } from '../definition/json.js'

/** The longest origin that a message includes. */
const longest = 200

/**
 * A sentence about the `href` of a link in a body if its origin differs from that of the service;
 * else an empty string. `root` is the base of the service's own links.
 */
export function otherOrigin(link: unknown, root: string): string {
  const href = isObject(link) ? link.href : undefined
  const theirs = typeof href === 'string' ? originOf(href) : undefined
  const ours = originOf(root)
  if (theirs === undefined || ours === undefined || theirs === ours || theirs.length > longest) return ''
  return ` The href has the origin ${theirs}, and this service answers at ${ours}. If both are this service, set its option "baseUrl", or send all requests to one listening server.`
}

/** The origin of an absolute address (RFC 6454 6.2); `undefined` for anything else. */
function originOf(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined
  return URL.canParse(address) ? new URL(address).origin : undefined
}

/** The address that a request comes from, as one client's name (LIMIT-1). */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { ipKeyGenerator } from 'express-rate-limit'

/** Bits of an IPv6 address that tell clients apart: a network gives each of its customers at least a /64 (RFC 6177 2), and all of it is theirs. */
const prefixLength = 64

/**
 * The address of a client: `req.ip` where there is an Express, so as far as its `trust proxy` believes `X-Forwarded-For`, else the socket's. An IPv6 address stands
 * for its /64, one that holds an IPv4 address for that. What a trusted proxy writes that is no address stays as it is: the text is the client's to choose, of any
 * length. A request without an address (a Unix socket) is `none`, one client with all others like it.
 *
 * @example clientAddress(req) // '203.0.113.7', '2001:db8::/64'
 */
export function clientAddress(req: IncomingMessage & { readonly ip?: string | undefined }): string {
  const address = withoutPort(req.ip ?? req.socket.remoteAddress ?? '')
  if (address === '') return 'none'
  if (!isIPv6(address)) return address
  // A zone is the name of an interface of ours (RFC 4007 11), and no part of who it is.
  return ipKeyGenerator(address.split('%', 1)[0] as string, prefixLength)
}

/** Some proxies write the port too, and a port a connection would be as many clients. */
function withoutPort(address: string): string {
  if (isIP(address) !== 0 || address.length > 64) return address
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  const bare = v6 ?? v4 ?? address
  return isIP(bare) === 0 ? address : bare
}

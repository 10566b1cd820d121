/** The address of a request, as the identity of a client (LIMIT-1). */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { ipKeyGenerator } from 'express-rate-limit'

/**
 * The bits of an IPv6 address that identify a client: each customer of a network gets at least a
 * /64 (RFC 6177 2).
 */
const prefixLength = 64

/**
 * The address of a client: `req.ip` under Express, which honors `X-Forwarded-For` as far as its
 * `trust proxy` allows, else the address of the socket. An IPv6 address is replaced by its /64, and
 * an IPv4-mapped one by its IPv4 address. A value from a trusted proxy that is not an address is
 * returned unchanged: the client controls that text and its length. Requests without an address
 * (Unix sockets) count as one client, `none`.
 *
 * @example clientAddress(req) // '203.0.113.7', '2001:db8::/64'
 */
export function clientAddress(req: IncomingMessage & { readonly ip?: string | undefined }): string {
  const address = withoutPort(req.ip ?? req.socket.remoteAddress ?? '')
  if (address === '') return 'none'
  if (!isIPv6(address)) return address
  // A zone names a local interface (RFC 4007 11) and does not identify the client.
  return ipKeyGenerator(address.split('%', 1)[0] as string, prefixLength)
}

/** Some proxies add the port. With ports, each connection would count as a client of its own. */
function withoutPort(address: string): string {
  if (isIP(address) !== 0 || address.length > 64) return address
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  const bare = v6 ?? v4 ?? address
  return isIP(bare) === 0 ? address : bare
}

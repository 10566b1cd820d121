/** Identifies a client by its IP address (LIMIT-1). */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { ipKeyGenerator } from 'express-rate-limit'

/**
 * The number of bits of an IPv6 address that identify a client. Internet providers usually give
 * each customer at least a /64 (RFC 6177 2).
 */
const prefixLength = 64

/**
 * The IP address of a client. Under Express, this is `req.ip`, which honors `X-Forwarded-For` as
 * far as the setting `trust proxy` allows. Without Express, it is the remote address of the socket.
 * An IPv6 address is replaced with its /64, and an IPv4-mapped IPv6 address with its IPv4 address.
 * If a trusted proxy passes a value that is not an IP address, the value is returned unchanged. The
 * client may control such a value and its length. Requests over Unix sockets have no IP address.
 * All requests without an IP address count as one client with the address `none`.
 *
 * @example clientAddress(req) // '203.0.113.7', '2001:db8::/64'
 */
export function clientAddress(req: IncomingMessage & { readonly ip?: string | undefined }): string {
  const address = withoutPort(req.ip ?? req.socket.remoteAddress ?? '')
  if (address === '') return 'none'
  if (!isIPv6(address)) return address
  // A zone (`%eth0`) names a local interface (RFC 4007 11) and does not identify the client.
  return ipKeyGenerator(address.split('%', 1)[0] as string, prefixLength)
}

/**
 * Removes the port, which some proxies add to the IP address. With the port, each connection would
 * count as a separate client.
 */
function withoutPort(address: string): string {
  if (isIP(address) !== 0 || address.length > 64) return address
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  const bare = v6 ?? v4 ?? address
  return isIP(bare) === 0 ? address : bare
}

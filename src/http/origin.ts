/**
 * The origin at which a client reached the service, for absolute links (RFC 9110 4.2, 7.2, RFC 9112
 * 3.2.2; REP-5).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { targetAuthority } from './targets.js'

/**
 * Returns whether to trust a proxy, given its IP address and its distance in hops. Express compiles
 * such a function from the setting `trust proxy`, and stores it as the setting `trust proxy fn`.
 */
export type TrustProxy = (address: string, hop: number) => boolean

/**
 * The origin of a request in lower case, as `http(s)://host[:port]`; `undefined` if the host is
 * malformed. The first values of `X-Forwarded-Proto` (`http` or `https`) and `X-Forwarded-Host` are
 * used only if `trust` returns true for the peer. If a request has no host (HTTP/1.0), the origin
 * has the local IP address and port of the connection. On a Unix socket, which has no IP address,
 * the result for such a request is `undefined`.
 *
 * @example requestOrigin(req, app.get('trust proxy fn')) // 'https://api.example.com'
 */
export function requestOrigin(req: IncomingMessage, trust: TrustProxy | undefined): string | undefined {
  // A peer on a Unix socket has no IP address, so `trust` gets an empty string. If `trust proxy` is
  // a number of hops, such a peer is trusted too.
  const { socket, headers } = req
  const trusted = trust?.(socket.remoteAddress ?? '', 0) === true
  const protocol =
    (trusted && forwardedProtocol(headers)) || ('encrypted' in socket && socket.encrypted ? 'https' : 'http')
  const given = (trusted && firstValue(headers['x-forwarded-host'])) || hostOf(req.url, headers)
  return originOf(protocol, given === undefined ? localHost(req, protocol) : validHost(given))
}

const originOf = (protocol: 'http' | 'https', host: string | undefined): string | undefined =>
  host === undefined ? undefined : `${protocol}://${host}`

function forwardedProtocol(headers: IncomingHttpHeaders): 'http' | 'https' | undefined {
  const protocol = firstValue(headers['x-forwarded-proto'])?.toLowerCase()
  return protocol === 'http' || protocol === 'https' ? protocol : undefined
}

function firstValue(field: string | string[] | undefined): string | undefined {
  const text = Array.isArray(field) ? field[0] : field
  if (text === undefined) return undefined
  const comma = text.indexOf(',')
  return (comma < 0 ? text : text.slice(0, comma)).trim()
}

/**
 * The requested host. The host of an absolute-form target takes precedence over `Host`, and `Host`
 * takes precedence over `:authority` of HTTP/2.
 */
function hostOf(url: string | undefined, headers: IncomingHttpHeaders): string | undefined {
  const host = targetAuthority(url ?? '/') ?? headers.host ?? headers[':authority']
  return Array.isArray(host) ? host[0] : host
}

/**
 * Returns a host (RFC 3986 3.2.2) in lower case if it is valid and safe in links, otherwise
 * `undefined`. A host with user information, an IPv6 zone or percent-encoding is not safe.
 */
function validHost(given: string): string | undefined {
  const host = given.toLowerCase()
  const [, name, literal, port] =
    /^(?:([a-z0-9_][a-z0-9._-]{0,254})|\[([0-9a-f:.]{2,45})\])(?::([0-9]{1,5}))?$/.exec(host) ?? []
  if (name === undefined && (literal === undefined || !isIPv6(literal))) return undefined
  return port === undefined || Number(port) <= 65535 ? host : undefined
}

function localHost(req: IncomingMessage, protocol: 'http' | 'https'): string | undefined {
  const { localAddress, localPort } = req.socket
  if (localAddress === undefined) return undefined
  // A dual-stack socket reports IPv4 addresses as IPv4-mapped IPv6 addresses (RFC 4291 2.5.5.2).
  const address =
    localAddress.startsWith('::ffff:') && localAddress.includes('.') ? localAddress.slice(7) : localAddress
  const port = localPort === undefined || localPort === (protocol === 'http' ? 80 : 443) ? '' : `:${localPort}`
  return validHost(`${address.includes(':') ? `[${address}]` : address}${port}`)
}

import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress } from '../../src/http/client-address.js'

const from = (ip: string | undefined, remoteAddress?: string) =>
  ({ ip, socket: { remoteAddress } }) as unknown as IncomingMessage

describe('the address of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['unknown', 'unknown'],
    ['', 'none'],
  ])('LIMIT-1: the IP address %s counts as %s', (ip, client) => {
    expect(clientAddress(from(ip))).toBe(client)
    expect(clientAddress(from(undefined, ip))).toBe(client)
  })

  it('LIMIT-1: the address from Express is preferred to the socket address, and Unix sockets share one address', () => {
    expect(clientAddress(from('203.0.113.7', '127.0.0.1'))).toBe('203.0.113.7')
    expect(clientAddress(from(undefined, undefined))).toBe('none')
  })

  it('LIMIT-1: any string from Express results in an address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended()), (ip) => clientAddress(from(ip)).length > 0),
    )
  })
})

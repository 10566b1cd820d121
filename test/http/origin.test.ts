import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestOrigin, type TrustProxy } from '../../src/http/origin.js'

interface Given {
  readonly url?: string
  readonly headers?: Record<string, string | string[]>
  readonly socket?: Record<string, unknown>
}

const request = ({ url = '/', headers = {}, socket = {} }: Given): IncomingMessage =>
  ({ url, headers, socket: { remoteAddress: '10.0.0.1', ...socket } }) as unknown as IncomingMessage
const originOf = (given: Given, trust?: TrustProxy) => requestOrigin(request(given), trust)
const ofHost = (host: string) => originOf({ headers: { host } })
const everybody: TrustProxy = () => true

describe('requestOrigin', () => {
  it('REP-5: returns the protocol of the socket and the lower-cased host of the request', () => {
    expect(ofHost('API.example.com')).toBe('http://api.example.com')
    expect(originOf({ headers: { host: 'a:8443' }, socket: { encrypted: true } })).toBe('https://a:8443')
    expect(originOf({ headers: { ':authority': 'a' } })).toBe('http://a')
  })

  it('REP-5: accepts names, IPv4, bracketed IPv6, and ports from 0 to 65535', () => {
    for (const host of [
      'localhost',
      'my_host',
      'a.b-c.d.',
      '127.0.0.1:80',
      '[::1]',
      '[2001:db8::1]:65535',
      '[::ffff:1.2.3.4]:0',
    ]) {
      expect(ofHost(host)).toBe(`http://${host}`)
    }
  })

  it('REP-5: a malformed host results in no origin', () => {
    const hosts = [
      '',
      ' ',
      'a b',
      'a/b',
      'a?b',
      'a#b',
      'a@b',
      'a\\b',
      'a,b',
      '.a',
      '-a',
      'ñ',
      '%61',
      'a:',
      'a:x',
      'a:65536',
      'a:1:2',
      ':80',
      'a<b',
      'a"b',
    ]
    const literals = [
      '::1',
      '[::1',
      '[]',
      '[1.2.3.4]',
      '[::1%eth0]',
      '[:::]',
      '[::1]x',
      '[g::1]',
      `a${'b'.repeat(255)}`,
      'a\n',
    ]
    for (const host of [...hosts, ...literals]) expect(ofHost(host), host).toBeUndefined()
  })

  it('REP-5: forwarded fields from an untrusted peer are ignored', () => {
    const headers = { host: 'a', 'x-forwarded-host': 'b', 'x-forwarded-proto': 'https' }
    expect(originOf({ headers })).toBe('http://a')
    expect(originOf({ headers }, () => false)).toBe('http://a')
  })

  it('REP-5: the first values of the forwarded fields of a trusted peer are used', () => {
    const headers = { host: 'a', 'x-forwarded-host': 'B:1 , c', 'x-forwarded-proto': 'HTTPS, http' }
    expect(originOf({ headers }, (address, hop) => address === '10.0.0.1' && hop === 0)).toBe('https://b:1')
    expect(originOf({ headers: { host: 'a', 'x-forwarded-host': ['b', 'c'] } }, everybody)).toBe('http://b')
    expect(originOf({ headers: { host: 'a', 'x-forwarded-host': '' } }, everybody)).toBe('http://a')
    expect(originOf({ headers: { host: 'a', 'x-forwarded-proto': 'javascript' } }, everybody)).toBe('http://a')
    expect(
      originOf({ headers: { host: 'a', 'x-forwarded-proto': 'http' }, socket: { encrypted: true } }, everybody),
    ).toBe('http://a')
    expect(originOf({ headers: { host: 'a', 'x-forwarded-host': 'b/c' } }, everybody)).toBeUndefined()
    expect(originOf({ headers, socket: { remoteAddress: undefined } }, (address) => address === '')).toBe('https://b:1')
  })

  it('REP-5: the host of an absolute-form target takes precedence over Host (RFC 9112 3.2.2)', () => {
    expect(originOf({ url: 'http://B:1/x', headers: { host: 'a' } })).toBe('http://b:1')
    expect(originOf({ url: 'http://u@b/x', headers: { host: 'a' } })).toBeUndefined()
    expect(originOf({ url: '/http://b/x', headers: { host: 'a' } })).toBe('http://a')
  })

  it('REP-5: without a host, the origin has the local IP address of the socket', () => {
    expect(originOf({ socket: { localAddress: '127.0.0.1', localPort: 3000 } })).toBe('http://127.0.0.1:3000')
    expect(originOf({ socket: { localAddress: '::ffff:127.0.0.1', localPort: 80 } })).toBe('http://127.0.0.1')
    expect(originOf({ socket: { localAddress: '::1', localPort: 443, encrypted: true } })).toBe('https://[::1]')
    expect(originOf({ socket: { localAddress: 'fe80::1%eth0', localPort: 80 } })).toBeUndefined()
    expect(originOf({})).toBeUndefined()
  })

  it('REP-5: over a socket, the origin of an HTTP/1.0 request without Host is the local address and port', async () => {
    const server = createServer((req, res) => res.end(requestOrigin(req, undefined)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'))
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      socket.on('end', () => resolve(text)).on('error', reject)
    })
    await new Promise((resolve) => server.close(resolve))
    expect(answer).toMatch(new RegExp(`\r\n\r\nhttp://127\\.0\\.0\\.1:${port}$`))
  })

  it('REP-5: for any host, an origin contains only a scheme, a host and a port', () => {
    const host = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'ab1.-_:[]@/?#\\') }),
      fc.ipV6().map((ip) => `[${ip}]`),
    )
    fc.assert(
      fc.property(host, (text) => {
        const origin = ofHost(text)
        if (origin !== undefined)
          expect(origin).toMatch(/^http:\/\/(?:[a-z0-9_][a-z0-9._-]*|\[[0-9a-f:.]+\])(?::\d+)?$/)
      }),
    )
  })
})

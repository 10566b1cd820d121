import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Connection, parseReply } from '../../bench/load/connection.js'
import { asker } from '../../bench/workloads/ask.js'
import { workloadNames, workloadOf } from '../../bench/workloads/index.js'
import { keysOf, makeSecrets } from '../../bench/workloads/keys.js'

describe('the load generator', () => {
  const whole = 'HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: 5\r\n\r\nñabc'

  it('parses responses only when they are complete, however the network splits them', () => {
    const bytes = Buffer.from(whole)
    for (let end = 0; end < bytes.length; end++)
      expect(parseReply(bytes.subarray(0, end), true), `${end} bytes`).toBeUndefined()
    expect(parseReply(bytes, true)).toEqual({ status: 200, tag: '"a"' })
    expect(parseReply(bytes, false)).toEqual({ status: 200, tag: undefined })
  })

  it('detects that a 304 ends after the header, and that a chunked body ends after the last chunk', () => {
    expect(parseReply(Buffer.from('HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n'), false)).toMatchObject({
      status: 304,
    })
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n'
    expect(parseReply(Buffer.from(chunked), false)).toBeUndefined()
    expect(parseReply(Buffer.from(`${chunked}0\r\n\r\n`), false)).toMatchObject({ status: 200 })
  })

  it('reports an invalid response as an error instead of waiting', () => {
    expect(parseReply(Buffer.from('SSH-2.0-x\r\n\r\n'), false)).toBeInstanceOf(Error)
  })

  it('rejects a request if the server closes the connection', async () => {
    const server = createServer((req) => req.socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const connection = new Connection((server.address() as AddressInfo).port, {}, false)
    await expect(connection.send({ path: '/' }, true)).rejects.toThrow()
    connection.close()
    server.close()
  })
})

const keys = keysOf(makeSecrets())

describe('the checks of the workloads', () => {
  it.each(workloadNames)('reject a server that responds with 200 to everything: %s', async (name) => {
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', etag: '"1"', 'x-total-count': '250' }).end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const ask = asker((server.address() as AddressInfo).port, {})
    await expect(workloadOf(name).check(ask, keys)).rejects.toThrow()
    server.close()
    server.closeAllConnections()
  })
})

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startProxy, type TcpProxy } from './proxy.js'

let echo: Server
let proxy: TcpProxy
/** The data that the server received on each connection, and how the connection ended. */
let got: { text: string; end: 'open' | 'fin' | 'error' }[]

beforeEach(async () => {
  got = []
  echo = createServer((socket) => {
    const seen: (typeof got)[number] = { text: '', end: 'open' }
    got.push(seen)
    socket.setEncoding('utf8').on('data', (text) => {
      seen.text += text
      socket.write(text)
    })
    socket.on('end', () => {
      seen.end = 'fin'
    })
    socket.on('error', () => {
      seen.end = 'error'
    })
  })
  await once(echo.listen(0, '127.0.0.1'), 'listening')
  proxy = await startProxy({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port })
})

afterEach(async () => {
  await proxy.close()
  echo.close()
})

interface Line {
  readonly socket: Socket
  text: string
  /** How the connection ended: `fin`, or the code of the error. */
  readonly ended: Promise<string>
}

async function line(): Promise<Line> {
  const socket = connect(proxy.port, '127.0.0.1')
  const ended = new Promise<string>((resolve) => {
    socket.on('end', () => resolve('fin'))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
  const opened: Line = { socket, text: '', ended }
  socket.setEncoding('utf8').on('data', (text) => {
    opened.text += text
  })
  await once(socket, 'connect')
  return opened
}

const until = (what: () => unknown) => expect.poll(what, { interval: 5, timeout: 5000 })

async function say(to: Line, text: string): Promise<void> {
  to.socket.write(text)
  await until(() => to.text).toContain(text)
}

describe('the proxy', () => {
  it('passes data in both directions, and passes on a half-close', async () => {
    const a = await line()
    await say(a, 'hello')
    expect(proxy.connections).toBe(1)
    a.socket.end('bye')
    expect(await a.ended).toBe('fin')
    expect(a.text).toBe('hellobye')
    await until(() => proxy.connections).toBe(0)
  })

  it('puts its own host and port into a URL', () => {
    expect(proxy.through('postgres://u:p@db.example:5432/x?options=-c%20a%3Db')).toBe(
      `postgres://u:p@127.0.0.1:${proxy.port}/x?options=-c%20a%3Db`,
    )
  })

  it('resets all connections, and accepts new ones', async () => {
    const [a, b] = [await line(), await line()]
    await say(a, 'a')
    await say(b, 'b')
    proxy.cut('reset')
    expect(await Promise.all([a.ended, b.ended])).toEqual(['ECONNRESET', 'ECONNRESET'])
    await until(() => got.map(({ end }) => end)).toEqual(['error', 'error'])
    await until(() => proxy.connections).toBe(0)
    await say(await line(), 'c')
  })

  it('ends all connections with a FIN', async () => {
    const a = await line()
    await say(a, 'a')
    proxy.cut('end')
    expect(await a.ended).toBe('fin')
    await until(() => got[0]?.end).toBe('fin')
    await until(() => proxy.connections).toBe(0)
  })

  it('refuses new connections, keeps the open ones, and accepts again on the same port', async () => {
    const a = await line()
    await say(a, 'a')
    proxy.refuse()
    await expect(line()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await say(a, 'still')
    await proxy.accept()
    await say(await line(), 'b')
  })

  it('stalls both directions of open and new connections, and delivers their data in order on resume()', async () => {
    const a = await line()
    await say(a, '1')
    proxy.stall()
    a.socket.write('2')
    const b = await line()
    b.socket.write('x')
    await sleep(50)
    a.socket.write('3')
    await sleep(50)
    expect([a.text, b.text, got[0]?.text]).toEqual(['1', '', '1'])
    proxy.resume()
    await until(() => [a.text, b.text]).toEqual(['123', 'x'])
  })

  it('silences open and new connections; they stay silent after endSilence(), but later connections work', async () => {
    const a = await line()
    await say(a, '1')
    proxy.silence()
    const b = await line()
    for (const { socket } of [a, b]) socket.write('lost')
    await sleep(50)
    proxy.endSilence()
    await say(await line(), 'c')
    for (const { socket } of [a, b]) socket.write('lost too')
    a.socket.end()
    await sleep(50)
    expect([a.text, b.text, got[0]?.text, got[1]?.text ?? '']).toEqual(['1', '', '1', ''])
  })

  it('can be closed while it is stalled', async () => {
    const a = await line()
    proxy.stall()
    a.socket.write('1')
    await proxy.close()
    expect(await a.ended).toBe('ECONNRESET')
  })

  it('makes open connections half-open: they pass no data and are not closed; new connections work', async () => {
    const a = await line()
    await say(a, '1')
    proxy.forget()
    let ended = false
    void a.ended.then(() => {
      ended = true
    })
    a.socket.write('2')
    await say(await line(), 'new')
    a.socket.write('3')
    await say(await line(), 'newer')
    expect([a.text, got[0], ended]).toEqual(['1', { text: '1', end: 'open' }, false])
  })

  it('adds bytes once, after the next data that ends with a given string', async () => {
    const a = await line()
    const sent = proxy.appendAfter(Buffer.from('z'), Buffer.from('+'))
    await say(a, '1')
    a.socket.write('xyz')
    await until(() => a.text).toBe('1xyz+')
    await sent
    a.socket.write('z')
    await until(() => a.text).toBe('1xyz+z')
  })

  it('delays data, and keeps its order when the delay ends', async () => {
    const a = await line()
    await say(a, '1')
    proxy.delay(60)
    const start = performance.now()
    a.socket.write('2')
    await until(() => got[0]?.text).toBe('12')
    proxy.delay(0)
    a.socket.write('3')
    await until(() => a.text).toBe('123')
    expect(performance.now() - start).toBeGreaterThanOrEqual(55)
  })

  it('cuts after a number of bytes: the server gets exactly these bytes, and the client gets a reset', async () => {
    const a = await line()
    await say(a, 'before')
    const done = proxy.cutAfter(5)
    a.socket.write('abc')
    await until(() => a.text).toBe('beforeabc')
    a.socket.write('defg')
    expect(await a.ended).toBe('ECONNRESET')
    await done
    await until(() => got[0]).toEqual({ text: 'beforeabcde', end: 'fin' })
    expect(a.text).toBe('beforeabc')
    await say(await line(), 'only one connection is cut')
  })

  it('cuts after a string, even if the string is split into chunks', async () => {
    const [a, b] = [await line(), await line()]
    const done = proxy.cutAfter('COMMIT')
    await say(b, 'SELECT')
    await say(a, 'xCOM')
    a.socket.write('MIT;rest')
    expect(await a.ended).toBe('ECONNRESET')
    await done
    await until(() => got.map(({ text }) => text)).toContain('xCOMMIT')
    await say(b, 'unharmed')
  })

  it('loses a response: the server gets everything and responds, but the client gets only a reset', async () => {
    const [a, b] = [await line(), await line()]
    await say(a, 'begin')
    const lost = proxy.loseReply('COMMIT')
    await say(a, 'update')
    a.socket.write('COMMIT;and the rest')
    expect(await a.ended).toBe('ECONNRESET')
    await lost
    expect(a.text).toBe('beginupdate')
    expect(got.map(({ text }) => text)).toContain('beginupdateCOMMIT;and the rest')
    await say(b, 'unharmed')
  })

  it('loses the next response by default', async () => {
    const a = await line()
    const lost = proxy.loseReply()
    a.socket.write('x')
    expect(await a.ended).toBe('ECONNRESET')
    await lost
    expect([a.text, got[0]?.text]).toEqual(['', 'x'])
  })

  it('gives the client other bytes in place of a response', async () => {
    const a = await line()
    const lost = proxy.loseReply('COMMIT', Buffer.from('no'))
    a.socket.write('COMMIT')
    await lost
    await expect.poll(() => a.text).toBe('no')
    a.socket.destroy()
  })

  it('resets the client if the server is not listening', async () => {
    echo.close()
    const a = await line()
    expect(await a.ended).toBe('ECONNRESET')
  })
})

/** Servers that live as long as a test, and what they say byte by byte. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server on a free port. Whatever the test has left open is cut behind it. */
export async function port(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        if (server.listening) server.close(() => resolve())
        else resolve()
        for (const socket of open) socket.destroy()
      }),
  )
  return (server.address() as AddressInfo).port
}

/** A client that speaks bytes. */
export interface Client {
  readonly socket: Socket
  /** Sends; what comes back is kept. */
  send(text: string): void
  /** All that came until now, as Latin-1. */
  readonly heard: string
  /** Waits until something has come that fits. */
  hears(pattern: RegExp): Promise<string>
  /** All that came, when the server has closed. */
  readonly closed: Promise<string>
}

export async function client(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let heard = ''
  const waiting = new Set<() => void>()
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text
    for (const look of waiting) look()
  })
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(heard))
  })
  await once(socket, 'connect')
  socket.on('error', () => {})
  return {
    socket,
    send: (text) => void socket.write(text, 'latin1'),
    get heard() {
      return heard
    },
    hears: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!pattern.test(heard)) return
          waiting.delete(look)
          resolve(heard)
        }
        waiting.add(look)
        look()
      }),
    closed,
  }
}

/** What a server says to these bytes until it closes, without the time. */
export async function answers(port: number, text: string): Promise<string> {
  const { send, closed } = await client(port)
  send(text)
  return (await closed).replaceAll(/^Date: .*\r\n/gm, '')
}

/** Servers that are closed after the test, and clients that exchange bytes with them. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server on a free port. Connections that the test leaves open are closed afterwards. */
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

/** A client that sends and receives bytes. */
export interface Client {
  readonly socket: Socket
  /** Sends the text as Latin-1. */
  send(text: string): void
  /** All bytes that the client has received so far, as Latin-1. */
  readonly received: string
  /** Waits until the received text matches the pattern. Returns the text. */
  receives(pattern: RegExp): Promise<string>
  /** All bytes that the client received. Resolves when the server has closed the connection. */
  readonly closed: Promise<string>
}

export async function client(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  const waiting = new Set<() => void>()
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    for (const look of waiting) look()
  })
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(received))
  })
  await once(socket, 'connect')
  socket.on('error', () => {})
  return {
    socket,
    send: (text) => void socket.write(text, 'latin1'),
    get received() {
      return received
    },
    receives: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!pattern.test(received)) return
          waiting.delete(look)
          resolve(received)
        }
        waiting.add(look)
        look()
      }),
    closed,
  }
}

/**
 * Sends a string, and returns all bytes that the server sends until it closes the connection,
 * except the `Date` field.
 */
export async function answers(port: number, text: string): Promise<string> {
  const { send, closed } = await client(port)
  send(text)
  return (await closed).replaceAll(/^Date: .*\r\n/gm, '')
}

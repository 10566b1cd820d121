/** Cancelling a statement of `pg`: a CancelRequest on a connection of its own (PostgreSQL, Frontend/Backend Protocol, "Canceling Requests in Progress"). */
import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

/** What a client of `pg` knows of its connection. */
export interface CancellableClient {
  readonly host?: string
  readonly port?: number
  readonly ssl?: boolean | ConnectionOptions
  readonly processID?: number | null
  readonly secretKey?: number | Buffer | null
}

const cancelCode = 80_877_102
const sslCode = 80_877_103
/** The server answers by closing the connection; a dead network must not keep anybody waiting. */
const longest = 2_000

/**
 * What became of a cancel: the server has taken note, so that it hits nothing that is sent from now on; it never left; or nobody knows, and it may still hit what comes next.
 */
export type CancelOutcome = 'taken' | 'unsent' | 'unknown'

/** Asks the server to cancel what runs on the client's connection. Resolves when the server has taken note, or can't be reached; never rejects. */
export function cancel({ host, port = 5432, ssl, processID, secretKey }: CancellableClient): Promise<CancelOutcome> {
  if (typeof processID !== 'number' || secretKey === null || secretKey === undefined) return Promise.resolve('unsent')
  return new Promise((resolve) => {
    let sent = false
    const socket = host?.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host ?? 'localhost')
    const done = (taken: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(sent ? (taken ? 'taken' : 'unknown') : 'unsent')
    }
    const failed = (): void => done(false)
    const timer = setTimeout(failed, longest)
    // The server closes the connection once it has passed the cancel on.
    const listen = (over: Socket): Socket =>
      over
        .on('error', failed)
        .on('end', () => done(true))
        .on('close', failed)
    const send = (over: Socket): void => {
      sent = true
      over.resume().write(request(processID, secretKey))
    }
    listen(socket).once('connect', () => {
      if (!ssl) return send(socket)
      socket.write(message(sslCode))
      socket.once('data', (answer) => {
        // 'S': the server speaks TLS. Whatever else it says, the key is not sent in the clear to a server that was to be reached by TLS.
        if (answer.toString('latin1') !== 'S') return failed()
        try {
          const secure = connectTls({ ...tlsOptions(ssl, host), socket }, () => send(secure))
          listen(secure)
        } catch {
          // The options have changed since the connection was made. An exception in a listener
          // would end the process.
          failed()
        }
      })
    })
  })
}

function tlsOptions(ssl: true | ConnectionOptions, host: string | undefined): ConnectionOptions {
  return {
    ...(host === undefined ? {} : { host }),
    // No name of a server may be an address (RFC 6066, section 3).
    ...(host === undefined || isIP(host) !== 0 ? {} : { servername: host }),
    // `pg` hides the key from whoever lists the options.
    ...(ssl === true ? {} : { ...ssl, ...(ssl.key === undefined ? {} : { key: ssl.key }) }),
  }
}

const request = (processID: number, secretKey: number | Buffer): Buffer => {
  const process = Buffer.alloc(4)
  process.writeInt32BE(processID)
  const key = typeof secretKey === 'number' ? Buffer.alloc(4) : secretKey
  if (typeof secretKey === 'number') key.writeInt32BE(secretKey)
  return message(cancelCode, process, key)
}

function message(code: number, ...parts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + parts.reduce((length, part) => length + part.length, 0))
  head.writeInt32BE(code, 4)
  return Buffer.concat([head, ...parts])
}

/**
 * Cancels a statement of `pg` with a CancelRequest on a separate connection (PostgreSQL,
 * Frontend/Backend Protocol, "Canceling Requests in Progress").
 */
import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

/** The properties of a `pg` client that are needed to cancel its statement. */
export interface CancellableClient {
  readonly host?: string
  readonly port?: number
  readonly ssl?: boolean | ConnectionOptions
  readonly processID?: number | null
  readonly secretKey?: number | Buffer | null
}

const cancelCode = 80_877_102
const sslCode = 80_877_103
/**
 * The timeout of a cancel request, in milliseconds. The server closes the connection when it has
 * processed the request. If the network is broken, the close never arrives.
 */
const cancelTimeout = 2_000

/**
 * The outcome of a cancel request. `taken`: the server has processed the request, so it can't
 * affect later statements. `unsent`: the request was not sent. `unknown`: the request may still
 * cancel a later statement.
 */
export type CancelOutcome = 'taken' | 'unsent' | 'unknown'

/**
 * Asks the server to cancel the statement that runs on the client's connection. Resolves when the
 * server has processed the request, can't be reached, or does not respond in time. Never rejects.
 */
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
    const timer = setTimeout(failed, cancelTimeout)
    // The server closes the connection after it has passed the cancel request on to the process
    // that runs the statement.
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
        // 'S' means that the server supports TLS. After any other response, the cancel request is
        // not sent, because the options require TLS and the secret key would be sent unencrypted.
        if (answer.toString('latin1') !== 'S') return failed()
        try {
          const secure = connectTls({ ...tlsOptions(ssl, host), socket }, () => send(secure))
          listen(secure)
        } catch {
          // `connectTls` may throw if the options were changed after the connection was made. An
          // exception in a listener would end the process.
          failed()
        }
      })
    })
  })
}

function tlsOptions(ssl: true | ConnectionOptions, host: string | undefined): ConnectionOptions {
  return {
    ...(host === undefined ? {} : { host }),
    // A server name must not be an IP address (RFC 6066, section 3).
    ...(host === undefined || isIP(host) !== 0 ? {} : { servername: host }),
    // `key` is not enumerable in the options of `pg`, so it is copied explicitly.
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

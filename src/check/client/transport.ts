/**
 * Sends a request over the network, exactly as it is written. Redirects are not followed, and the
 * path is not normalized. No header fields are added except those of the connection and the body,
 * such as `Host` and `Content-Length`.
 */
import { type IncomingMessage, Agent as PlainAgent, request as plain } from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'
import { Answer } from './exchange.js'

/** The timeout for a request and its complete response, in milliseconds. */
const timeout = 30_000

/** The maximum size of a response body that is read, in bytes. */
const largestBody = 16 * 1024 * 1024

/** Sends requests over connections that stay open until `close()` is called. */
export class Transport {
  readonly #agents = { 'http:': new PlainAgent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) }

  /** Rejects if there is no complete response. */
  send(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<Answer> {
    const { protocol, hostname, port } = new URL(url)
    const isSecure = protocol === 'https:'
    const rest = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
    const path = rest.startsWith('/') ? rest : `/${rest}`
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    return new Promise((resolve, reject) => {
      const request = (isSecure ? secure : plain)(
        {
          agent: this.#agents[isSecure ? 'https:' : 'http:'],
          method,
          hostname: hostname.replace(/^\[|\]$/g, ''),
          ...(port === '' ? {} : { port }),
          path,
          headers: { ...headers, ...length },
          signal: AbortSignal.timeout(timeout),
        },
        (response) => {
          readAnswer(response).then(resolve, reject)
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestBody) throw new Error(`The body of the answer has more than ${largestBody} bytes.`)
    chunks.push(chunk)
  }
  const fields = new Map<string, string>()
  const raw = response.rawHeaders
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    const value = raw[at + 1] as string
    const known = fields.get(name)
    fields.set(name, known === undefined ? value : `${known}, ${value}`)
  }
  return new Answer(response.statusCode ?? 0, fields, Buffer.concat(chunks).toString('utf8'))
}

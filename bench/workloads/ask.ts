/**
 * A minimal HTTP client. It has no cache, follows no redirects, and adds no header fields except
 * the necessary ones.
 */
import { request } from 'node:http'

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * A client of one server. Header fields that all requests share are passed when the client is
 * created. Header fields with an empty value are not sent.
 */
export type Ask = (path: string, asked?: RequestOptions) => Promise<Answered>

export function asker(port: number, common: Readonly<Record<string, string>>): Ask {
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = Object.fromEntries(Object.entries({ ...common, ...headers }).filter(([, value]) => value !== ''))
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const req = request(
        { host: '127.0.0.1', port, method, path, agent: false, headers: { ...sent, ...length } },
        (res) => {
          const parts: Buffer[] = []
          res.on('data', (part: Buffer) => parts.push(part))
          res.on('error', reject)
          res.on('end', () =>
            resolve({
              status: res.statusCode ?? 0,
              headers: res.headers as Record<string, string | undefined>,
              text: Buffer.concat(parts).toString(),
            }),
          )
        },
      )
      req.on('error', reject)
      req.end(body)
    })
}

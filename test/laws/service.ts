/**
 * A service over one random table, and a client. The client checks the laws that apply to every
 * response.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Adapter } from '../../src/adapters/contract.js'
import type { ResourceDefinition } from '../../src/definition/resource.js'
import { api, mount, problems } from '../../src/index.js'

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; undefined if there is no body, or if it is XML. */
  readonly json: unknown
}

/** Thrown if a law is violated. */
export class Broken extends Error {
  /** The name of the violated law, without the values. */
  readonly law: string

  constructor(law: string, ...details: readonly string[]) {
    super([law, ...details].join('\n'))
    this.law = law
  }
}

/** Starts one server, which the services of all tables use one after another. */
export async function listening(): Promise<Listener> {
  let handler: http.RequestListener = (_, response) => response.end()
  const server = http.createServer((request, response) => handler(request, response))
  // A database that runs in this process can block the process for seconds. Idle connections must
  // survive this time.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
  return {
    serve(definition, adapter) {
      const errors: unknown[] = []
      const service = api({
        versions: { v1: [mount(definition, adapter as never)] },
        onError: ({ error }) => errors.push(error),
      })
      handler = express().use(service, problems()) as http.RequestListener
      return { ready: () => service.ready(), client: new Client(port, agent, errors) }
    },
    async close() {
      agent.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Listener {
  serve(
    definition: ResourceDefinition,
    adapter: Adapter<never, never>,
  ): { ready(): Promise<void>; readonly client: Client }
  close(): Promise<void>
}

/** The number of requests that the report of a failure shows. */
const reported = 4

export const collection = '/v1/cosas'

/**
 * Sends requests. Throws `Broken` if a status is 500 or more, or if one strong tag identifies two
 * bodies.
 */
export class Client {
  readonly #port: number
  readonly #agent: http.Agent
  readonly #errors: unknown[]
  readonly #bodies = new Map<string, string>()
  readonly #last: string[] = []

  constructor(port: number, agent: http.Agent, errors: unknown[]) {
    this.#port = port
    this.#agent = agent
    this.#errors = errors
  }

  /** The last requests and their responses, for the report of a failure. */
  get last(): readonly string[] {
    return this.#last
  }

  /** The path of an absolute URL. The URL must belong to this service. */
  pathOf(address: string): string {
    const start = `http://127.0.0.1:${this.#port}`
    if (!address.startsWith(start)) throw new Broken('An address leads to this service.', address)
    return address.slice(start.length)
  }

  async send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const type: Record<string, string> = text === undefined ? {} : { 'Content-Type': 'application/json' }
    const all = { ...type, ...headers }
    const answer = await new Promise<Answer>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path, headers: all }
      const request = http.request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => {
          const received = Buffer.concat(chunks).toString()
          const isJson = /json/.test(response.headers['content-type'] ?? '')
          const json = isJson && received !== '' ? JSON.parse(received) : undefined
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received, json })
        })
        response.on('error', reject)
      })
      request.on('error', reject)
      request.end(text)
    })
    this.#check(method, path, all, answer, text)
    return answer
  }

  #check(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    answer: Answer,
    sent: string | undefined,
  ): void {
    const said = `${method} ${path} ${JSON.stringify(headers)} ${sent ?? ''}`
    this.#last.push(`${said}\n  ${answer.status} ${answer.headers.etag ?? ''} ${answer.text}`)
    if (this.#last.length > reported) this.#last.shift()
    if (answer.status >= 500) {
      const causes = this.#errors.splice(0).map((error) => `${error instanceof Error ? error.stack : error}`)
      throw new Broken(`A ${method} never gets ${answer.status}.`, said, answer.text, ...causes)
    }
    this.#errors.length = 0
    const { etag } = answer.headers
    if (answer.status !== 200 || etag === undefined || etag.startsWith('W/') || answer.text === '' || method === 'HEAD')
      return
    // The tag in the response to a write must also identify the body of a later GET.
    const name = `${path} ${etag}`
    const known = this.#bodies.get(name)
    if (known !== undefined && known !== answer.text)
      throw new Broken(
        'Two bodies do not share a tag.',
        `The tag is ${etag}. The second body is the response to ${said}`,
        known,
        answer.text,
      )
    this.#bodies.set(name, answer.text)
  }
}

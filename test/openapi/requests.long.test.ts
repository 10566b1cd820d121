/**
 * The service accepts requests that match its document, and refuses requests that violate the
 * document in one place. The requests are generated from the document and the keys of a few
 * records.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAccess } from '../../examples/pre-piezas/access.js'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { sucursalesDescribed } from '../../examples/pre-piezas/resources/sucursales-described.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { describeStrictly, openapi } from '../../src/openapi/index.js'
import { createServer } from '../../src/server/index.js'
import { embeddedStores } from '../examples/stores.js'
import { refusals, violations } from './requests/allowed.js'
import { type Operation, type Request, Requests } from './requests/requests.js'
import { richKeys, richService } from './requests/rich-service.js'

interface Answer {
  readonly status: number
  readonly text: string
}

interface Served {
  readonly requests: Requests
  readonly faults: readonly string[]
  send(request: Request): Promise<Answer>
  close(): Promise<void>
}

const listening = async (handler: http.RequestListener, start: string, headers: Readonly<Record<string, string>>) => {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const send = ({ method, path, headers: own, body }: Request): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, agent, method, path: start + path, headers: { ...headers, ...own } }
      const sent = http.request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        response.on('error', reject)
      })
      sent.on('error', reject).end(body)
    })
  const close = async (): Promise<void> => {
    agent.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { send, close }
}

/** Serves the example, with a token that has every permission. */
async function example(): Promise<Served> {
  const { stores, fill } = await embeddedStores()
  const data = generate(40)
  await fill(data)
  const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
  const { app, apis } = createService({ rateLimit: 0 }, { stores, access, counters: { close() {} } })
  const faults: string[] = []
  const strictly = describeStrictly(apis.inside, {
    fragments: [sucursalesDescribed],
    onFault: (fault) => faults.push(fault),
  })
  const { send, close } = await listening(express().use(strictly, app), '/v8', {
    Authorization: `Bearer ${access.privateToken()}`,
  })
  const keys = {
    numero: ['1', '2', '3'],
    codigo: data.codigosPostales.slice(0, 3).map(({ codigo }) => String(codigo)),
    codigoDeContratoInterno: data.contratos.slice(0, 3).map((one) => one.codigoDeContratoInterno),
    id: ['1', '2', '3'],
  }
  const document = openapi(apis.inside, 'v8', { fragments: [sucursalesDescribed] })
  return { requests: new Requests(document, keys), faults, send, close: () => close().then(() => stores.close()) }
}

async function rich(strict: boolean): Promise<Served> {
  const service = richService(strict)
  const faults: string[] = []
  const strictly = describeStrictly(service, { onFault: (fault) => faults.push(fault) })
  const { send, close } = await listening(express().use(strictly, service), '/v1', {})
  return { requests: new Requests(openapi(service, 'v1'), richKeys), faults, send, close }
}

interface ProblemBody {
  readonly code?: string
  readonly errors?: readonly { readonly code?: string; readonly pointer?: string }[]
}

/**
 * Whether the service accepted the request, or refused it for a reason that a schema cannot
 * express.
 */
function isExcused({ method, headers, body }: Request, { status, text }: Answer): boolean {
  if (status < 400) return true
  if (text === '') return status === 404 || status === 412
  const { code = '', errors = [] } = JSON.parse(text) as ProblemBody
  if (Object.hasOwn(refusals, code)) return true
  // The result of a JSON Patch depends on the record, so the schema of the patch cannot express
  // which results are valid.
  if (code === 'invalid-body' && body !== undefined && headers['Content-Type'] === 'application/json-patch+json')
    return true
  if (code !== 'invalid-body' && code !== 'invalid-query') return false
  // If the record lacks a nested object, a patch must send that object completely.
  if (method === 'PATCH' && errors.some((one) => one.code === 'required')) return true
  // For a union, the document allows any patch, and the service validates the result.
  const isInside = (pointer = ''): boolean => pointer.split('/').length > 2
  const isOfShapes = (one: { readonly code?: string; readonly pointer?: string }): boolean =>
    method === 'PATCH' && one.code === 'unknown' && isInside(one.pointer)
  return errors.length > 0 && errors.every((one) => isOfShapes(one) || Object.hasOwn(violations, one.code ?? ''))
}

/**
 * Finds operations with wrong responses. Returns a text for each of these operations, with the
 * simplest request that failed and its response.
 */
async function failures(
  { requests, send }: Served,
  made: (operation: Operation) => fc.Arbitrary<Request>,
  isRight: (request: Request, answer: Answer) => boolean,
  numRuns: number,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const operation of requests.operations) {
    const property = fc.asyncProperty(made(operation), async (request) => {
      const answer = await send(request)
      // A HEAD response has no problem code, so the same request is sent with GET.
      const asked =
        request.method === 'HEAD' && answer.status >= 400 ? await send({ ...request, method: 'GET' }) : answer
      return answer.status < 500 && asked.status === answer.status && isRight(request, asked)
    })
    const { failed, counterexample } = await fc.check(property, { numRuns })
    if (!failed) continue
    const [request] = counterexample ?? []
    const { status, text } = request === undefined ? { status: 0, text: '' } : await send(request)
    found.push(`${operation.id}: ${JSON.stringify(request)}\n  ${status} ${text}`)
  }
  return found
}

describe.each([
  ['the example', example],
  ['a service with every feature', () => rich(false)],
  ['a service that requires If-Match', () => rich(true)],
] as const)('%s', (_, open) => {
  let served: Served
  beforeAll(async () => {
    served = await open()
  })
  afterAll(() => served?.close())

  it('accepts requests that its document allows, or refuses them for a reason that no schema can express', {
    timeout: 900_000,
  }, async () => {
    expect(await failures(served, (operation) => served.requests.allowed(operation), isExcused, 15)).toEqual([])
    expect([...new Set(served.faults)]).toEqual([])
  })

  it('refuses requests that its document does not allow', { timeout: 900_000 }, async () => {
    const isRefused = (_request: Request, { status }: Answer): boolean => status >= 400
    expect(await failures(served, (operation) => served.requests.broken(operation), isRefused, 30)).toEqual([])
    expect([...new Set(served.faults)]).toEqual([])
  })
})

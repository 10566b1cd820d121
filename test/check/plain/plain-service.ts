/** Starts the service of `service.mjs` in a separate process, and exports its OpenAPI document. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface PlainService {
  readonly base: string
  close(): Promise<void>
}

export const token = 'opaque-7f3a'

/**
 * Starts the service, optionally with a fault. `window` is the time in milliseconds that a faulty
 * write waits before the change.
 */
export async function plainService(fault = '', window = 0): Promise<PlainService> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('service.mjs', import.meta.url))], {
    env: { ...process.env, FAULT: fault, WINDOW: String(window), TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [port] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  return {
    base: `http://127.0.0.1:${String(port).trim()}/api/v2`,
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

const text = { type: 'string' }
const note = {
  type: 'object',
  required: ['text'],
  properties: {
    id: { type: 'string', readOnly: true },
    text,
    count: { type: 'integer' },
    done: { type: 'boolean' },
  },
}
const content = { 'application/json': { schema: note } }
const shown = { 200: { description: 'The note.', content } }
const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema })

export const plainDocument = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '2' },
  servers: [{ url: '/api/v2' }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  security: [{ bearer: [] }],
  paths: {
    '/notes': {
      get: {
        parameters: [
          inQuery('offest', { type: 'integer', minimum: 1 }),
          inQuery('limit', { type: 'integer', maximum: 50 }),
          inQuery('text', text),
          inQuery('count', { type: 'integer' }),
          inQuery('done', { type: 'boolean' }),
        ],
        responses: {
          200: {
            description: 'Notes.',
            headers: { 'x-total-count': { required: true, schema: { type: 'integer' } } },
            content: { 'application/json': { schema: { type: 'array', items: note } } },
          },
        },
      },
      post: {
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text }],
        requestBody: { content },
        responses: { 201: { description: 'Created.' } },
      },
    },
    '/notes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { responses: shown },
      put: { requestBody: { content }, responses: shown },
      patch: { requestBody: { content }, responses: shown },
      delete: { responses: { 202: { description: 'Deleted.' } } },
    },
  },
}

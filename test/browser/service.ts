/** A small service for the tests in a browser. */
import { createServer } from 'node:http'
import express from 'express'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { bearer } from '../../src/auth/index.js'
import { docsPages } from '../../src/docs/index.js'
import { type ApiOptions, api, defineResource, mount } from '../../src/index.js'
import { port } from '../server/serving.js'

const hostile =
  `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&[a](javascript:alert(3)) ` +
  '![b](https://example.com/b.png) \u2028ñ'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'state'],
    description: hostile,
    properties: {
      id: { type: 'integer' },
      state: { enum: ['open', 'shipped'], description: hostile },
      urgent: { type: 'boolean' },
      note: { type: 'string', examples: [hostile] },
    },
  },
  filters: { state: true, urgent: true },
  sort: ['id'],
})
/** The key that signs the tokens of the callers. */
export const key = { algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } as const

/**
 * Starts a service with pages and a console. Its descriptions try to inject markup. Returns the URL
 * of the pages, without a trailing slash.
 */
export async function serve(options: Partial<ApiOptions> = {}, path = ''): Promise<string> {
  const app = express()
  const resources = [
    mount(orders, memoryAdapter(orders, { records: [{ id: 1, state: 'open', urgent: true, note: hostile }] })),
  ]
  const describe = { pages: docsPages({ console: true }), public: true, info: { title: hostile, description: hostile } }
  app.use(
    path || '/',
    api({ authenticate: bearer({ keys: key }), describe, versions: { v1: resources }, ...options } as ApiOptions),
  )
  return `http://127.0.0.1:${await port(createServer(app))}${path}/v1/docs`
}

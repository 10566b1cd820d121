/**
 * Tests of the log of a mock. The log contains errors. It omits requests whose response is not
 * described in the OpenAPI document.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { endpoint, representation } from '../../src/index.js'
import { api, defineResource, mount } from './library.js'
import { mocked } from './mocked.js'

const notes = defineResource({
  collection: 'notes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

/**
 * A service with an endpoint, a hand-written route, and a representation that throws. The OpenAPI
 * document does not describe the successful responses of the endpoint and the route.
 */
const service = () =>
  api({
    describe: {
      fragments: [
        {
          paths: {
            '/branches': { get: { operationId: 'listBranches', responses: { 404: { description: 'None.' } } } },
          },
        },
      ],
    },
    versions: {
      v1: {
        resources: [
          mount(notes, memoryAdapter(notes), {
            representations: [
              representation('text/broken', {
                item: () => {
                  throw new Error('broken')
                },
              }),
            ],
          }),
          endpoint('search', { description: 'Looks for a text.', methods: { GET: { handle: () => [] } } }),
        ],
        routes: (_req, _res, next) => next(),
      },
    },
  })

function logged() {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  return log.mock.calls
}

describe('the log of a mock', () => {
  it('omits requests that get 501 because the OpenAPI document does not describe their response', async () => {
    const calls = logged()
    const mock = await mocked(service())
    for (const path of ['/v1/search', '/v1/branches']) {
      const answer = await mock.ask(path)
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([501, 'not-implemented'])
    }
    expect(calls).toEqual([])
  })

  it('contains the error of a request that gets 500', async () => {
    const calls = logged()
    const mock = await mocked(service())
    expect((await mock.ask('/v1/notes/1', { headers: { Accept: 'text/broken' } })).status).toBe(500)
    expect(calls.map(([line]) => line)).toEqual([expect.stringMatching(/^GET \S+ 500 internal /)])
  })
})

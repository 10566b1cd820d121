import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { requestState } from '../../src/middleware/request-state.js'
import { ConfigurationError } from '../../src/problem.js'

describe('requestState', () => {
  it('ERR-1: keeps a value for a request without modifying the request', () => {
    const state = requestState<number>('count()')
    const req = Object.freeze({}) as IncomingMessage
    expect(state.find(req)).toBeUndefined()
    state.set(req, 0)
    expect([state.of(req), state.find(req), Reflect.ownKeys(req)]).toEqual([0, 0, []])
    expect(state.find({} as IncomingMessage)).toBeUndefined()
  })

  it('ERR-1: without the middleware, the error names the middleware and explains the fix', () => {
    const of = () => requestState('count()').of({} as IncomingMessage)
    expect(of).toThrow(ConfigurationError)
    expect(of).toThrow(/The middleware count\(\) did not run for this request\. Mount it before the handler/)
  })
})

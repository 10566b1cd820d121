import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { soleField } from '../../src/http/sole-field.js'

const request = (rawHeaders: string[], headers: Record<string, string> = {}) =>
  Object.assign(new IncomingMessage(new Socket()), { rawHeaders, headers })

describe('soleField', () => {
  it('AUTH-4: returns the value of a field that occurs once, regardless of the case of its name', () => {
    expect(soleField(request(['Host', 'x', 'aUTHORIZATION', 'Bearer a']), 'Authorization')).toBe('Bearer a')
    expect(soleField(request(['Authorization', '']), 'Authorization')).toBe('')
    expect(soleField(request(['Authorizations', 'a', 'x', 'Authorization']), 'Authorization')).toBeUndefined()
  })

  it('AUTH-4: returns no value for a repeated field, although Node keeps its first value', () => {
    const twice = request(['Authorization', 'Bearer a', 'authorization', 'Bearer a'], { authorization: 'Bearer a' })
    expect(soleField(twice, 'Authorization')).toEqual({ many: true })
  })

  it('AUTH-1: reads the field from "headers" if "rawHeaders" lacks it, as with some serverless adapters', () => {
    expect(soleField(request([], { authorization: 'Bearer a' }), 'Authorization')).toBe('Bearer a')
    expect(
      soleField(request(['Cookie', 'token=a'], { cookie: 'token=a', authorization: 'Bearer a' }), 'Authorization'),
    ).toBe('Bearer a')
    expect(soleField(request(['Authorization', 'Bearer a'], { authorization: 'Bearer b' }), 'Authorization')).toBe(
      'Bearer a',
    )
  })
})

/** Tests of route templates, which are derived from what Express has mounted and matched. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { followRoutes, mountTemplate } from '../../src/telemetry/express-route.js'
import { nameRoute } from '../../src/telemetry/http-route.js'

// biome-ignore lint/suspicious/noExplicitAny: requests with any properties that a framework may set
const request = (fields: object): any => ({ ...fields })

describe('mountTemplate()', () => {
  it.each([
    ['no mount', {}, ''],
    ['a mount without parameters', { baseUrl: '/private' }, '/private'],
    ['a parameter', { baseUrl: '/areas/sur', params: { area: 'sur' } }, '/areas/{area}'],
    ['an encoded value', { baseUrl: '/areas/a%2Fb', params: { area: 'a/b' } }, '/areas/{area}'],
    ['an undecodable value', { baseUrl: '/areas/%ff', params: { area: 'x' } }, '/areas/%ff'],
    ['an empty value', { baseUrl: '/x', params: { 0: '' } }, '/x'],
    ['a wildcard', { baseUrl: '/f/a/b', params: { rest: ['a', 'b'] } }, '/f/{rest}/{rest}'],
  ])('%s: the template of a request with %j is %j', (_what, fields, expected) => {
    expect(mountTemplate(request(fields))).toBe(expected)
  })
})

describe('followRoutes()', () => {
  it('if two functions follow the same request, both are notified of a route', () => {
    const req = request({ baseUrl: '/v1', params: { area: 'sur' } })
    const found: string[] = []
    followRoutes(req, '', (template) => found.push(template))
    followRoutes(req, '/v1', (template) => found.push(template))
    req.params = { id: '7' }
    req.baseUrl = '/v1/cosas/7'
    req.route = { path: '/notas' }
    expect(found).toEqual(['/v1/cosas/{id}/notas', '/cosas/{id}/notas'])
  })

  it('a frozen request causes no error', () => {
    const req = Object.freeze(request({ baseUrl: '/v1', params: {}, route: undefined }))
    expect(() => followRoutes(req, '/v1', () => {})).not.toThrow()
  })
})

describe('nameRoute()', () => {
  it('restores the latest route when the response closes, and does not throw for a frozen object', () => {
    const res = new EventEmitter()
    const traced: { route?: string | undefined } = {}
    const read: (string | undefined)[] = []
    res.on('close', () => read.push(traced.route))
    nameRoute(traced, res as ServerResponse, '/a')
    nameRoute(traced, res as ServerResponse, '/b')
    traced.route = 'changed'
    expect(() => nameRoute(Object.freeze({}), res as ServerResponse, '/c')).not.toThrow()
    res.emit('close')
    expect(read).toEqual(['/b'])
  })
})

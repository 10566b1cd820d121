/** Tests of permission functions that throw a problem. */
import express from 'express'
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { authenticate } from '../../src/auth/index.js'
import { api, defineResource, HttpProblem, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'

const notes = defineResource({
  collection: 'notes',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})

it.each([
  ['the challenge of the option "authenticate"', {}, 'ApiKey realm="notes"'],
  ['its own challenge', { headers: { 'www-authenticate': 'Other' } }, 'Other'],
])('AUTH-4: a 401 that a permission function throws has %s', async (_what, options, expected) => {
  const service = api({
    versions: { v1: [mount(notes, memoryAdapter(notes))] },
    authenticate: authenticate({ field: 'x-key', challenge: 'ApiKey realm="notes"', identify: (key) => ({ key }) }),
    permission: () => {
      throw new HttpProblem('unauthenticated', options)
    },
  })
  const { send, close } = await listen(express().use(service))
  const answer = await send('GET', '/v1/notes', { 'x-key': 'a' })
  await close()
  expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, expected])
})

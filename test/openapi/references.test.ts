/** The service accepts a link in a body if and only if the document allows it (REP-7). */
import { Ajv2020 } from 'ajv/dist/2020.js'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount, problems } from '../../src/index.js'
import { openapi } from '../../src/openapi/index.js'
import { majors } from '../middleware/majors.js'

const targets = (members: Readonly<Record<string, object>>) =>
  defineResource({
    collection: 'targets',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...members } },
  })
const plain = targets({})
const addressed = targets({ href: { type: ['string', 'null'] } })

const given = [
  { id: 1 },
  { id: 1, href: null },
  { id: 1, href: 5 },
  { id: 1, href: {} },
  { id: '1', href: '/v1/targets/1' },
  { href: '/v1/targets/1' },
  { href: null },
  { href: 5 },
  {},
]

describe.each(majors)('REP-7: a reference in a body (%s)', (_name, framework) => {
  it.each([
    ['a target without a member "href"', plain],
    ['a target with a member "href"', addressed],
  ])('is accepted if and only if the document allows it: %s', async (_target, target) => {
    const sources = defineResource({
      collection: 'sources',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id', 'targetId'],
        properties: { id: { type: 'integer' }, targetId: { type: 'integer' } },
      },
      links: { target: { to: target, by: 'targetId' } },
    })
    const service = api({
      versions: {
        v1: [mount(target, memoryAdapter(target, { records: [{ id: 1 }] })), mount(sources, memoryAdapter(sources))],
      },
    })
    const app = framework().use(service, problems())
    const { TargetReference } = openapi(service, 'v1', { info: { title: 't', version: '1' } }).components.schemas ?? {}
    const isValid = new Ajv2020({ strict: false }).compile(TargetReference as object)
    for (const [id, reference] of given.entries()) {
      const { status } = await request(app).post('/v1/sources').send({ id, target: reference })
      expect([reference, status]).toEqual([reference, isValid(reference) ? 201 : 422])
    }
  })
})

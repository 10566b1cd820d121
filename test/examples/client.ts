/**
 * Runs the example inside the test process, with a client that has all permissions for both APIs of
 * the service.
 */
import express from 'express'
import request from 'supertest'
import { type Access, openAccess } from '../../examples/pre-piezas/access.js'
import { sucursalesDescribed } from '../../examples/pre-piezas/resources/sucursales-described.js'
import { createService } from '../../examples/pre-piezas/service.js'
import type { Stores } from '../../examples/pre-piezas/store/stores.js'
import { tokenIssuer } from '../../src/auth/index.js'
import { describeStrictly } from '../../src/openapi/index.js'

const access: Access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas: 3 €' })

const publicSide = tokenIssuer({ key: access.key, audience: access.publicAudience })
const ofAna = publicSide({ ...access.find('ana')?.principal, sub: 'ana' })

export interface Client {
  readonly app: ReturnType<typeof request.agent>
  readonly ready: () => Promise<void>
}

/**
 * Creates a client whose requests carry the tokens of both APIs. Each API reads only its own token.
 */
export function client(stores: Stores, baseUrl?: string): Client {
  const { app, ready, apis } = createService(
    { ...(baseUrl === undefined ? {} : { baseUrl }), rateLimit: 0 },
    { stores, access, counters: { close() {} } },
  )
  // The OpenAPI documents describe every response of both APIs. `describeStrictly()` turns a
  // response that is not described into a 500 that says what is missing.
  const checked = express()
    .disable('x-powered-by')
    .use('/public', describeStrictly(apis.outside))
    .use(describeStrictly(apis.inside, { fragments: [sucursalesDescribed] }))
    .use(app)
  const agent = request
    .agent(checked)
    .set({ Authorization: `Bearer ${access.privateToken()}`, 'x-authorization-token': ofAna })
  return { app: agent, ready }
}

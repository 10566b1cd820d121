/** The service in the process of a test, and a client that may do everything on both sides of it. */
import request from 'supertest'
import { type Access, openAccess } from '../../examples/pre-piezas/access.js'
import { createService } from '../../examples/pre-piezas/service.js'
import type { Stores } from '../../examples/pre-piezas/store/stores.js'
import { tokenIssuer } from '../../src/auth/index.js'

const access: Access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas: 3 €' })

const publicSide = tokenIssuer({ key: access.key, audience: access.publicAudience })
const ofAna = publicSide({ ...access.find('ana')?.principal, sub: 'ana' })

export interface Client {
  readonly app: ReturnType<typeof request.agent>
  readonly ready: () => Promise<void>
}

/** What a client holds of tokens stands in every request: each side looks at its own. */
export function client(stores: Stores, baseUrl?: string): Client {
  const { app, ready } = createService(
    { ...(baseUrl === undefined ? {} : { baseUrl }), rateLimit: 0 },
    { stores, access, counters: { close() {} } },
  )
  const agent = request.agent(app).set({ Authorization: `Bearer ${access.privateToken()}`, 'x-authorization-token': ofAna })
  return { app: agent, ready }
}

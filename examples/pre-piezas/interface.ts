/**
 * The private API without its stores, for `npx express-rest-conventions openapi` and `mock`. These
 * commands use only the declarations, and call no adapter.
 */
import type { Api } from 'express-rest-conventions'
import { openAccess } from './access.js'
import { createService } from './service.js'
import { storesIn } from './store/stores.js'

const closed = (): never => {
  throw new Error('This module has no database. It only declares the resources.')
}

const stores = storesIn({ client: { query: closed }, transaction: closed, ask: closed, close: async () => {} })
const { apis } = createService({ rateLimit: 0 }, { stores, access: await openAccess({}), counters: { close() {} } })

export const api: Api = apis.inside

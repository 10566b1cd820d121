/** The APIs of the example, over stores that are never called. */
import { openAccess } from '../../examples/pre-piezas/access.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { storesIn } from '../../examples/pre-piezas/store/stores.js'
import type { Api } from '../../src/index.js'

const unused = (): never => {
  throw new Error('No document needs a store.')
}

/** The name, the API and the version of three documents of the example. */
export async function describedApis(): Promise<readonly (readonly [name: string, api: Api, version: string])[]> {
  const stores = storesIn({ client: { query: unused }, transaction: unused, ask: unused, close: async () => {} })
  const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
  const { apis } = createService(
    { baseUrl: 'https://api.example.com', rateLimit: 600 },
    { stores, access, counters: { close() {} } },
  )
  return [
    ['private-v1', apis.inside, 'v1'],
    ['private-v8', apis.inside, 'v8'],
    ['public-v1', apis.outside, 'v1'],
  ]
}

/** The adapter of examples/legacy, over the service's original store. */
import { describe, it } from 'vitest'
import type { Adapter, ResourceDefinition } from '../../src/index.js'
import { adapterSuite } from '../../src/testing/index.js'
import { folder, require } from './legacy-steps.js'

interface Delivery {
  id: number
  code: string
  recipient: string
  address: string
  status: string
  depot_id: number
}

const { adapterOf } = require(folder('step-6/adapter.cjs')) as {
  adapterOf: (table: unknown, unique: readonly string[]) => Adapter<Delivery, number>
}
const { openTable } = require(folder('store.cjs')) as { openTable: (rows: Iterable<unknown>) => unknown }
const { deliveriesTo, oldDepots } = require(folder('step-6/resources.cjs')) as {
  deliveriesTo: (depots: ResourceDefinition) => ResourceDefinition<Delivery, number>
  oldDepots: ResourceDefinition
}

const none = 'Deliveries are not attached to another resource.'
const suite = adapterSuite(({ records }) => adapterOf(openTable([...records]), ['code']), {
  without: { attach: none, detach: none, recall: 'The service has no Idempotency-Key.' },
  subject: {
    definition: deliveriesTo(oldDepots),
    records: Array.from({ length: 20 }, (_, at) => ({
      id: at + 1,
      code: `D-${20 - at}`,
      recipient: 'Ana',
      address: `Mitre ${at % 3}`,
      status: at % 2 === 0 ? 'open' : 'out',
      depot_id: 1 + (at % 3),
    })),
    change: (delivery, n) => ({ ...delivery, address: `Belgrano ${n}` }),
  },
})

describe('the adapter of the deliveries', () => {
  for (const check of suite) it(`${check.id}: ${check.title}`, check.run)
})

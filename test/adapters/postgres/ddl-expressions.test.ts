/** The DDL of members that SQL expressions compute. */
import { expect, it } from 'vitest'
import { tableDdl } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/index.js'

const orders = defineResource<{ id: number; client: string; total: number }>()({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      client: { type: 'string', readOnly: true },
      total: { type: 'integer', readOnly: true },
    },
  },
  sort: ['client', 'total'],
  filters: { client: true },
})

it('tableDdl() creates no index on an expression with a subquery, because PostgreSQL refuses such an index', () => {
  const ddl = tableDdl(orders, {
    table: 'orders',
    columns: {
      client: { expression: '(SELECT c.name FROM clients c WHERE c.id = client_id)' },
      total: { expression: 'price * amount' },
    },
  })
  const indexes = ddl.split('\n').filter((line) => line.startsWith('CREATE INDEX'))
  expect(indexes).toEqual([expect.stringContaining('price * amount')])
})

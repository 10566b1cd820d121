/**
 * Deliveries and depots as definitions: schema, filters, links and rules replace the hand-written
 * routes.
 */
const { defineResource } = require('express-rest-conventions')

const depotSchema = {
  type: 'object',
  required: ['name', 'city'],
  properties: {
    id: { type: 'integer', readOnly: true },
    name: { type: 'string' },
    city: { type: 'string' },
  },
}

exports.depots = defineResource({ collection: 'depots', key: 'id', schema: depotSchema })

/** The depots of version 1. The old clients use the singular in the path. */
exports.oldDepots = defineResource({
  collection: 'depot',
  key: 'id',
  schema: depotSchema,
  allow: { depot: 'the address that clients of version 1 have kept' },
})

const text = { type: 'string', minLength: 1 }

/** Both versions have the same deliveries, but the paths of the depots differ. */
exports.deliveriesTo = (depots) =>
  defineResource({
    collection: 'deliveries',
    key: 'id',
    assigned: true,
    schema: {
      type: 'object',
      required: ['code', 'recipient', 'address', 'depot_id'],
      properties: {
        id: { type: 'integer', readOnly: true },
        code: text,
        recipient: text,
        address: text,
        status: { type: 'string', enum: ['open', 'out', 'delivered', 'cancelled'], default: 'open' },
        depot_id: { type: 'integer' },
      },
    },
    filters: { status: true },
    sort: ['code'],
    page: { size: 50 },
    links: { depot: { to: depots, by: 'depot_id' } },
    rules: (_next, { current }) =>
      current?.status === 'cancelled' ? [{ member: 'status', detail: 'The delivery is already cancelled.' }] : [],
  })

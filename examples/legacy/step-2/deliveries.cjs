/**
 * Defines deliveries as a resource. The resource determines which query parameters the list
 * accepts.
 */
const { defineResource } = require('express-rest-conventions')

module.exports = defineResource({
  collection: 'deliveries',
  key: 'id',
  schema: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      code: { type: 'string' },
      recipient: { type: 'string' },
      address: { type: 'string' },
      status: { type: 'string' },
      depot: { type: 'string' },
    },
  },
  filters: { status: true },
  sort: ['code'],
  page: { size: 50 },
})

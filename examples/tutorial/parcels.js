// parcels.js
import { defineResource } from 'express-rest-conventions'

export const parcels = defineResource({
  collection: 'parcels',
  key: 'id',
  assigned: true, // the database assigns the ids
  schema: {
    type: 'object',
    required: ['recipient', 'weightGrams'],
    properties: {
      id: { type: 'integer', readOnly: true },
      recipient: { type: 'string', minLength: 1 },
      weightGrams: { type: 'integer', minimum: 1 },
      status: { type: 'string', enum: ['ready', 'sent', 'delivered'], default: 'ready' },
      createdAt: { type: 'string', format: 'date-time', readOnly: true },
    },
  },
  filters: { status: true, heavierThan: { field: 'weightGrams', op: 'gt' } },
  sort: ['createdAt', 'weightGrams'],
})

import express from 'express'
import { api, defineResource, mount, problems } from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'

const sucursales = defineResource({
  collection: 'sucursales',
  key: 'nomenclatura',
  schema: {
    type: 'object',
    required: ['nomenclatura', 'descripcion'],
    properties: { nomenclatura: { type: 'string' }, descripcion: { type: 'string' } },
  },
  filters: { descripcion: true }, // in TypeScript, a misspelt name does not compile
  sort: ['nomenclatura', 'descripcion'],
})

express()
  .use(api({ versions: { v1: [mount(sucursales, memoryAdapter(sucursales))], v0: 'retired' } }), problems())
  .listen(3000)

// service.js
import express from 'express'
import { api, mount, problems } from 'express-rest-conventions'
import { postgresAdapter } from 'express-rest-conventions/postgres'
import { pool } from './database.js'
import { parcels } from './parcels.js'

const adapter = postgresAdapter(pool, { table: 'parcels', columns: { createdAt: { write: false } } })
const service = api({ requireIfMatch: true, versions: { v1: [mount(parcels, adapter)] } })
await service.ready() // fails if the table does not match the resource

express()
  .use(service, problems())
  .listen(3000, 'localhost', (error) => {
    if (error) throw error // for example, another program uses the port
    console.log('Listening on http://localhost:3000/v1/parcels')
  })

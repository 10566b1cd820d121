/**
 * A process with PostgreSQL adapters over the tables of its parent process. It runs the adapter
 * methods that the parent process requests by messages. It uses the built library in `dist`.
 */
import pg from 'pg'
import { postgresAdapter } from '../../dist/adapters/postgres/index.js'
import * as resources from '../../dist/testing/index.js'

const pool = new pg.Pool({ connectionString: process.argv[2], max: 4 })
const definitions = new Map(
  Object.values(resources).flatMap((one) => (one?.collection === undefined ? [] : [[one.collection, one]])),
)
const adapters = new Map()

process.on('message', async ({ id, collection, options, method, args, call }) => {
  try {
    const name = JSON.stringify([collection, options])
    if (!adapters.has(name))
      adapters.set(name, postgresAdapter(pool, { ...options, resource: definitions.get(collection) }))
    const whole = { principal: undefined, requestId: 'peer', signal: new AbortController().signal, ...call }
    process.send({ id, result: await adapters.get(name)[method](...args, whole) })
  } catch (error) {
    process.send({ id, error: String(error?.cause ?? error) })
  }
})
process.on('disconnect', () => process.exit(0))

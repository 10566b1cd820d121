/**
 * Counts the cost of a request for each workload. This module runs in its own process. `node
 * <flags> process.js <library> <names>` prints the counts as JSON.
 */
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mountedRouters } from '../servers/library.js'
import { keysOf, makeSecrets } from '../workloads/keys.js'
import { allocated } from './allocation.js'
import type { Counts } from './budgets.js'
import type { Counted } from './count.js'
import { countCalls, events, prepareRandomness } from './events.js'
import { executed } from './executed.js'
import { Caller } from './in-process.js'
import { type PlantName, plantOf } from './planted.js'
import { repeat, type Work } from './repeat.js'
import { type CountedName, countedOf } from './workloads.js'

const [library, ...names] = process.argv.slice(2) as [string, ...Counted[]]
prepareRandomness()
const secrets = makeSecrets()
const keys = keysOf(secrets)

/** Creates a counted workload. Each workload has its own store. */
async function workOf(counted: Counted): Promise<Work> {
  const [name, planted] = counted.split('+') as [CountedName, PlantName?]
  const plant = plantOf(planted)
  const { status, secured = false, turns } = countedOf(name)
  const { secret, account } = secrets
  const setting = { server: 'mounted', checkout: library, database: undefined, secured, secret, account }
  const { pieces } = await mountedRouters(setting, (adapter) => countCalls(plant.adapter(adapter)))
  const noted = (error?: unknown): never => {
    throw error ?? new Error('No route handles the request.')
  }
  const handler: RequestListener = plant.handler((req, res) => {
    // Sets the properties that Express sets for a router that is mounted at /v1.
    Object.assign(req, { baseUrl: '/v1', url: req.url?.slice(3) })
    pieces(req, res, noted)
  })
  const caller = new Caller()
  const common: Record<string, string> = secured ? { authorization: `Bearer ${keys.token('*:read *:write')}` } : {}
  return { caller, handler, turn: await turns(caller.askerOf(handler), 0, keys), common, status }
}

async function count(work: Work): Promise<Counts> {
  // The warm-up is needed because V8 allocates memory for a function until its type feedback is
  // stable.
  await repeat(work, 60)
  globalThis.gc?.()
  const bytes = await allocated(work, 50)
  const seen = await events(work, 20)
  // The workload `item` repeats a cycle of 50 requests, and `page` a cycle of 10. So 50 requests
  // contain only whole cycles.
  return { bytes, ...(await executed(work, 50, pathToFileURL(join(library, 'dist/')).href)), ...seen }
}

const counts: Record<string, Counts> = {}
for (const name of names) counts[name] = await count(await workOf(name))
process.stdout.write(JSON.stringify(counts))

/**
 * Counts calls in a process: `node peer.mjs <redis url> <prefix> <calls>`. Writes the counts to
 * Redis every 20 ms. Prints `counted` after the last call, and exits when its standard input ends.
 */
import { createClient } from 'redis'
import { redisUsageStore, usage } from '../../dist/usage/index.js'

const [, , url, prefix, calls] = process.argv
const client = createClient({ url, socket: { reconnectStrategy: () => 50 } })
client.on('error', () => {})
await client.connect()
const store = redisUsageStore({ prefix, sendCommand: (...command) => client.sendCommand(command) })
const counts = usage({ store, interval: 20, storeTimeout: 100, onStoreFailure: () => {}, onStoreRecovery: () => {} })
for (let at = 0; at < Number(calls); at++) {
  counts.countCall({ version: 'v1', method: 'GET', route: '/orders', client: at % 2 ? 'billing' : 'web' })
  counts.countBreak({ clause: 'QUERY-8', method: 'GET', route: '/orders', detail: `p${at % 3}`, client: 'web' })
  if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
console.log('counted')
process.stdin.resume().on('end', async () => {
  await counts.close()
  process.exit()
})

/**
 * A process with its own service: `node peer.mjs <redis url> <prefix>`. Prints its port, and ends
 * when its standard input closes.
 */
import { createServer } from 'node:http'
import { RedisStore } from 'rate-limit-redis'
import { createClient } from 'redis'
import { rateLimit } from '../../dist/middleware/index.js'

const [, , url, prefix] = process.argv
const client = await createClient({ url }).connect()
const limit = rateLimit({
  limit: 25,
  store: (name) =>
    new RedisStore({ prefix: `${prefix}${name}:`, sendCommand: (...command) => client.sendCommand(command) }),
})
const server = createServer((req, res) => {
  limit(req, res, (error) => {
    res.statusCode = error === undefined ? 200 : error.status
    res.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', () => process.exit())

// A process with a server. It prints the port of the server, and ends on SIGTERM.
import { createServer } from '../../dist/server/index.js'

const server = createServer((_req, res) => res.end('served'))
process.on('SIGTERM', async () => {
  await server.shutdown()
  process.exit(0)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))

// A cluster of two such servers on one port; SIGTERM ends both at once.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from '../../dist/server/index.js'

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()]
  const ports = await Promise.all(workers.map((worker) => once(worker, 'message')))
  process.on('SIGTERM', async () => {
    for (const worker of workers) worker.process.kill('SIGTERM')
    const codes = await Promise.all(workers.map((worker) => once(worker, 'exit')))
    process.exit(codes.every(([code]) => code === 0) ? 0 : 1)
  })
  console.log(ports[0][0])
} else {
  const server = createServer((_req, res) => res.end('served'))
  process.on('SIGTERM', async () => {
    await server.shutdown()
    process.exit(0)
  })
  // Port 0 is the same for all workers of a cluster.
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
}

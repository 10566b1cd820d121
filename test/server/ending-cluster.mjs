// A cluster of two workers whose servers share one port. SIGTERM ends both workers, and SIGUSR2
// ends only the first worker.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from '../../dist/server/index.js'

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()]
  const ports = await Promise.all(workers.map((worker) => once(worker, 'message')))
  process.on('SIGTERM', async () => {
    const living = workers.filter((worker) => !worker.isDead())
    for (const worker of living) worker.process.kill('SIGTERM')
    const codes = await Promise.all(living.map((worker) => once(worker, 'exit')))
    process.exit(codes.every(([code]) => code === 0) ? 0 : 1)
  })
  process.on('SIGUSR2', async () => {
    workers[0].process.kill('SIGTERM')
    const [code] = await once(workers[0], 'exit')
    console.log(`exit ${code}`)
  })
  console.log(ports[0][0])
} else {
  const server = createServer((_req, res) => res.end('served'), { grace: 2_000 })
  process.on('SIGTERM', async () => {
    await server.shutdown()
    cluster.worker.disconnect()
  })
  // All workers of a cluster that listen on port 0 get the same port.
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
}

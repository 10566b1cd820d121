/** A port for our own servers. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port of the loopback interface on which no process listens at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Finds a port for the servers that tests start. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a port of the loopback interface on which no process listens at the moment. It is below
 * the ports that Linux, by default, gives to outgoing connections, so no outgoing connection can
 * take it before the server listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    const probe = createServer()
    try {
      await once(probe.listen(port, '127.0.0.1'), 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

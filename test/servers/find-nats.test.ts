import { connect } from '@nats-io/transport-node'
import { describe, expect, it } from 'vitest'
import { findNats } from './find-nats.js'
import { natsUrl } from './nats-streams.js'
import { ownNats } from './own-nats.js'

describe('finding a NATS server', () => {
  it('uses NATS_URL first, and reports what is wrong with it', async () => {
    const found = await findNats({ NATS_URL: natsUrl() })
    expect(found.line).toMatch(/^NATS \d+\.\d+\.\d+: NATS_URL\.$/)
    await found.release()
    await expect(findNats({ NATS_URL: 'nats://127.0.0.1:1' })).rejects.toThrow(/^NATS_URL is set, .*refused/)
  })

  it('ownNats() starts a server, which can be stopped and started again', async () => {
    const server = await ownNats()
    const ask = async () => {
      const connection = await connect({ servers: server.url, reconnect: false })
      const { jetstream } = connection.info ?? {}
      await connection.close()
      return jetstream
    }
    expect(await ask()).toBe(true)
    await server.kill()
    await expect(ask()).rejects.toThrow(/refused/)
    await server.start()
    expect(await ask()).toBe(true)
    await server.remove()
    await expect(ask()).rejects.toThrow(/refused/)
  })
})

import { once } from 'node:events'
import { createServer as nodeServer, request, Server } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { connect, createSecureContext, type TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createServer } from '../../src/server/index.js'
import { majors } from '../middleware/majors.js'
import { certificate } from './certificate.js'
import { port } from './serving.js'

const { key, cert } = certificate()

/** A TLS client that sends and receives bytes. */
async function secure(
  at: number,
): Promise<{ socket: TLSSocket; closed: Promise<string>; receives: (pattern: RegExp) => Promise<void> }> {
  const socket = connect({ port: at, host: '127.0.0.1', rejectUnauthorized: false })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(() => text)
  await once(socket, 'secureConnect')
  const receives = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) await once(socket, 'data')
  }
  return { socket, closed, receives }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

describe.each(majors)('https, on %s', (_, express) => {
  it('responds like https.createServer(), and creates requests with the prototypes of the app', async () => {
    const app = express()
    app.get('/a', (req, res) => void res.json([req.protocol, req.secure, req.hostname]))
    const ours = createServer(app, { tls: { key, cert }, keepAliveTimeout: 5_000 })
    expect(ours).toBeInstanceOf(Server)
    const born: boolean[] = []
    ours.prependListener('request', (req, res) =>
      born.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response),
    )
    const answers: string[] = []
    for (const server of [nodeServer({ key, cert }, app), ours]) {
      const { socket, closed } = await secure(await port(server))
      socket.write(get('/a') + get('/a').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
      answers.push((await closed).replaceAll(/^Date: .*\r\n/gm, ''))
    }
    expect(answers[1]).toBe(answers[0])
    expect(answers[0]).toMatch(/\["https",true,"x"\]$/)
    expect(born).toEqual([true, true, true, true])
  })

  it('selects its certificates by SNI', async () => {
    const asked: string[] = []
    const server = createServer(express(), {
      tls: {
        SNICallback: (name, done) => {
          asked.push(name)
          done(null, createSecureContext({ key, cert }))
        },
      },
    })
    const ask = request({
      port: await port(server),
      host: '127.0.0.1',
      servername: 'a.example',
      rejectUnauthorized: false,
    }).end()
    const [answer] = await once(ask, 'response')
    answer.resume()
    expect([answer.statusCode, asked]).toEqual([404, ['a.example']])
  })

  it('refuses plain HTTP, and encrypted bytes that are not HTTP', async () => {
    const at = await port(createServer(express(), { tls: { key, cert } }))
    const { socket, closed } = await secure(at)
    socket.write('what\r\n\r\n')
    expect(await closed).toMatch(/^HTTP\/1\.1 400 Bad Request[\s\S]*application\/problem\+json[\s\S]*"bad-request"/)
    const plain = connectPlain(at, '127.0.0.1')
    plain.write(get('/'))
    plain.on('error', () => {})
    let text = ''
    plain.on('data', (data) => {
      text += data.toString('latin1')
    })
    await once(plain, 'close')
    expect(text).not.toMatch(/HTTP/)
  })

  it('shutdown() closes idle and silent connections, and lets requests in flight complete', async () => {
    const app = express()
    let answer = (): void => {}
    const arrived = new Promise<void>((resolve) => {
      app.get('/later', (_req, res) => {
        answer = () => void res.send('later')
        resolve()
      })
    })
    app.get('/now', (_req, res) => void res.send('now'))
    const server = createServer(app, { tls: { key, cert }, grace: 20_000 })
    const at = await port(server)
    const [idle, busy, silent] = [await secure(at), await secure(at), await secure(at)]
    const bare = connectPlain(at, '127.0.0.1').on('error', () => {})
    bare.resume()
    idle.socket.write(get('/now'))
    busy.socket.write(get('/later'))
    await Promise.all([idle.receives(/now$/), arrived])
    const done = server.shutdown()
    expect(await idle.closed).toMatch(/now$/)
    expect(await silent.closed).toBe('')
    if (!bare.closed) await once(bare, 'close')
    answer()
    expect(await busy.closed).toMatch(/Connection: close[\s\S]*later$/)
    expect(await done).toEqual({ destroyed: 0 })
  })

  it('shutdown() aborts the remaining connections after the grace period, and counts each once', async () => {
    const app = express()
    const arrived = new Promise<void>((resolve) => {
      app.get('/never', () => resolve())
    })
    const server = createServer(app, { tls: { key, cert } })
    const { socket, closed } = await secure(await port(server))
    socket.write(get('/never'))
    await arrived
    expect(await server.shutdown({ grace: 50 })).toEqual({ destroyed: 1 })
    expect(await closed).toBe('')
  })
})

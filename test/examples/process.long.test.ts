import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as send } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { asOperator, start } from './running.js'

const shell = (line: string) => JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }))

describe('the process of the example', () => {
  it('prints curl commands that work in a shell, and on SIGTERM responds to the request in flight', async () => {
    const { child, ended, listening } = start({ SEED_SIZE: '200' })
    const [first = '', token = '', list = '', item = '', patch = '', account = '', docs = ''] = await listening
    const base = /^listening on (http:\/\/localhost:[0-9]+)$/.exec(first)?.[1] ?? ''
    expect(base).not.toBe('')
    expect(token).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(shell(list)).toHaveLength(2)
    expect(shell(item).contrato.descripcion).toBeTypeOf('string')
    expect(shell(patch).lote).toBe('L-0002')
    const addresses = /^docs: (http:\S+), public side (http:\S+)$/.exec(docs)?.slice(1) ?? []
    expect(addresses).toEqual([`${base}/v8/docs`, `${base}/public/v1/docs`])
    for (const address of addresses)
      expect((await fetch(address)).headers.get('content-type')).toBe('text/html; charset=utf-8')
    const [, user, password] = /^public user (\S+), password (\S+): GET http:\S+\/public\/login$/.exec(account) ?? []
    const login = await fetch(`${base}/public/login`, {
      headers: { Authorization: `Basic ${btoa(`${user}:${password}`)}` },
    })
    expect([login.status, await login.text()]).toEqual([200, ''])
    const publicToken = login.headers.get('x-authorization-token') as string
    expect(
      (await fetch(`${base}/public/v1/pre-piezas/1`, { headers: { 'x-authorization-token': publicToken } })).status,
    ).toBe(200)

    // Leaves one keep-alive connection idle. On another connection, sends a request whose body is
    // not complete yet.
    const agent = new Agent({ keepAlive: true })
    const idle = send(`${base}/v8/pre-piezas/1`, { agent, headers: asOperator }).end()
    const [answer] = await once(idle, 'response')
    answer.resume()
    await once(answer, 'end')
    const body = JSON.stringify({ codigo: 9999, ciudad: 'Última', idCiudad: 1, idPais: 54, idProvincia: 1 })
    const slow = send(`${base}/v8/codigos-postales`, {
      method: 'POST',
      agent: new Agent({ keepAlive: true }),
      headers: { ...asOperator, 'Content-Type': 'application/json', Expect: '100-continue' },
    })
    slow.flushHeaders()
    await once(slow, 'continue')
    slow.write(body.slice(0, 10))
    child.kill('SIGTERM')
    await refused(base)
    child.kill('SIGINT') // Under npm, one Ctrl-C sends the signal twice.
    slow.end(body.slice(10))
    const [created] = await once(slow, 'response')
    created.resume()
    expect(created.statusCode).toBe(201)
    expect(await ended).toEqual({ code: 0, stderr: '' })
  })

  it('works without data, and uses BASE_URL if it is set', async () => {
    const { child, ended, listening } = start({ SEED_SIZE: '0', BASE_URL: 'https://api.example.com/private/' })
    const [first, , ...lines] = await listening
    expect(first).toBe('listening on https://api.example.com/private')
    expect(lines).toHaveLength(5)
    for (const line of lines.slice(0, 3)) expect(line).toMatch(/^curl .*'https:\/\/api\.example\.com\/private\/v8\//)
    child.kill('SIGINT')
    expect((await ended).code).toBe(0)
  })

  it('prints one line and exits with 1 if a setting is invalid or the port is taken', async () => {
    expect(await start({ SEED_SIZE: 'many' }).ended).toEqual({
      code: 1,
      stderr: 'SEED_SIZE is "many": give an integer from 0 to 100000.\n',
    })
    const taken = createServer().listen(0)
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const { code, stderr } = await start({ PORT: String(port), SEED_SIZE: '0' }).ended
    taken.close()
    expect([code, stderr]).toEqual([1, `Port ${port} is in use: set PORT to another, or to 0 for a free one.\n`])
  })
})

/** Resolves when the service accepts no more connections. */
async function refused(base: string): Promise<void> {
  for (;;) {
    const probe = send(`${base}/v8/pre-piezas/1`, { agent: false, headers: asOperator }).end()
    const open = await once(probe, 'response').then(
      ([response]) => {
        response.resume()
        return true
      },
      () => false,
    )
    if (!open) return
  }
}

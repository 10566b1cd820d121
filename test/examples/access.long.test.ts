/**
 * Access control of the example, which runs as a process. The test, not the example, signs the
 * tokens for the private API.
 */
import jsonwebtoken from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ownRedis } from '../servers/own-redis.js'
import { startProxy } from '../servers/proxy.js'
import { type Running, secret, start } from './running.js'

const now = () => Math.floor(Date.now() / 1000)
const tokenOf = (scope: string, more: object = {}) =>
  jsonwebtoken.sign({ sub: 'lector', exp: now() + 600, scope, ...more }, secret)
const get = (address: string, token: string, init: RequestInit = {}) =>
  fetch(address, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
  })

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the members that it reads
const jsonOf = async (answer: Response): Promise<any> => answer.json()

async function end({ child, ended }: Running): Promise<{ code: number | null; stderr: string }> {
  child.kill('SIGTERM')
  return ended
}

describe('the private API', () => {
  const running = start({ SEED_SIZE: '50', PUBLIC_USER: 'ana', PUBLIC_PASSWORD: 'pa:ss €' })
  let base: string
  beforeAll(async () => {
    base = await running.base
    // The service starts an embedded database, which is slow on a busy machine.
  }, 60_000)
  afterAll(() => end(running))

  it('AUTH-1, AUTH-5: accepts only JWTs that are valid and are signed with HS256 and TOKEN_SECRET', async () => {
    expect((await get(`${base}/v8/pre-piezas?limit=1`, tokenOf('*:read'))).status).toBe(200)
    expect((await fetch(`${base}/v8/pre-piezas`)).status).toBe(401)
    for (const token of [
      jsonwebtoken.sign({ sub: 'x', scope: '*:read' }, secret),
      tokenOf('*:read', { exp: now() - 1 }),
      tokenOf('*:read', { nbf: now() + 60 }),
      tokenOf('*:read', { aud: 'public' }),
      jsonwebtoken.sign({ sub: 'x', scope: '*:read', exp: now() + 60 }, `${secret}!`),
      jsonwebtoken.sign({ sub: 'x', scope: '*:read', exp: now() + 60 }, secret, { algorithm: 'HS512' }),
      jsonwebtoken.sign({ sub: 'x', scope: '*:read', exp: now() + 60 }, null, { algorithm: 'none' }),
    ]) {
      expect((await get(`${base}/v8/pre-piezas`, token)).status).toBe(401)
    }
  })

  it('AUTH-4: a caller without read permission for contracts gets no contract data, even by expansion', async () => {
    const all = tokenOf('*:read')
    const piece = await jsonOf(await get(`${base}/v8/pre-piezas/1?expand=contrato`, all))
    const { codigoDeContratoInterno: code, descripcion, iditg, cliente } = piece.contrato
    const known = await get(`${base}/v8/contratos/${code}`, all)
    const listed = await get(`${base}/v8/contratos`, all)
    const client = new URL(cliente.href).pathname
    const reader = tokenOf('pre-piezas:read clientes:read componentes:read')
    const seen: string[] = []
    for (const [path, headers] of [
      ['/v8/pre-piezas'],
      ['/v8/pre-piezas/1'],
      ['/v8/pre-piezas?expand=contrato'],
      ['/v8/pre-piezas/1?expand=contrato'],
      ['/v8/contratos'],
      [`/v8/contratos/${code}`],
      [`/v8/contratos/${code}`, { 'If-None-Match': known.headers.get('etag') ?? '' }],
      ['/v8/contratos', { 'If-None-Match': listed.headers.get('etag') ?? '' }],
      [`/v8/contratos/${code}/activo`],
      [`${client}/contratos`],
      [`${client}/contratos/${code}`],
      [`/v8/search?q=${encodeURIComponent(descripcion)}`],
      [`/v1/contratos/${code}`],
    ] as const) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const answer = await get(base + path, reader, {
          method,
          redirect: 'manual',
          ...(headers === undefined ? {} : { headers }),
        })
        seen.push(await answer.text())
        if (!path.includes('contratos')) continue
        expect([method, path, answer.status, answer.headers.get('x-total-count'), answer.headers.get('etag')]).toEqual([
          method,
          path,
          403,
          null,
          null,
        ])
      }
    }
    for (const word of [descripcion, iditg]) expect(seen.join('\n')).not.toContain(word)
    expect((await jsonOf(await get(`${base}/v8/pre-piezas/1`, reader))).contrato).toEqual({
      href: `${base}/v8/contratos/${code}`,
    })
    expect((await get(`${base}/v8/pre-piezas/1?expand=contrato`, reader)).status).toBe(403)
    expect((await get(`${base}/v8/sucursales`, reader)).status).toBe(403)
    const removal = await get(`${base}/v8/pre-piezas/1`, reader, { method: 'DELETE' })
    expect([removal.status, removal.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('AUTH-2, AUTH-3: the public API requires a login, and its token does not work for the private API', async () => {
    const basic = (text: string) => ({ headers: { Authorization: `Basic ${Buffer.from(text).toString('base64')}` } })
    const login = await fetch(`${base}/public/login`, basic('ana:pa:ss €'))
    expect([login.status, await login.text(), login.headers.get('cache-control')]).toEqual([200, '', 'no-store'])
    const token = login.headers.get('x-authorization-token') as string
    const asPublic = { headers: { 'x-authorization-token': token } }
    expect((await fetch(`${base}/public/v1/pre-piezas/1`, asPublic)).status).toBe(200)
    expect((await fetch(`${base}/public/v1/pre-piezas/1`)).status).toBe(401)
    expect(
      (await fetch(`${base}/public/v1/pre-piezas/1`, { headers: { 'x-authorization-token': tokenOf('*:read') } }))
        .status,
    ).toBe(401)
    expect((await get(`${base}/v8/pre-piezas/1`, token)).status).toBe(401)
    expect((await fetch(`${base}/public/login`, basic('ana:no'))).status).toBe(401)
    expect((await fetch(`${base}/public/login`, basic('eva:no'))).status).toBe(401)
  })
})

describe('the output of the process', () => {
  it('ERR-3: contains no secret of the service, and no password or token that requests contain', async () => {
    const running = start({ SEED_SIZE: '1', PUBLIC_USER: 'ana', PUBLIC_PASSWORD: 'hunter2-hunter2' })
    const lines = (await running.listening).join('\n')
    const base = await running.base
    let output = ''
    running.child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    const token = tokenOf('*:read', { exp: 1 })
    for (const value of [
      `Bearer ${token}`,
      `Basic ${btoa('ana:hunter2-hunter2')}`,
      `Basic ${btoa('ana:wrong-password')}`,
    ]) {
      for (const path of ['/v8/pre-piezas', '/public/login', '/public/v1/pre-piezas/1']) {
        const answer = await fetch(base + path, { headers: { Authorization: value, 'x-authorization-token': token } })
        output += await answer.text()
      }
    }
    const { stderr } = await end(running)
    for (const word of [token, secret, 'hunter2-hunter2', 'wrong-password', btoa('ana:hunter2-hunter2')])
      expect(lines + output + stderr).not.toContain(word)
  })

  it('is one line if TOKEN_SECRET is too short', async () => {
    const { code, stderr } = await start({ TOKEN_SECRET: 'hunter2' }).ended
    expect([code, stderr]).toEqual([
      1,
      'TOKEN_SECRET is shorter than 32 bytes: give a random one, such as the output of: openssl rand -base64 32\n',
    ])
  })
})

describe('the rate limit', () => {
  const counted = async (bases: readonly string[], times: number, token: string) => {
    const answers = await Promise.all(
      Array.from({ length: times }, (_, i) => get(`${bases[i % bases.length]}/v8/pre-piezas/1`, token)),
    )
    return answers.map(({ status }) => status)
  }

  it('LIMIT-1: is shared by two processes over one Redis, and works again after an outage of Redis', async () => {
    const redis = await ownRedis()
    const env = { SEED_SIZE: '1', RATE_LIMIT: '20', REDIS_URL: redis.url }
    const both = [start(env), start(env)]
    const bases = await Promise.all(both.map(({ base }) => base))
    const statuses = await counted(bases, 60, tokenOf('*:read', { sub: 'uno' }))
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([20, 40])
    const over = await get(`${bases[1]}/v8/pre-piezas/1`, tokenOf('*:read', { sub: 'uno' }))
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await get(`${bases[1]}/v8/pre-piezas/1`, tokenOf('*:read', { sub: 'dos' }))).status).toBe(200)

    await redis.kill()
    expect(new Set(await counted(bases, 60, tokenOf('*:read', { sub: 'tres' })))).toEqual(new Set([200]))
    await redis.start()
    await expect
      .poll(
        async () =>
          (await get(`${bases[0]}/v8/pre-piezas/1`, tokenOf('*:read', { sub: 'cuatro' }))).headers.get('ratelimit'),
        {
          timeout: 15_000,
        },
      )
      .not.toBeNull()
    for (const one of both) {
      const { code, stderr } = await end(one)
      expect(code).toBe(0)
      // The log usually reports one outage. On a busy machine, it can report two while Redis
      // restarts.
      expect([1, 2]).toContain(stderr.match(/^private: The store of rateLimit\(\) is down/gm)?.length)
    }
    await redis.remove()
  })

  it.each([
    ['that stops responding', false],
    ['that does not respond when the service starts', true],
  ])('LIMIT-1: a Redis connection %s is replaced, and the log says how long limits were off', async (_, atStart) => {
    const redis = await ownRedis()
    const proxy = await startProxy({ port: redis.port })
    onTestFinished(async () => {
      await proxy.close()
      await redis.remove()
    })
    const token = tokenOf('*:read')
    if (atStart) proxy.silence()
    const one = start({ SEED_SIZE: '1', RATE_LIMIT: '20', REDIS_URL: proxy.through(redis.url) })
    onTestFinished(() => void one.child.kill())
    const base = await one.base
    const isCounted = async () => (await get(`${base}/v8/pre-piezas/1`, token)).headers.has('ratelimit')
    if (!atStart) {
      expect(await isCounted()).toBe(true)
      proxy.silence()
    }
    expect(await isCounted()).toBe(false)
    proxy.endSilence()
    // Reconnecting takes two or three seconds on an idle machine. With TCP's own timeouts it would
    // take a quarter of an hour.
    await expect.poll(isCounted, { timeout: 10_000, interval: 250 }).toBe(true)
    const { code, stderr } = await end(one)
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^private: Rate limits were off for \d+(\.\d)? seconds?, because the store of rateLimit\(\) was down\.$/m,
    )
  })

  it('LIMIT-1: does not prevent the service from starting while Redis is down', async () => {
    const redis = await ownRedis({ started: false })
    const one = start({ SEED_SIZE: '1', RATE_LIMIT: '1', REDIS_URL: redis.url })
    expect(new Set(await counted([await one.base], 5, tokenOf('*:read')))).toEqual(new Set([200]))
    expect((await end(one)).code).toBe(0)
    await redis.remove()
  })
})

/**
 * During a rolling upgrade, two releases share one database and one Redis (SUPPORT.md). This
 * release accepts what the previous release stored or sent, and the previous release accepts what
 * this release stores and sends. Release 0.1 wrote `0.1.json`.
 *
 * To change a format, keep the file of the previous release. First publish a release that accepts
 * both forms and still sends the old form. The next release sends the new form. Write the file of
 * that release, for example with `RELEASE_FORMATS=0.2 npx vitest run test/releases`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkPassword, hashPassword } from '../../src/auth/index.js'
import { issuing, service, version } from './service.js'

/** The values that one release stored and sent. */
interface Formats {
  /** The cursors (`after`) in the links `next` and `prev` of lists. */
  readonly hints: Readonly<Record<string, { readonly next?: string; readonly prev?: string }>>
  /**
   * The part of an entity tag that `If-Match` compares, for each way in which a table keeps the
   * versions of its rows. The tests replace `{xmin}` with the `xmin` of the row.
   */
  readonly versions: { readonly column: string; readonly digest: string; readonly xmin: string }
  /** The row that a POST with an Idempotency-Key stores, without its time and version. */
  readonly idempotency: { readonly id: string; readonly fingerprint: string; readonly record: string }
  /** The keys in Redis that count requests and failed logins, without their prefix. */
  readonly limits: readonly string[]
  /**
   * Two tokens that were issued at 2026-01-01T00:00:00Z: one is valid for an hour, and one for a
   * century.
   */
  readonly tokens: { readonly hour: string; readonly century: string }
  readonly passwordHash: string
}

const previousFile = new URL('0.1.json', import.meta.url)
const writing = process.env.RELEASE_FORMATS
const fixture = writing === undefined ? (JSON.parse(readFileSync(previousFile, 'utf8')) as Formats) : undefined

const password = 'correct horse battery staple'
const lists = [
  'sort=texto,-cuando&limit=2&offest=2',
  'sort=-peso&limit=2&offest=2',
  'texto=t1&texto=t0&desde=2026-01-02T00:00:00&sort=cuando&limit=1&offest=2',
]
const posted = { body: { texto: 'nuevo', cuando: '2026-02-03T10:00:00', peso: 1.5 }, key: 'a-key-of-tests' }
const claims = { sub: 'ana', scope: '*:read *:write' }
/** A user name that is too long to be part of a key in Redis unchanged. */
const longName = `${'n'.repeat(80)}@example`

let served: Awaited<ReturnType<typeof service>>
let token: string
beforeAll(async () => {
  served = await service(fixture?.passwordHash ?? (await hashPassword(password)))
  token = fixture?.tokens.century ?? at2026(() => issuing(100 * 365 * 86_400)(claims))
})
afterAll(() => served.close())

function at2026<R>(work: () => R): R {
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 1))
  try {
    return work()
  } finally {
    now.mockRestore()
  }
}

const bearing = (text = token) => ({ Authorization: `Bearer ${text}` })
const basic = (secret: string) => ({ Authorization: `Basic ${Buffer.from(`ana:${secret}`).toString('base64')}` })
const get = (path: string, headers: Record<string, string> = {}) =>
  served.send('GET', path, { ...bearing(), ...headers })
const post = (body: unknown, idempotencyKey: string) =>
  served.send(
    'POST',
    '/v1/pedidos',
    { ...bearing(), 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    JSON.stringify(body),
  )
const xmin = async () => String((await served.sql("SELECT xmin::text AS x FROM lotes WHERE id = 'a'"))[0]?.x)

async function cursorsOf(query: string) {
  const { headers, status } = await get(`/v1/pedidos?${query}`)
  expect(status).toBe(200)
  const found = [...String(headers.link).matchAll(/<([^>]*)>; rel="(next|prev)"/g)].map(([, url = '', rel = '']) => [
    rel,
    new URL(url).searchParams.get('after'),
  ])
  return Object.fromEntries(found) as { next?: string; prev?: string }
}

async function versionOf(collection: string, id: string): Promise<string> {
  const { headers } = await get(`/v1/${collection}/${id}`)
  return String(headers.etag)
    .slice(1)
    .replace(/\.[^.]*$/, '')
}

async function stored() {
  const rows = await served.sql('SELECT id, fingerprint, record FROM idempotency_keys ORDER BY expires_at DESC LIMIT 1')
  return rows[0] as Formats['idempotency']
}

const limitKeys = async () =>
  (await served.redis.keys(`${served.prefix}*`)).map((name) => name.slice(served.prefix.length)).sort()

/** Sends a request of each kind that is counted. */
async function sendCounted() {
  await get('/v1/notas')
  await served.send(
    'GET',
    '/v1/notas',
    bearing(at2026(() => issuing(100 * 365 * 86_400)({ ...claims, sub: longName }))),
  )
  await served.send('PATCH', '/v1/notas/none', { ...bearing(), 'Content-Type': 'application/json' }, '{}')
  await served.send('GET', '/v1/notas', { 'X-Forwarded-For': '2001:db8:1:2:3:4:5:6' })
  expect((await served.send('GET', '/login', { ...basic('wrong'), 'X-Forwarded-For': '192.0.2.7' })).status).toBe(401)
}

async function produced(): Promise<Formats> {
  const cursors: Record<string, { next?: string; prev?: string }> = {}
  for (const query of lists) cursors[query] = await cursorsOf(query)
  const versions = {
    column: await versionOf('pedidos', '1'),
    digest: await versionOf('notas', 'a'),
    xmin: (await versionOf('lotes', 'a')).replace(await xmin(), '{xmin}'),
  }
  expect((await post(posted.body, posted.key)).status).toBe(201)
  const idempotency = await stored()
  for (const name of await limitKeys()) await served.redis.del(served.prefix + name)
  await sendCounted()
  const tokens = {
    hour: at2026(() => issuing(3600)(claims)),
    century: at2026(() => issuing(100 * 365 * 86_400)(claims)),
  }
  return {
    hints: cursors,
    versions,
    idempotency,
    limits: await limitKeys(),
    tokens,
    passwordHash: await hashPassword(password),
  }
}

it.runIf(writing !== undefined)('writes the formats of this release', async () => {
  writeFileSync(new URL(`${writing}.json`, import.meta.url), `${JSON.stringify(await produced(), undefined, 2)}\n`)
})

describe.runIf(fixture !== undefined)('this release produces the same formats as the previous release', () => {
  const formats = fixture as Formats
  let now: Formats
  beforeAll(async () => {
    now = await produced()
  })

  it.each([
    ['the cursors', 'hints'],
    ['the versions in entity tags', 'versions'],
    ['the stored row of a POST with an Idempotency-Key', 'idempotency'],
    ['the Redis keys of the counts', 'limits'],
    ['tokens', 'tokens'],
  ] as const)('%s', (_, name) => {
    expect(now[name]).toEqual(formats[name])
  })

  it('password hashes', async () => {
    const form = (hash: string) => hash.replace(/\$[\w+/]{22}\$[\w+/]{43}$/, '$salt$hash')
    expect(form(now.passwordHash)).toBe(form(formats.passwordHash))
    expect(form(now.passwordHash)).toMatch(/^\$scrypt\$ln=\d+,r=8,p=\d\$salt\$hash$/)
  })
})

describe.runIf(fixture !== undefined)('this release accepts what the previous release produced', () => {
  const formats = fixture as Formats

  it.each(lists)('QUERY-7: the cursors of %s', async (query) => {
    await served.sql('DELETE FROM pedidos WHERE numero >= 100')
    const page = Number(/offest=(\d)/.exec(query)?.[1])
    const cursors = formats.hints[query] ?? {}
    expect(Object.keys(cursors)).toEqual(['prev', 'next'])
    for (const [to, cursor] of [
      [page + 1, cursors.next],
      [page - 1, cursors.prev],
    ] as const) {
      const address = `/v1/pedidos?${query.replace(/offest=\d/, `offest=${to}`)}`
      const there = await get(`${address}&after=${cursor}`)
      expect(there.status).toBe(200)
      expect(there.json).toEqual((await get(address)).json)
      expect(there.json.length ?? there.json.items?.length).toBeGreaterThan(0)
    }
  })

  it.each([
    ['pedidos', '1', () => formats.versions.column],
    ['notas', 'a', () => formats.versions.digest],
    ['lotes', 'a', async () => formats.versions.xmin.replace('{xmin}', await xmin())],
  ] as const)('HDR-3: the entity tags of %s in If-Match', async (collection, id, given) => {
    if (collection !== 'lotes') await served.sql(`UPDATE ${collection} SET version = '${version}'`)
    const patch = async (tag: string) =>
      served.send(
        'PATCH',
        `/v1/${collection}/${id}`,
        { ...bearing(), 'Content-Type': 'application/json', 'If-Match': tag },
        JSON.stringify({ texto: 'otra' }),
      )
    // `0-other` stands for a digest that another deployment computed. `If-Match` compares only the
    // version.
    const tag = `"${await given()}.0-other"`
    expect((await patch('"none.0-other"')).status).toBe(412)
    expect((await patch(tag)).status).toBe(200)
    expect((await patch(tag)).status).toBe(412)
    if (collection === 'notas') await served.sql("UPDATE notas SET texto = 'una'")
  })

  it('VERB-12: the row of a POST with an Idempotency-Key, so that a retry gets the stored response', async () => {
    const { id, fingerprint, record } = formats.idempotency
    await served.sql(`DELETE FROM idempotency_keys;
      INSERT INTO idempotency_keys VALUES ('${id}', '${fingerprint}', '${record}', '${version}', now() + interval '1 hour')`)
    const rows = async () => (await served.sql('SELECT count(*)::int AS n FROM pedidos'))[0]?.n
    const before = await rows()
    const repeated = await post(posted.body, posted.key)
    expect(repeated.status).toBe(201)
    expect(repeated.headers.location).toBe(`https://api.example/v1/pedidos/${JSON.parse(record).numero}`)
    expect(await rows()).toBe(before)
    expect((await post({ texto: 'otro' }, posted.key)).status).toBe(422)
  })

  it('LIMIT-1, AUTH-6: the counts of requests and of failed logins', async () => {
    for (const name of formats.limits) await served.redis.set(served.prefix + name, '1000', { PX: 60_000 })
    expect((await get('/v1/notas')).status).toBe(429)
    expect((await served.send('PATCH', '/v1/notas/a', bearing(), '{}')).status).toBe(429)
    expect((await served.send('GET', '/v1/notas', { 'X-Forwarded-For': '2001:db8:1:2:3:4:5:6' })).status).toBe(429)
    expect((await served.send('GET', '/login', { ...basic(password), 'X-Forwarded-For': '192.0.2.7' })).status).toBe(
      429,
    )
    await served.redis.del(formats.limits.map((name) => served.prefix + name))
  })

  it('AUTH-5: tokens, until they expire', async () => {
    expect((await get('/v1/notas', bearing(formats.tokens.century))).status).toBe(200)
    expect((await get('/v1/notas', bearing(formats.tokens.hour))).status).toBe(401)
  })

  it('AUTH-6: password hashes', async () => {
    expect((await served.send('GET', '/login', basic(password))).status).toBe(200)
    expect(await checkPassword('another', formats.passwordHash)).toBe(false)
  })
})

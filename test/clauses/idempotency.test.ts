/**
 * Tests retries of POSTs with an `Idempotency-Key` (VERB-12), on every store that keeps keys.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import { type ApiOptions, adapterView, api, defineResource, mount, resourceRouter } from '../../src/index.js'
import { crossOrigin } from '../../src/middleware/index.js'
import { freshSchema } from '../servers/databases.js'
import { lentPglite } from '../servers/pglite.js'
import { type Express, frameworks, listen, problem } from './fixture.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, estaActivo: { type: 'boolean', default: true } },
  },
})
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'numero',
  assigned: true,
  schema: {
    type: 'object',
    required: ['numero', 'texto'],
    properties: {
      numero: { type: 'integer' },
      texto: { type: 'string', maxLength: 200 },
      total: { type: ['number', 'null'] },
      cuando: { type: ['string', 'null'], format: 'local-date-time' },
      datos: { type: ['object', 'null'], additionalProperties: true },
      clienteId: { type: ['string', 'null'] },
      empresa: { type: ['integer', 'null'] },
    },
  },
  links: { cliente: { to: clientes, by: 'clienteId' } },
  attachedTo: [{ of: clientes, by: 'clienteId', as: 'pedidos' }],
  scope: (who: Who) => (who.empresa === undefined ? {} : { empresa: who.empresa }),
  rules: ({ texto }) => (forbidden.has(texto) ? [{ member: 'texto', detail: 'Not this text.' }] : []),
})
const lineas = defineResource({
  collection: 'lineas',
  key: 'id',
  parent: { of: clientes, by: 'clienteId' },
  schema: {
    type: 'object',
    required: ['id', 'clienteId'],
    properties: { id: { type: 'string' }, clienteId: { type: 'string' } },
  },
})
const pedidosV1 = defineResource({
  collection: 'pedidos',
  key: 'numero',
  assigned: true,
  schema: {
    type: 'object',
    required: ['numero', 'nota'],
    properties: { numero: { type: 'integer' }, nota: { type: 'string' } },
  },
})
/** The values of `texto` that the rules refuse. Tests add and remove values. */
const forbidden = new Set<string>()

interface Who {
  readonly sub?: string
  readonly empresa?: number
}

const whoAsks: ApiOptions['principal'] = (req) => {
  const name = req.headers['x-user'] ?? 'ana'
  const empresa = req.headers['x-empresa']
  return {
    ...(name === 'nameless' ? {} : { sub: String(name) }),
    ...(empresa === undefined ? {} : { empresa: Number(empresa) }),
  } as Who
}

interface Opened {
  /**
   * Returns the adapters of one service. With PostgreSQL, each call opens another connection pool
   * over the same data, as another process would.
   */
  adapters(): { clientes: never; pedidos: never; lineas: never }
  close(): Promise<void>
}

const hides = ['total', 'cuando', 'datos', 'clienteId', 'empresa']

function served(
  express: Express,
  { clientes: c, pedidos: p, lineas: l }: ReturnType<Opened['adapters']>,
  options: Partial<ApiOptions> = {},
) {
  const made = api({
    principal: whoAsks,
    onError: () => {},
    versions: {
      v2: [mount(clientes, c), mount(pedidos, p), mount(lineas, l)],
      v1: [mount(pedidosV1, adapterView(p, { rename: { nota: 'texto' }, hides }))],
    },
    ...options,
  } as ApiOptions)
  return listen(express().use(made))
}

const records = [
  { id: 'uno', estaActivo: true },
  { id: 'dos', estaActivo: true },
]

const inTables = {
  clientes: { resource: clientes, table: 'clientes', version: { column: 'version' } },
  pedidos: {
    resource: pedidos,
    table: 'pedidos',
    version: { column: 'version' },
    idempotency: { table: 'idempotency_keys' },
  },
  lineas: {
    resource: lineas,
    table: 'lineas',
    version: { column: 'version' },
    idempotency: { table: 'idempotency_keys' },
  },
} as const
const ddl =
  `${tableDdl(clientes, inTables.clientes)} ${tableDdl(pedidos, inTables.pedidos)} ` +
  `${tableDdl(lineas, inTables.lineas)} INSERT INTO clientes (id) VALUES ('uno'), ('dos');`

const stores: readonly (readonly [string, () => Promise<Opened>])[] = [
  [
    'memory',
    async () => {
      const all = {
        clientes: memoryAdapter(clientes, { records }),
        pedidos: memoryAdapter(pedidos, { idempotency: true }),
        lineas: memoryAdapter(lineas, { idempotency: { ttl: 60, max: 100 } }),
      }
      return { adapters: () => all as never, close: async () => {} }
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const place = await freshSchema()
      await place.sql(ddl)
      const pools: pg.Pool[] = []
      return {
        adapters() {
          const pool = new pg.Pool({ connectionString: place.url, max: 12 })
          pools.push(pool)
          return Object.fromEntries(
            Object.entries(inTables).map(([name, options]) => [name, postgresAdapter(pool, options as never)]),
          ) as never
        },
        async close() {
          await Promise.all(pools.map((pool) => pool.end()))
          await place.drop()
        },
      }
    },
  ],
  [
    'PGlite',
    async () => {
      const { client: db, release } = await lentPglite()
      await db.exec(ddl)
      const all = Object.fromEntries(
        Object.entries(inTables).map(([name, options]) => [name, postgresAdapter(db, options as never)]),
      )
      return { adapters: () => all as never, close: release }
    },
  ],
]

const whole = { Prefer: 'return=representation' }
let keys = 0
const newKey = (): string => `clave-${++keys}`

describe.each(frameworks)('VERB-12: Idempotency-Key on %s', (_framework, express) => {
  describe.each(stores)('keys kept by %s', (store, open) => {
    let opened: Opened
    let service: Awaited<ReturnType<typeof served>>
    let other: Awaited<ReturnType<typeof served>>
    beforeAll(async () => {
      opened = await open()
      service = await served(express, opened.adapters())
      other = await served(express, opened.adapters(), { baseUrl: service.origin })
      // The first PGlite starts slowly, especially on a busy machine.
    }, 60_000)
    afterAll(async () => {
      await service.close()
      await other.close()
      await opened.close()
    })
    const post = (body: unknown, headers: Record<string, string | string[]> = {}, path = '/v2/pedidos') =>
      service.send('POST', path, headers, body)
    const count = async (headers = {}): Promise<number> =>
      Number((await service.send('GET', '/v2/pedidos?limit=1', headers)).headers['x-total-count'])

    it('the same key with the same body gets the same response again, and no second record is created', async () => {
      const key = newKey()
      const before = await count()
      const body = {
        texto: 'ñ 👍 \u2028',
        total: 1.1,
        cuando: '0001-01-01T00:00:00.1234567',
        datos: { b: [1e21, -0.5, null, { '2': 1, '1': 2 }], a: 5e-324 },
      }
      const first = await post(body, { 'Idempotency-Key': key, ...whole })
      expect(first.status).toBe(201)
      const second = await post(body, { 'Idempotency-Key': `"${key}"`, ...whole })
      expect([second.status, second.text, second.headers.location, second.headers.etag]).toEqual([
        201,
        first.text,
        first.headers.location,
        first.headers.etag,
      ])
      const bare = await post(body, { 'Idempotency-Key': key })
      expect([bare.status, bare.text, bare.headers.location]).toEqual([201, '', first.headers.location])
      expect(await count()).toBe(before + 1)
      const read = await service.send('GET', new URL(first.headers.location as string).pathname)
      expect([read.text, read.headers.etag]).toEqual([first.text, first.headers.etag])
    })

    it('a retry can reorder members, and spell numbers and strings differently', async () => {
      const key = { 'Idempotency-Key': newKey() }
      const first = await post('{"texto":"uno","total":10,"datos":{"a":1,"b":[2]}}', key)
      const again = await post('{ "datos": {"b":[2.0],"a":1e0}, "total": 1.0e1, "te\\u0078to": "un\\u006f" }', key)
      expect([first.status, again.status, again.headers.location]).toEqual([201, 201, first.headers.location])
    })

    it('ERR-3: the same key with another body gets 422 idempotency-mismatch, and nothing is created', async () => {
      const key = { 'Idempotency-Key': newKey() }
      await post({ texto: 'uno' }, key)
      const before = await count()
      for (const body of [{ texto: 'dos' }, { texto: 'uno', total: null }, { texto: 'uno', datos: {} }]) {
        const answer = await post(body, key)
        expect(problem(answer)).toEqual({ status: 422, code: 'idempotency-mismatch', named: ['Idempotency-Key'] })
        expect(answer.json.clause).toBe('VERB-12')
      }
      expect(await count()).toBe(before)
      expect((await post({ texto: 'uno' }, key)).status).toBe(201)
    })

    it('a retry gets the record as created, even if the record was changed or deleted, or is now invalid', async () => {
      const key = { 'Idempotency-Key': newKey(), ...whole }
      const body = { texto: 'cambia', cliente: { id: 'uno' } }
      const first = await post(body, key)
      expect(first.status).toBe(201)
      const path = new URL(first.headers.location as string).pathname
      const same = async () => {
        const again = await post(body, key)
        expect([again.status, again.headers.location, again.json, again.headers.etag]).toEqual([
          201,
          first.headers.location,
          first.json,
          first.headers.etag,
        ])
      }
      expect((await service.send('PATCH', path, {}, { texto: 'cambiado' })).status).toBe(200)
      await same()
      expect((await service.send('GET', path)).json.texto).toBe('cambiado')
      expect((await service.send('DELETE', path)).status).toBe(204)
      await same()
      expect((await service.send('GET', path)).status).toBe(404)
      forbidden.add('cambia')
      await same()
      expect(problem(await post(body))).toMatchObject({ status: 422, code: 'invalid-body' })
      forbidden.clear()
    })

    it('a retry returns the created record even if the target of its link is gone', async () => {
      await service.send('POST', '/v2/clientes', {}, { id: 'va' })
      const body = { texto: 'enlaza', cliente: { id: 'va' } }
      const key = { 'Idempotency-Key': newKey(), ...whole }
      const first = await post(body, key)
      await service.send('DELETE', '/v2/clientes/va')
      const again = await post(body, key)
      expect([again.status, again.headers.location, again.json]).toEqual([201, first.headers.location, first.json])
      expect((await post(body)).status).toBe(422)
    })

    it('a refused request stores no key, so the next attempt with the key runs', async () => {
      const key = { 'Idempotency-Key': newKey() }
      expect((await post({ texto: 7 }, key)).status).toBe(422)
      forbidden.add('no')
      expect((await post({ texto: 'no' }, key)).status).toBe(422)
      forbidden.clear()
      expect(problem(await post({ texto: 'x', cliente: { id: 'nadie' } }, key)).status).toBe(422)
      expect((await post({ texto: 'si' }, key)).status).toBe(201)
    })

    it('a POST with the same key, but another caller, scope, parent, version or host, is a new request', async () => {
      const key = { 'Idempotency-Key': newKey() }
      const body = { texto: 'de quien' }
      const sent = [
        await post(body, key),
        await post(body, { ...key, 'X-User': 'eva' }),
        await post(body, { ...key, 'X-Empresa': '1' }),
        await post(body, { ...key, 'X-Empresa': '2' }),
        await post(body, key, '/v2/clientes/uno/pedidos'),
        await post(body, key, '/v2/clientes/dos/pedidos'),
        await post({ nota: 'de quien' }, key, '/v1/pedidos'),
        await post(body, { ...key, Host: 'otra.example' }),
      ]
      expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 201))
      const numbers = sent.map(({ headers }) => (headers.location as string).split('/').at(-1))
      expect(new Set(numbers).size).toBe(sent.length)
      // Each of these requests can be retried.
      expect((await post(body, { ...key, 'X-Empresa': '2' })).headers.location).toBe(sent[3]?.headers.location)
      expect((await post(body, key, '/v2/clientes/dos/pedidos')).headers.location).toBe(sent[5]?.headers.location)
    })

    it('PATH-7: in a contained collection, a retry gets the URL of the record below its parent', async () => {
      const key = { 'Idempotency-Key': newKey(), ...whole }
      const id = newKey()
      const first = await post({ id }, key, '/v2/clientes/uno/lineas')
      const again = await post({ id }, key, '/v2/clientes/uno/lineas')
      expect([first.status, again.status, again.headers.location, again.text]).toEqual([
        201,
        201,
        `${service.origin}/v2/clientes/uno/lineas/${id}`,
        first.text,
      ])
      // Below another parent, the same POST counts as a new request. It is refused because a record
      // with this id exists.
      expect(problem(await post({ id }, key, '/v2/clientes/dos/lineas')).code).toBe('duplicate')
      expect((await post({ id }, key, '/v2/clientes/nadie/lineas')).status).toBe(404)
    })

    it('VER-1: a retry through a view gets the member names of the view', async () => {
      const key = { 'Idempotency-Key': newKey(), ...whole }
      const first = await post({ nota: 'vieja' }, key, '/v1/pedidos')
      const again = await post({ nota: 'vieja' }, key, '/v1/pedidos')
      expect([again.status, again.json, again.headers.location]).toEqual([
        201,
        { numero: first.json.numero, nota: 'vieja' },
        first.headers.location,
      ])
      expect(problem(await post({ nota: 'otra' }, key, '/v1/pedidos')).code).toBe('idempotency-mismatch')
    })

    it('exactly one of 20 equal concurrent POSTs creates a record. The others get the same 201, or 503', async () => {
      for (const path of ['/v2/pedidos', '/v2/clientes/uno/pedidos']) {
        const before = await count()
        const headers = { 'Idempotency-Key': newKey(), Host: `127.0.0.1:${service.port}` }
        const body = { texto: `carrera ${path}` }
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? service : other).send('POST', path, headers, body)),
        )
        const made = answers.filter(({ status }) => status === 201)
        expect(new Set(made.map(({ headers }) => `${headers.location} ${headers.etag}`)).size).toBe(1)
        for (const { status, headers } of answers)
          if (status !== 201) expect([status, headers['retry-after']]).toEqual([503, '1'])
        expect(await count()).toBe(before + 1)
        expect((await service.send('POST', path, headers, body)).headers.location).toBe(made[0]?.headers.location)
      }
    })

    it('equal POSTs without the header create two records, and other methods ignore the header', async () => {
      const before = await count()
      const [one, two] = [await post({ texto: 'dos veces' }), await post({ texto: 'dos veces' })]
      expect(two.headers.location).not.toBe(one.headers.location)
      expect(await count()).toBe(before + 2)
      const path = new URL(one.headers.location as string).pathname
      const key = { 'Idempotency-Key': '""' }
      expect((await service.send('GET', path, key)).status).toBe(200)
      expect((await service.send('PATCH', path, key, { texto: 'a' })).status).toBe(200)
      expect((await service.send('DELETE', path, key)).status).toBe(204)
      // This resource stores no keys, so the header is ignored.
      expect((await service.send('POST', '/v2/clientes', key, { id: newKey() })).status).toBe(201)
    })

    if (store !== 'memory') return

    it.each([
      ['empty', ''],
      ['an empty string', '""'],
      ['an unclosed string', '"abc'],
      ['a quote inside', 'a"b'],
      ['a backslash', 'a\\b'],
      ['two keys in one field', 'abc, def'],
      ['two strings', '"abc", "def"'],
      ['a parameter', '"abc";v=1'],
      ['a space inside', 'abc def'],
      ['an invalid escape', '"a\\n"'],
      ['a byte outside ASCII', 'clav\u00e9'],
      ['256 characters', 'k'.repeat(256)],
      ['256 characters in quotes', `"${'k'.repeat(256)}"`],
      ['two fields', ['abc', 'abc']],
    ])('ERR-3: an invalid key (%s) gets a 400 that names the header, and nothing is created', async (_, value) => {
      const before = await count()
      const answer = await post({ texto: 'x' }, { 'Idempotency-Key': value })
      expect(problem(answer)).toEqual({ status: 400, code: 'malformed-idempotency-key', named: ['Idempotency-Key'] })
      expect([answer.json.clause, answer.json.errors[0].clause]).toEqual(['VERB-12', 'VERB-12'])
      expect(answer.json.detail).toMatch(
        /such as a UUID\. Put a key with spaces, commas or semicolons in double quotes/,
      )
      expect(await count()).toBe(before)
    })

    it.each([
      'k',
      'k'.repeat(255),
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
      'order:12/a=b@c+d',
      '"a, b;c \\"d\\" \\\\"',
      `"${'k'.repeat(255)}"`,
    ])('%s is accepted as a key', async (value) => {
      const body = { texto: newKey() }
      const [one, two] = [
        await post(body, { 'Idempotency-Key': value, 'X-User': value.slice(0, 9) + value.length }),
        await post(body, { 'Idempotency-Key': ` ${value}\t`, 'X-User': value.slice(0, 9) + value.length }),
      ]
      expect([one.status, two.status, two.headers.location]).toEqual([201, 201, one.headers.location])
    })

    it('a caller without a name cannot use keys, unless the option "idempotencyOwner" names the owner', async () => {
      const errors: unknown[] = []
      const onError = (error: unknown) => void errors.push(error)
      const strict = await served(express, opened.adapters(), { onError } as never)
      const key = { 'Idempotency-Key': newKey(), 'X-User': 'nameless' }
      expect((await strict.send('POST', '/v2/pedidos', key, { texto: 'x' })).status).toBe(500)
      expect(String((errors[0] as { error?: unknown }).error ?? errors[0])).toMatch(/idempotencyOwner/)
      // All callers with an empty name would share their keys.
      expect((await strict.send('POST', '/v2/pedidos', { ...key, 'X-User': '' }, { texto: 'x' })).status).toBe(500)
      expect((await strict.send('POST', '/v2/pedidos', { 'X-User': 'nameless' }, { texto: 'x' })).status).toBe(201)
      await strict.close()
      for (const [given, status] of [
        [() => 'tarjeta-1', 201],
        [() => '', 500],
        [() => undefined, 500],
        [() => Promise.resolve('a'), 500],
        [() => Promise.reject(new Error('later')), 500],
        [() => 7, 500],
      ] as const) {
        const reported = await served(express, opened.adapters(), { onError, idempotencyOwner: given } as never)
        const headers = { 'Idempotency-Key': newKey(), 'X-User': 'nameless' }
        const [one, two] = [
          await reported.send('POST', '/v2/pedidos', headers, { texto: 'x' }),
          await reported.send('POST', '/v2/pedidos', headers, { texto: 'x' }),
        ]
        expect([one.status, two.status], String(given)).toEqual([status, status])
        if (status === 201) expect(two.headers.location).toBe(one.headers.location)
        await reported.close()
      }
    })

    it('callers with equal principals share keys. A principal that cannot be compared causes a 500', async () => {
      const schema = {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, texto: { type: 'string' } },
      } as const
      const notas = defineResource({ collection: 'notas', key: 'id', assigned: true, schema })
      let principal: unknown
      const router = resourceRouter(notas, memoryAdapter(notas, { idempotency: true }), {
        onError: () => {},
        principal: () => principal,
      })
      const open = await listen(express().use('/v2', router))
      class Caller {
        readonly #name = 'ana'
        readonly role = this.#name.length
      }
      for (const [first, second, expected] of [
        [undefined, null, 'same'],
        [{ team: 'a', iat: 1, exp: 2 }, { exp: 9, team: 'a', jti: 'x' }, 'same'],
        [{ team: 'a' }, { team: 'b' }, 'another'],
        [{ team: 'a' }, undefined, 'another'],
        [{}, {}, 500],
        [{ sub: '' }, { sub: '' }, 500],
        [new Caller(), new Caller(), 500],
        [{ when: new Date(0) }, { when: new Date(0) }, 500],
        [{ who: () => 'ana' }, { who: () => 'eva' }, 500],
        [[], [], 500],
      ] as const) {
        const headers = { 'Idempotency-Key': newKey() }
        const answers = []
        for (principal of [first, second]) answers.push(await open.send('POST', '/v2/notas', headers, { texto: 'x' }))
        const [one, two] = answers.map(({ status, headers }) => [status, headers.location])
        const found = one?.[0] === 500 ? 500 : one?.[1] === two?.[1] ? 'same' : 'another'
        expect([first, found]).toEqual([first, expected])
      }
      await open.close()
    })

    it('AUTH-4: a caller without permission to create gets 403, even if its key is invalid', async () => {
      const closed = await served(express, opened.adapters(), {
        permission: (_who: unknown, action: string) => (action === 'create' ? 'forbidden' : 'allow'),
      } as never)
      expect((await closed.send('POST', '/v2/pedidos', { 'Idempotency-Key': '""' }, { texto: 'x' })).status).toBe(403)
      await closed.close()
    })

    it('if a mount requires a key, a request without a key gets 400 missing-idempotency-key', async () => {
      const adapters = opened.adapters()
      const required = await served(express, adapters, {
        versions: {
          v2: [mount(clientes, adapters.clientes), mount(pedidos, adapters.pedidos, { idempotencyKey: 'required' })],
        },
      } as never)
      for (const path of ['/v2/pedidos', '/v2/clientes/uno/pedidos']) {
        const answer = await required.send('POST', path, {}, { texto: 'x' })
        expect(problem(answer)).toEqual({ status: 400, code: 'missing-idempotency-key', named: ['Idempotency-Key'] })
        expect(answer.json.errors[0]).toMatchObject({ code: 'required', params: { member: 'Idempotency-Key' } })
        expect((await required.send('POST', path, { 'Idempotency-Key': newKey() }, { texto: 'x' })).status).toBe(201)
      }
      await required.close()
    })

    it('if the rules refuse a retry but the first request has just completed, the retry gets the record', async () => {
      const adapter = memoryAdapter(pedidos, { idempotency: true })
      let asked = 0
      // The first lookup of the retry finds nothing, as if the first request had not yet completed.
      const late = { ...adapter, recall: (call: never) => (asked++ === 2 ? undefined : adapter.recall?.(call)) }
      const one = await served(express, {
        clientes: memoryAdapter(clientes),
        pedidos: late,
        lineas: memoryAdapter(lineas),
      } as never)
      const key = { 'Idempotency-Key': newKey() }
      const first = await one.send('POST', '/v2/pedidos', key, { texto: 'tarde' })
      expect(asked).toBe(1)
      asked = 2
      forbidden.add('tarde')
      const again = await one.send('POST', '/v2/pedidos', key, { texto: 'tarde' })
      forbidden.clear()
      expect([again.status, again.headers.location]).toEqual([201, first.headers.location])
      await one.close()
    })

    it('ERR-1: a retry of a request that is still running gets 503 with Retry-After', async () => {
      const running = { ...memoryAdapter(pedidos), recall: () => undefined, create: () => 'running' }
      const one = await served(express, {
        clientes: memoryAdapter(clientes),
        pedidos: running,
        lineas: memoryAdapter(lineas),
      } as never)
      const answer = await one.send('POST', '/v2/pedidos', { 'Idempotency-Key': newKey() }, { texto: 'x' })
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
      expect(answer.json.detail).toMatch(/Idempotency-Key/)
      await one.close()
    })
  })
})

describe('VERB-12: Idempotency-Key with stores that cannot keep keys', () => {
  it('a mount that requires a key needs an adapter that stores keys', () => {
    expect(() => mount(pedidos, memoryAdapter(pedidos), { idempotencyKey: 'required' })).toThrow(
      /adapter stores no keys.*adapter-incomplete/,
    )
    expect(() =>
      mount(pedidos, memoryAdapter(pedidos, { idempotency: true }), { idempotencyKey: true as never }),
    ).toThrow(/Give 'required'/)
    expect(() => resourceRouter(clientes, memoryAdapter(clientes), { idempotencyKey: 'required' })).toThrow(
      /adapter stores no keys/,
    )
    expect(() =>
      api({ idempotencyOwner: 'sub' as never, versions: { v1: [mount(clientes, memoryAdapter(clientes))] } }),
    ).toThrow(/"idempotencyOwner" of api\(\) is of type string\. Give a function/)
  })

  it('HDR-7: scripts of other origins are allowed to send Idempotency-Key', async () => {
    const adapters = {
      clientes: memoryAdapter(clientes),
      pedidos: memoryAdapter(pedidos),
      lineas: memoryAdapter(lineas),
    }
    const [, express] = frameworks[0] as (typeof frameworks)[number]
    const one = await served(express, adapters as never, { cors: crossOrigin({ origins: ['https://shop.example'] }) })
    const asks = {
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'idempotency-key',
    }
    expect((await one.send('OPTIONS', '/v2/pedidos', asks)).headers['access-control-allow-headers']).toContain(
      'Idempotency-Key',
    )
    await one.close()
  })
})

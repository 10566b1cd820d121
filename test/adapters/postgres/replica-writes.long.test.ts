/**
 * Clients see their own writes although they read from a replica. The tests cover many ways to
 * write, and several states of the replica: paused, down, without the table, and promoted.
 */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { idempotencyDdl, postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import { ProcessPositions } from '../../../src/adapters/postgres/transactions/positions.js'
import { defineResource, endpoint, mount } from '../../../src/index.js'
import { startProxy } from '../../servers/proxy.js'
import { type ReplicaPair, replicaPair, serving } from './replica-pair.js'

const text = { type: 'string' } as const
const autores = defineResource({
  collection: 'autores',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: text, nombre: text } },
})
const libros = defineResource({
  collection: 'libros',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'titulo'],
    properties: { id: text, titulo: text, autorId: { type: ['string', 'null'] } },
  },
  links: { autor: { to: autores, by: 'autorId', show: ['nombre'] } },
  attachedTo: [{ of: 'autores', by: 'autorId' }],
})
const version = { column: 'version' } as const
const idempotency = { table: 'claves' } as const

let pair: ReplicaPair
beforeAll(async () => {
  const tables = [tableDdl(autores, { table: 'autores', version }), tableDdl(libros, { table: 'libros', version })]
  pair = await replicaPair([...tables, idempotencyDdl(idempotency)].join('\n'))
})
afterAll(() => pair?.remove())
afterEach(() => pair.catchUp())

/** `libros` is read from the replica. `autores` is read from it only if `replicated` is true. */
function resources({ write = pair.write, read = pair.read, replicated = false } = {}) {
  const authors = postgresAdapter({ read, write }, { table: 'autores', version, replica: replicated })
  const books = postgresAdapter({ read, write }, { table: 'libros', version, idempotency, replica: true })
  const registers = endpoint('registros', {
    description: 'Registers a book.',
    methods: {
      POST: {
        body: { type: 'object', required: ['id'], properties: { id: text } },
        handle: async ({ records, body }) => {
          const { id } = body as { id: string }
          await records(libros).create({ id, titulo: 'por registro' })
        },
      },
    },
  })
  return [mount(autores, authors), mount(libros, books), registers]
}

let last = 0
const next = (): string => `l${++last}`
const libro = (id: string, titulo: string, autorId?: string) => ({
  body: JSON.stringify({ id, titulo, ...(autorId === undefined ? {} : { autor: { id: autorId } }) }),
})
const titles = async (over: { json(path: string): Promise<unknown> }, path = 'libros?limit=100') =>
  ((await over.json(path)) as { titulo: string }[]).map(({ titulo }) => titulo)

describe('while the replica is paused, a client sees', () => {
  it('VERB-2, VERB-6: a record that it created, but not one that it removed, by GET and HEAD and in lists', async () => {
    await using over = await serving(resources())
    await pair.hold()
    const id = next()
    expect((await over.ask('POST', 'libros', libro(id, id))).status).toBe(201)
    expect((await over.ask('GET', `libros/${id}`)).status).toBe(200)
    expect((await over.ask('HEAD', `libros/${id}`)).status).toBe(302)
    expect(await titles(over)).toContain(id)
    await pair.catchUp()
    await pair.hold()
    expect((await over.ask('DELETE', `libros/${id}`)).status).toBe(204)
    expect((await over.ask('GET', `libros/${id}`)).status).toBe(404)
    expect((await over.ask('HEAD', `libros/${id}`)).status).toBe(404)
    expect(await titles(over)).not.toContain(id)
  })

  it('VERB-4, VERB-5: the effects of its PATCH, attach and detach', async () => {
    await using over = await serving(resources())
    const [id, autor] = [next(), next()]
    await over.ask('POST', 'autores', { body: JSON.stringify({ id: autor, nombre: 'A' }) })
    await over.ask('POST', 'libros', libro(id, 'uno'))
    await pair.catchUp()
    await pair.hold()
    expect((await over.ask('PATCH', `libros/${id}`, { body: '{"titulo":"dos"}' })).status).toBe(200)
    expect(await over.json(`libros/${id}`)).toMatchObject({ titulo: 'dos' })
    expect((await over.ask('PUT', `autores/${autor}/libros/${id}`)).status).toBe(204)
    expect(await titles(over, `autores/${autor}/libros`)).toEqual(['dos'])
    expect((await over.ask('DELETE', `autores/${autor}/libros/${id}`)).status).toBe(204)
    expect(await titles(over, `autores/${autor}/libros`)).toEqual([])
  })

  it('VERB-12: the record that its POST created in another process, after it has repeated the POST', async () => {
    // The service `first` uses another pool, as another process would. So the service `over` does
    // not know the log position of this write.
    const elsewhere = new pg.Pool({ connectionString: pair.primary.url })
    onTestFinished(() => elsewhere.end())
    await using first = await serving(resources({ write: elsewhere }))
    await using over = await serving(resources())
    await pair.hold()
    const id = next()
    const create = { ...libro(id, id), 'Idempotency-Key': `k-${id}` }
    expect((await first.ask('POST', 'libros', create)).status).toBe(201)
    const again = await over.ask('POST', 'libros', create)
    expect([again.status, await again.text()]).toEqual([201, ''])
    expect(await titles(over)).toContain(id)
  })

  it('the record that an endpoint created for it with records()', async () => {
    await using over = await serving(resources())
    await pair.hold()
    const id = next()
    expect((await over.ask('POST', 'registros', { body: JSON.stringify({ id }) })).status).toBe(204)
    expect(((await over.json('libros?limit=100')) as { id: string }[]).map((one) => one.id)).toContain(id)
  })

  it.each([false, true])(
    'REP-2: its change of an author, in books that link to this author (authors are read from the replica: %s)',
    async (replicated) => {
      await using over = await serving(resources({ replicated }))
      const [id, autor] = [next(), next()]
      await over.ask('POST', 'autores', { body: JSON.stringify({ id: autor, nombre: 'uno' }) })
      await over.ask('POST', 'libros', libro(id, 'de autor', autor))
      await pair.catchUp()
      await pair.hold()
      await over.ask('PATCH', `autores/${autor}`, { body: '{"nombre":"dos"}' })
      for (const path of [`libros/${id}`, `libros/${id}?expand=autor`])
        expect(await over.json(path)).toMatchObject({ autor: { nombre: 'dos' } })
    },
  )

  it('a write whose reply from the database was lost', async () => {
    const proxy = await startProxy({ port: pair.primary.port })
    const write = new pg.Pool({ connectionString: proxy.through(pair.primary.url) })
    onTestFinished(async () => {
      await write.end()
      await proxy.close()
    })
    await using over = await serving(resources({ write }))
    const id = next()
    await over.ask('POST', 'libros', libro(id, 'uno'))
    await pair.catchUp()
    await pair.hold()
    const lost = proxy.loseReply('UPDATE')
    const put = await over.ask('PUT', `libros/${id}`, libro(id, 'dos'))
    await lost
    expect([200, 503]).toContain(put.status)
    expect(await over.json(`libros/${id}`)).toMatchObject({ titulo: 'dos' })
  })

  it('its own writes, even if its log position was evicted by the writes of other clients', async () => {
    const positions = new ProcessPositions(undefined, 1)
    const options = { table: 'libros', version, replica: { positions } } as const
    await using over = await serving([
      mount(autores, postgresAdapter(pair, { table: 'autores', version })),
      mount(libros, postgresAdapter(pair, options)),
    ])
    const id = next()
    await over.ask('POST', 'libros', libro(id, 'uno'))
    await pair.catchUp()
    // Opens a connection to the replica, so that the test also covers connections that were opened
    // before the write.
    expect(await over.json(`libros/${id}`)).toMatchObject({ titulo: 'uno' })
    await pair.hold()
    await over.ask('PUT', `libros/${id}`, libro(id, 'dos'))
    for (const caller of ['luis', 'eva']) await over.ask('POST', 'libros', { ...libro(next(), 'otro'), caller })
    expect(positions.get('ana')).toBeUndefined()
    expect(await over.json(`libros/${id}`)).toMatchObject({ titulo: 'dos' })
    await pair.catchUp()
    expect(await over.json(`libros/${id}`)).toMatchObject({ titulo: 'dos' })
  })
})

describe('reads that should use the replica use the primary instead', () => {
  it('while the replica is down, and use the replica again when it is back', async () => {
    await using over = await serving(resources())
    const id = next()
    await over.ask('POST', 'libros', libro(id, 'uno'))
    await pair.catchUp()
    await pair.replica.kill()
    for (const path of [`libros/${id}`, 'libros?limit=1'])
      expect((await over.ask('GET', path, { caller: 'luis' })).status).toBe(200)
    await pair.replica.start()
    await pair.hold()
    await over.ask('PUT', `libros/${id}`, libro(id, 'dos'))
    expect(await over.json(`libros/${id}`, { caller: 'luis' })).toMatchObject({ titulo: 'uno' })
    expect(await over.json(`libros/${id}`)).toMatchObject({ titulo: 'dos' })
  })

  it('if the replica does not have the table yet', async () => {
    await pair.hold()
    const notas = defineResource({
      collection: 'notas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: text } },
    })
    const options = { table: 'notas', version } as const
    await pair.write.query(tableDdl(notas, options))
    await using over = await serving([mount(notas, postgresAdapter(pair, { ...options, replica: true }))])
    expect(await over.json('notas', { caller: 'luis' })).toEqual([])
  })

  it('if the replica was promoted and has diverged', async () => {
    await using over = await serving(resources())
    const id = next()
    await over.ask('POST', 'libros', libro(id, 'uno'))
    await pair.catchUp()
    await pair.read.query('SELECT pg_promote()')
    await pair.read.query('CREATE TABLE propia AS SELECT * FROM generate_series(1, 10000)')
    await over.ask('PUT', `libros/${id}`, libro(id, 'dos'))
    expect(await over.json(`libros/${id}`)).toMatchObject({ titulo: 'dos' })
  })
})

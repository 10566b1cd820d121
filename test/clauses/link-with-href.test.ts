import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { frameworks, listen } from './fixture.js'

const paginas = defineResource({
  collection: 'paginas',
  key: ['sitio', 'numero'],
  schema: {
    type: 'object',
    required: ['sitio', 'numero'],
    properties: {
      sitio: { type: 'string' },
      numero: { type: 'integer' },
      href: { type: ['string', 'integer', 'null'] },
    },
  },
})
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, sitio: { type: ['string', 'null'] }, numero: { type: ['integer', 'null'] } },
  },
  links: { pagina: { to: paginas, by: ['sitio', 'numero'] } },
})

describe.each(frameworks)('a link to a resource whose schema has a member "href", on %s', (_name, express) => {
  it.each([7, 'https://example.com/', '/v1/paginas/sitio=b,numero=2', null])(
    'REP-7: PUT accepts the body that GET returned, plain or expanded, in JSON and XML (href %j)',
    async (href) => {
      const pages = memoryAdapter(paginas, {
        records: [
          { sitio: 'a', numero: 1, href },
          { sitio: 'b', numero: 2 },
        ] as never,
      })
      const adapter = memoryAdapter(notas, { records: [{ id: 1, sitio: 'a', numero: 1 }] as never })
      const service = await listen(
        express().use(api({ versions: { v1: [mount(paginas, pages), mount(notas, adapter)] } })),
      )
      try {
        const before = (await service.send('GET', '/v1/notas/1')).text
        for (const type of ['application/json', 'application/xml']) {
          for (const query of ['', '?expand=pagina']) {
            const { text } = await service.send('GET', `/v1/notas/1${query}`, { Accept: type })
            const put = await service.send('PUT', '/v1/notas/1', { 'Content-Type': type }, text)
            expect([type, query, put.status, (await service.send('GET', '/v1/notas/1')).text]).toEqual([
              type,
              query,
              200,
              before,
            ])
          }
        }
        const other = { id: 1, pagina: { href: '/v1/paginas/sitio=b,numero=2' } }
        expect((await service.send('PUT', '/v1/notas/1', {}, other)).json.pagina.href).toMatch(/sitio=b,numero=2$/)
      } finally {
        await service.close()
      }
    },
  )
})

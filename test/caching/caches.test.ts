/**
 * Real caches in front of a running service. They revalidate responses, see every change, and never
 * show private responses to other callers (HDR-2, HDR-4, HDR-6; RFC 9111).
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/auth/index.js'
import type { ApiOptions, Middleware } from '../../src/index.js'
import { caches, direct, type Fields } from './caches.js'
import { grounds, packing, serveOver } from './service.js'

const [, overMemory] = grounds[0] as (typeof grounds)[number]

const json = 'application/json'
/** The media types in which resources are requested. */
const formats = [json, 'application/xml']

const reads = [
  '/v1/contratos/C1',
  '/v1/contratos/C1?expand=cliente',
  '/v1/contratos',
  '/v1/contratos?descripcion=uno',
  '/v1/contratos?limit=1&expand=cliente',
  '/v1/contratos?limit=1&offest=2&sort=-descripcion',
  '/v1/clientes/1/contratos',
  '/v1/clientes/1/contratos/C1',
  '/v1/contratos/C1/lineas',
  '/v1/contratos/C1/lineas/codigo=C1,linea=1',
  '/v1/contratos/C1/activo',
  '/v1/clientes/1',
  '/v1/recuento',
]

const c1 = '/v1/contratos/C1'
const line = `${c1}/lineas/codigo=C1,linea=1`
const writes: readonly (readonly [title: string, status: number, method: string, path: string, body?: unknown])[] = [
  ['PUT', 200, 'PUT', c1, { descripcion: 'dos', cliente: { id: 1 } }],
  ['PATCH', 200, 'PATCH', c1, { descripcion: 'uno' }],
  ['POST', 201, 'POST', '/v1/contratos', { codigo: 'A0', descripcion: 'uno', cliente: { id: 1 } }],
  ['DELETE of another item of the list', 204, 'DELETE', '/v1/contratos/A0'],
  ['DELETE of a flag', 204, 'DELETE', `${c1}/activo`],
  ['PUT of a flag', 204, 'PUT', `${c1}/activo`],
  ['attach to another parent', 204, 'PUT', '/v1/clientes/2/contratos/C1'],
  ['detach', 204, 'DELETE', '/v1/clientes/2/contratos/C1'],
  ['attach', 204, 'PUT', '/v1/clientes/1/contratos/C1'],
  ['POST to a sub-collection of a parent', 201, 'POST', '/v1/clientes/1/contratos', { codigo: 'B0' }],
  ['PATCH of a record to which other records link', 200, 'PATCH', '/v1/clientes/1', { nombre: 'Eva' }],
  ['POST to a contained sub-collection', 201, 'POST', `${c1}/lineas`, { codigo: 'C1', linea: 2 }],
  ['PATCH of a contained item', 200, 'PATCH', line, { texto: 'y' }],
  ['DELETE of a contained item', 204, 'DELETE', line],
  ['DELETE', 204, 'DELETE', c1],
  [
    'POST of an item with the key of the deleted item',
    201,
    'POST',
    '/v1/contratos',
    { codigo: 'C1', descripcion: 'uno', cliente: { id: 1 } },
  ],
  ['DELETE of a record to which other records link', 204, 'DELETE', '/v1/clientes/1'],
]

/**
 * The parts of a response that must be the same from the cache and from the service.
 */
const seen = ({
  status,
  text,
  headers,
}: {
  status: number
  text: string
  headers: Readonly<Record<string, unknown>>
}) => ({
  status,
  // Problems are compared by their code, because each problem has its own request id.
  text: status < 400 ? text : (/<code>(.+)<\/code>/.exec(text)?.[1] ?? JSON.parse(text).code),
  etag: headers.etag,
  total: headers['x-total-count'],
  link: headers.link,
})

interface Setting {
  readonly title: string
  readonly type: 'private' | 'shared'
  readonly options: Partial<ApiOptions>
  readonly before: readonly Middleware[]
  readonly fields: Fields
}

const settings: readonly Setting[] = [
  { title: 'a private cache', type: 'private', options: {}, before: [], fields: {} },
  {
    title: 'a private cache of a service with compression()',
    type: 'private',
    options: {},
    before: [packing()],
    fields: { 'accept-encoding': 'gzip' },
  },
  {
    title: 'a shared cache of a service without authentication',
    type: 'shared',
    options: { principal: undefined as never },
    before: [],
    fields: {},
  },
]

describe.each(caches)('%s', (_, open) => {
  describe.each(settings)('as $title', ({ type, options, before, fields }) => {
    it.each(formats)(
      'HDR-4: revalidates items, lists, expansions, contained items and flags as %s, and sees every change',
      async (accept) => {
        let statuses: number[] = []
        const service = await serveOver(
          overMemory,
          { ...options, onResponse: ({ status }) => void statuses.push(status) },
          before,
        )
        const [cached, fresh] = [open(type), direct()]
        const headers = { accept, ...fields }
        const revalidate = async (title: string) => {
          for (const path of reads) {
            const now = seen(await fresh.get(service.origin + path, headers))
            statuses = []
            expect([title, path, seen(await cached.get(service.origin + path, headers))]).toEqual([title, path, now])
            expect([title, path, seen(await cached.get(service.origin + path, headers))]).toEqual([title, path, now])
            // The cache asked the service both times, and got the whole representation at most
            // once.
            if (now.status < 300) expect([title, path, statuses.length, statuses.at(-1)]).toEqual([title, path, 2, 304])
          }
        }
        await revalidate('at first')
        for (const [title, status, method, path, body] of writes) {
          expect([title, (await service.send(method, path, {}, body)).status]).toEqual([title, status])
          await revalidate(`after ${title}`)
        }
        await Promise.all([cached.close(), fresh.close(), service.close()])
      },
      60_000,
    )
  })

  const tokens: Readonly<Record<string, string>> = { 'token-of-ana': 'ana', 'token-of-eva': 'eva' }
  const fieldsOfCredentials = ['Authorization', 'x-authorization-token']
  const own = ['notas', 'avisos'].flatMap((name) =>
    ['', '/de-ana', '/de-eva', '?limit=1'].map((rest) => `/v1/${name}${rest}`),
  )

  it.each(
    fieldsOfCredentials.flatMap((field) => (['shared', 'private'] as const).map((type) => [field, type] as const)),
  )("HDR-6: two callers that send %s through one %s cache never see each other's data", async (field, type) => {
    const identify = authenticate({
      field,
      challenge: 'Test realm="notas"',
      identify: (credentials) => tokens[credentials],
    })
    const service = await serveOver(overMemory, { authenticate: identify, principal: undefined as never }, [packing()])
    const cached = open(type)
    for (let round = 0; round < 3; round += 1) {
      for (const [token, name] of [...Object.entries(tokens), ['nobody', undefined] as const]) {
        for (const path of own) {
          for (const coding of ['gzip', 'identity']) {
            const got = await cached.get(service.origin + path, {
              [field.toLowerCase()]: token,
              'accept-encoding': coding,
            })
            const others = name === 'ana' ? 'eva' : 'ana'
            expect([name, path, got.text.includes(`secreto de ${others}`)]).toEqual([name, path, false])
            const mine = name !== undefined && !path.endsWith(`de-${others}`)
            expect([name, path, got.status, got.text.includes(`secreto de ${name}`)]).toEqual([
              name,
              path,
              name === undefined ? 401 : mine ? 200 : 404,
              mine,
            ])
          }
        }
      }
    }
    await Promise.all([cached.close(), service.close()])
  })
})

describe('curl', () => {
  const missing = spawnSync('curl', ['--version']).error !== undefined

  it.skipIf(missing)(
    'HDR-4: curl with --etag-compare revalidates and sees changes, compressed or not (skipped without curl)',
    async () => {
      const service = await serveOver(overMemory, {}, [packing()])
      const folder = await mkdtemp(join(tmpdir(), 'etags-'))
      const curl = async (path: string, options: readonly string[]) => {
        const etags = join(folder, encodeURIComponent(path) + options.join(''))
        const out = `${etags}.body`
        const { stdout } = await promisify(execFile)('curl', [
          ...[
            '-sS',
            '--globoff',
            '--etag-save',
            etags,
            '--etag-compare',
            etags,
            '-o',
            out,
            '-w',
            '%{http_code}',
            ...options,
            service.origin + path,
          ],
        ])
        return { status: Number(stdout), body: await readFile(out, 'utf8').catch(() => '') }
      }
      for (const options of [[], ['--compressed']]) {
        for (const path of ['/v1/contratos/C2', '/v1/contratos', '/v1/contratos/C2?expand=cliente']) {
          const first = await curl(path, options)
          expect([path, first.status, (await curl(path, options)).status]).toEqual([path, 200, 304])
          const { status, json } = await service.send(
            'PATCH',
            '/v1/contratos/C2',
            {},
            { descripcion: `${path} ${options}` },
          )
          expect([status, json.descripcion]).toEqual([200, `${path} ${options}`])
          const changed = await curl(path, options)
          expect([changed.status, changed.body.includes(`${path} ${options}`)]).toEqual([200, true])
          expect((await curl(path, options)).status).toBe(304)
        }
      }
      await rm(folder, { recursive: true })
      await service.close()
    },
  )
})

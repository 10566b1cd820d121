/**
 * The scripts that `check` writes for violations, and its cleanup, never send DELETE to a whole
 * collection or to a record of another client. This holds even if the responses of the service
 * contain no id or a wrong id. The checks recognize their own records by a marker, a random string
 * in a member of the record.
 */
import { execFile } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { resolveTarget } from '../../src/check/check-service.js'
import { checkService } from '../../src/check/index.js'
import { isItemId } from '../../src/check/item-id.js'
import { isId } from '../../src/check/report/script-shell.js'
import { type Workplace, workplace } from './command-run.js'
import { type Serving, serving } from './serving.js'
import { document } from './twin/document.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

const token = tokenOf('admin')
let place: Workplace
let service: Serving | undefined
beforeEach(() => {
  process.env.CHECK_ADMIN_TOKEN = token
  place = workplace()
  place.write('openapi.json', JSON.stringify(document))
})
afterEach(async () => {
  delete process.env.CHECK_ADMIN_TOKEN
  place.remove()
  await service?.close()
  service = undefined
})

interface Faults {
  /** The last segment of `Location`. `undefined` if the response has no `Location`. */
  readonly location?: string
  /** The `id` that the item has in a filtered list. Default: the actual id. */
  readonly found?: unknown
}

/**
 * Starts a service. A GET of a URL in `aliases` returns the list of orders, newest first. The
 * result contains the unsafe requests that the service got, except POST.
 */
async function start({ location, found }: Faults, aliases: readonly string[]) {
  const app = twinApp(location === undefined ? 'POST without Location' : undefined)
  const unsafe: string[] = []
  const listener: RequestListener = (req, res) => {
    const { method = '', url = '' } = req
    if (!['GET', 'HEAD', 'OPTIONS', 'POST'].includes(method)) unsafe.push(`${method} ${url}`)
    const note = new URL(url, 'http://localhost').searchParams.get('note')
    if (method === 'GET' && note !== null && found !== undefined)
      return res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify([{ id: found, note }]))
    if (method === 'GET' && aliases.includes(url)) req.url = '/v1/orders?sort=-id'
    if (location !== undefined && method === 'POST') {
      const setHeader = res.setHeader.bind(res)
      res.setHeader = (name, value) =>
        setHeader(name, name === 'Location' ? `http://${req.headers.host}/v1/orders/${location}` : value)
    }
    return app(req, res)
  }
  service = await serving(listener)
  return { origin: service.origin, unsafe }
}

const orders = '/v1/orders'
const only = ['VERB-2', 'VERB-13/create']

it.each([
  ['has no Location', {}, [`${orders}/`]],
  ['has a Location that ends with a slash', { location: '' }, [`${orders}/`]],
  ['has a Location that ends with a query', { location: '?x' }, [`${orders}/?x`]],
  ['has a Location that ends with a dot', { location: '.' }, [`${orders}/.`]],
  ['has no Location, and the record has an empty id in the list', { found: '' }, [`${orders}/`]],
  ['has no Location, and the record has the id of another record in the list', { found: 3 }, []],
  ['has no Location, and the record has the id null in the list', { found: null }, []],
] as const)('if a 201 %s, the script deletes its own record or nothing', async (_what, faults, aliases) => {
  const { origin, unsafe } = await start(faults, aliases)
  const flags = ['--document', 'openapi.json', '--token', 'CHECK_ADMIN_TOKEN', '--rate', '9999999']
  await place.run('check', origin, ...flags, '--write', '--only', 'VERB-2', '--scripts', 'breaks')
  unsafe.length = 0
  const output = await shell([join(place.cwd, 'breaks/VERB-2-location-v1-orders.sh')], {
    CHECK_ADMIN_TOKEN: token,
  })
  const own = /^DELETE \/v1\/orders\/1\d{3}$/
  expect(unsafe.filter((one) => !own.test(one))).toEqual([])
  if ('found' in faults) expect(output).toMatch(/If there is a record with check-\d+ in .*, remove it\./)
  else expect(unsafe.length).toBe(1)
})

it.each([
  ['an empty id', '', [`${orders}/`]],
  ['an id that is a dot', '.', [`${orders}/.`]],
  ['the id of another record', 3, []],
] as const)('the cleanup deletes nothing if a new record has %s in the list', async (_what, found, aliases) => {
  const { origin, unsafe } = await start({ found }, aliases)
  const report = await checkService({
    base: origin,
    target: { ...resolveTarget(document) },
    principals: [{ name: 'admin', token }],
    rate: 100_000,
    write: join(place.cwd, 'ledger.jsonl'),
    only,
  })
  expect(unsafe.filter((one) => one.includes(orders))).toEqual([])
  expect(report.left.some(({ entry }) => entry.collection === orders)).toBe(true)
})

it.each([{ customer: { id: 'ana' } }, { state: 'open', amount: 7, urgent: true }])(
  'a check creates and deletes nothing if no member of the POST body %j can contain the marker',
  async (body) => {
    const app = twinApp()
    const unsafe: string[] = []
    service = await serving((req, res) => {
      if (!['GET', 'HEAD', 'OPTIONS'].includes(String(req.method))) unsafe.push(`${req.method} ${req.url}`)
      if (req.method !== 'POST') return app(req, res)
      res.writeHead(201, { Location: `http://${req.headers.host}${orders}/3` }).end()
    })
    const { collections, ...rest } = resolveTarget(document)
    const { results } = await checkService({
      base: service.origin,
      target: {
        ...rest,
        collections: collections
          .filter(({ template }) => template === orders)
          .map((one) => ({ ...one, create: { body, members: [], idempotent: true } })),
      },
      principals: [{ name: 'admin', token }],
      rate: 100_000,
      write: join(place.cwd, 'ledger.jsonl'),
      only: ['VERB-6'],
    })
    expect(unsafe).toEqual([])
    expect(results[0]?.outcome).toMatchObject({
      verdict: 'unchecked',
      because: expect.stringContaining('has no string member by which the new item could be recognized'),
    })
  },
)

/** Parts of ids. The test tries all combinations of up to three parts. */
const parts = ['', '7', '.', '%2e', '/', '%2F', '%5C', '\\', ';', '?']

it('scripts and checks agree on which strings can be the id of an item', async () => {
  const ids = [...new Set(parts.flatMap((one) => parts.flatMap((two) => parts.map((three) => one + two + three))))]
  const lines = ids.map((id) => `is_id '${id}' && printf '%s\\n' '${id}'`)
  const output = await shell(['-c', [isId, ...lines].join('\n')])
  expect(output.split('\n').filter((line) => line !== '')).toEqual(ids.filter(isItemId))
  const refused = ['', '.', '..', '%2e.', '/', '7/', '%2F', '..%2F7', '7/..', ';a', '..;a/7', '?', '7?', '#', ' 7']
  expect(refused.filter(isItemId)).toEqual([])
  expect(['7', 'a', '...', '7;a', 'a=1,b=2', '*', '%20', '7.', 'a/b', 'a%2Fb'].filter((id) => !isItemId(id))).toEqual(
    [],
  )
})

/** Runs a shell, and returns its output. */
const shell = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
  new Promise((resolve) => {
    execFile('sh', [...args], { env: { PATH: process.env.PATH, ...env } }, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    )
  })

/**
 * Tests of the option `write`. Unless the service is disposable, the checks change and remove only
 * records that they have created. Before a write request is sent, its URL is written to a file, the
 * ledger. The checks recognize their records by a marker, a random string in a member of the
 * record.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { resolveTarget } from '../../src/check/check-service.js'
import { type CheckServiceOptions, checkService, removeLeftovers } from '../../src/check/index.js'
import { disposableChecks } from '../../src/check/write/index.js'
import { share } from '../size.js'
import { serving, violationTexts } from './serving.js'
import { document } from './twin/document.js'
import { type Fault, writeFaults } from './twin/faults.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

let folder: string
let ledger: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
  ledger = join(folder, 'ledger.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const principals = [{ name: 'admin', token: tokenOf('admin') }]
const options = (base: string): CheckServiceOptions & { readonly write: string } => ({
  base,
  target: document,
  principals,
  rate: 100_000,
  write: ledger,
})
const writing = {
  only: ['VERB-2', 'VERB-3', 'VERB-5', 'VERB-6', 'VERB-9', 'VERB-12', 'HDR-2', 'HDR-3', 'HDR-5', 'REP-8'],
}
const isUnsafe = ({ method }: IncomingMessage): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(String(method))

/** The URLs in the ledger file on disk. */
function announced(): Readonly<Record<'hazards' | 'posts' | 'created', readonly string[]>> {
  const lines = readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return {
    hazards: lines.filter(({ step }) => step === 'hazard').map(({ method, url }) => `${method} ${url}`),
    posts: lines.filter(({ step }) => step === 'intent').map(({ intent }) => intent.post),
    created: lines.filter(({ step }) => step === 'created' || step === 'below').map(({ address }) => address),
  }
}

/**
 * Records each unsafe request in `sent`. If the ledger on disk does not allow the request when it
 * arrives, records it in `strays` too.
 */
function recording(app: RequestListener, strays: string[], sent: string[]): RequestListener {
  return (req, res) => {
    if (isUnsafe(req)) {
      const url = `http://${req.headers.host}${req.url}`
      const { hazards, posts, created } = announced()
      sent.push(`${req.method} ${req.url}`)
      const isAllowed = created.includes(url) || (req.method === 'POST' && posts.includes(url))
      if (!isAllowed && !hazards.includes(`${req.method} ${url}`)) strays.push(`${req.method} ${url}`)
    }
    app(req, res)
  }
}

const faults = [
  ...new Set(['PUT ignores another id', 'detach has no effect', 'If-Match ignored', ...Object.keys(writeFaults)]),
]

it.each(['none', ...share(faults, 4, faults.slice(0, 2))])(
  'with the fault %s, unsafe requests are sent only to URLs that are in the ledger',
  async (fault) => {
    const [strays, sent]: [string[], string[]] = [[], []]
    const { origin, close } = await serving(
      recording(twinApp(fault === 'none' ? undefined : (fault as Fault)), strays, sent),
    )
    await checkService({ ...options(origin), account: { user: 'ana', password: 'secret' } })
    await close()
    const hasOwn = fault !== 'POST without Location' && fault !== 'Location leads nowhere'
    const methods = hasOwn ? ['DELETE', 'PATCH', 'POST', 'PUT'] : ['DELETE', 'POST', 'PUT']
    expect([...new Set(sent.map((one) => one.split(' ')[0]))].sort()).toEqual(methods)
    expect(strays).toEqual([])
    expect(announced().hazards).toEqual([])
  },
)

/** Examples of requests that only the checks of `--disposable` send. */
const hazards = [
  'DELETE /v1/orders',
  'PUT /v1/orders',
  'PATCH /v1/orders',
  'DELETE /v1/orders/3',
  'DELETE /v1/customers',
]

it('the checks change records that they did not create only if the service is disposable', {
  timeout: 120_000,
}, async () => {
  const [strays, sent]: [string[], string[]] = [[], []]
  const { origin, close } = await serving(recording(twinApp(), strays, sent))
  const usual = await checkService(options(origin))
  const because =
    'the check could destroy records that the run has not created. If you accept that the service loses all its data, give --disposable'
  const outcomes = usual.results.filter(({ check }) => disposableChecks.some(({ id }) => id === check))
  expect(outcomes.length).toBe(5 * disposableChecks.length)
  for (const { outcome } of outcomes) expect(outcome).toEqual({ verdict: 'unchecked', because })
  expect(hazards.filter((one) => sent.includes(one))).toEqual([])
  const report = await checkService({ ...options(origin), disposable: true })
  await close()
  expect(violationTexts(report)).toEqual([])
  expect(hazards.filter((one) => !sent.includes(one))).toEqual([])
  expect([strays, report.left]).toEqual([[], []])
})

it('if Location names a record that existed before the POST, the checks send no write to that record', async () => {
  const app = twinApp()
  const unsafe: string[] = []
  const { origin, close } = await serving((req, res) => {
    if (isUnsafe(req)) unsafe.push(`${req.method} ${req.url}`)
    if (req.method !== 'POST') return app(req, res)
    res.writeHead(201, { Location: `http://${req.headers.host}/v1/orders/3` }).end()
  })
  const report = await checkService({ ...options(origin), ...writing })
  await close()
  expect([...new Set(unsafe)].sort()).toEqual(['POST /v1/labels', 'POST /v1/orders'])
  expect(violationTexts(report)).toEqual([expect.stringMatching(/^VERB-2\/location \/v1\/labels: /)])
})

const numberOf = async (origin: string): Promise<string | null> =>
  (
    await fetch(`${origin}/v1/orders?limit=1`, { headers: { Authorization: `Bearer ${tokenOf('admin')}` } })
  ).headers.get('x-total-count')

it('the checks leave no record behind, even if the service violates a rule', async () => {
  const { origin, close } = await serving(twinApp('PUT creates'))
  const report = await checkService({ ...options(origin), ...writing })
  expect([report.left, await numberOf(origin)]).toEqual([[], '23'])
  await close()
})

it('after a POST whose response was lost, the created record is found by its marker and removed', async () => {
  const app = twinApp()
  const { origin, close } = await serving((req, res) => {
    if (req.method === 'POST' && req.url === '/v1/orders') res.end = (() => req.socket.destroy()) as never
    app(req, res)
  })
  const report = await checkService({ ...options(origin), ...writing, only: ['VERB-2'] })
  expect([report.left, await numberOf(origin)]).toEqual([[], '23'])
  await close()
})

it('the ledger of an interrupted run is enough to remove the records that the run left behind', async () => {
  const app = twinApp()
  let isDown = false
  const listener: RequestListener = (req, res) => (isDown ? req.socket.destroy() : app(req, res))
  const { origin, close } = await serving(listener)
  const report = await checkService({
    ...options(origin),
    ...writing,
    onExchange: ({ request }) => {
      if (request.method === 'PATCH') isDown = true
    },
  })
  isDown = false
  expect(report.left.length).toBeGreaterThan(0)
  expect(Number(await numberOf(origin))).toBeGreaterThan(23)
  expect(await removeLeftovers(options(origin))).toEqual([])
  expect(await numberOf(origin)).toBe('23')
  await close()
})

it('HDR-3: if races lose updates, the report says how many of 20 races had two winners or more', async () => {
  const { origin, close } = await serving(twinApp('compares, waits and writes'))
  const report = await checkService({ ...options(origin), only: ['HDR-3'] })
  await close()
  const race = report.results.find(({ check, where }) => check === 'HDR-3/race' && where === '/v1/orders')
  expect(race?.outcome).toMatchObject({
    expected: 'exactly one winner',
    seen: expect.stringMatching(/^\d+ of 20 races had two winners or more$/),
  })
})

it('HDR-3: races without a winner and races with two winners are counted separately', async () => {
  const app = twinApp()
  let count = 0
  const { origin, close } = await serving((req, res) => {
    if (req.method !== 'PATCH') return app(req, res)
    count += 1
    // Each race has five PATCH requests, of which exactly one must win (succeed). The second race
    // has no winner. In the third and fourth race, all five requests win.
    if (count > 5 && count <= 10) return res.writeHead(412).end()
    return count > 10 && count <= 20 ? res.writeHead(200).end() : app(req, res)
  })
  const { collections, ...rest } = resolveTarget(document)
  const orders = collections.filter(({ template }) => template === '/v1/orders')
  const report = await checkService({
    ...options(origin),
    target: { ...rest, collections: orders },
    only: ['HDR-3/race'],
  })
  await close()
  expect(report.results[0]?.outcome).toMatchObject({
    verdict: 'flaky',
    broken: 3,
    runs: 20,
    seen: '2 of 20 races had two winners or more, and 1 of 20 races had no winner',
  })
})

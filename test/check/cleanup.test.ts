/**
 * Tests of the cleanup, which removes the records that the checks have created. It obeys the limits
 * of the run: the rate, the rules for a busy service, and `production`. It keeps the records of
 * other clients.
 */
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { resolveTarget } from '../../src/check/check-service.js'
import { type CheckServiceOptions, checkService, removeLeftovers } from '../../src/check/index.js'
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
})
afterEach(async () => {
  delete process.env.CHECK_ADMIN_TOKEN
  place.remove()
  await service?.close()
  service = undefined
})

interface Arrival {
  readonly method: string
  /** The time of arrival, in milliseconds. */
  readonly time: number
}

/**
 * Starts a service. `limits` gets the requests so far, including the current one, and returns
 * whether the current request gets a 429. The result contains the requests that the service got.
 */
async function start(limits: (arrivals: readonly Arrival[]) => boolean = () => false) {
  const app = twinApp()
  const arrivals: Arrival[] = []
  const listener: RequestListener = (req, res) => {
    arrivals.push({ method: String(req.method), time: performance.now() })
    if (limits(arrivals)) res.writeHead(429, { 'Retry-After': '0' }).end()
    else app(req, res)
  }
  service = await serving(listener)
  return { origin: service.origin, arrivals }
}

const { collections, ...rest } = resolveTarget(document)
const target = { ...rest, collections: collections.filter(({ template }) => template === '/v1/orders') }

const options = (base: string): CheckServiceOptions & { readonly write: string } => ({
  base,
  target,
  principals: [{ name: 'admin', token }],
  rate: 100_000,
  write: join(place.cwd, 'check-ledger.jsonl'),
  only: ['VERB-2/location', 'VERB-5/merge'],
})

const methodsIn = (arrivals: readonly Arrival[]): string => arrivals.map(({ method }) => method).join(' ')
const count = (arrivals: readonly Arrival[], method: string): number =>
  arrivals.filter((one) => one.method === method).length

/**
 * Expects that the cleanup obeys `rate`. Requests should arrive at intervals of 1 / `rate` seconds.
 * So two intervals should lie between the request before the first DELETE and the request after it.
 * The test requires only one and a half intervals, because the request before the DELETE may arrive
 * late.
 */
function expectRate(arrivals: readonly Arrival[], rate: number): void {
  const at = arrivals.findIndex(({ method }) => method === 'DELETE')
  const [before, after] = [arrivals[at - 1], arrivals[at + 1]]
  expect((after?.time ?? 0) - (before?.time ?? 0)).toBeGreaterThan((1.5 * 1000) / rate)
}

it.each([false, true])('the cleanup at the end of a run obeys "rate" if "production" is %s', async (production) => {
  const { origin, arrivals } = await start()
  const report = await checkService({ ...options(origin), production, rate: 5, only: ['VERB-2/location'] })
  expect([report.left, count(arrivals, 'DELETE')]).toEqual([[], 1])
  expectRate(arrivals, 5)
})

it('--cleanup obeys --rate', async () => {
  let isLimited = true
  const { origin, arrivals } = await start((all) => isLimited && count(all, 'DELETE') > 0)
  expect((await checkService({ ...options(origin), only: ['VERB-2/location'] })).left.length).toBe(1)
  isLimited = false
  arrivals.length = 0
  place.write('openapi.json', JSON.stringify(document))
  const flags = ['--document', 'openapi.json', '--token', 'CHECK_ADMIN_TOKEN', '--cleanup', '--rate', '5']
  const { code, out } = await place.run('check', origin, ...flags)
  expect([code, out]).toEqual([0, '1 of 1 removed.\n'])
  expectRate(arrivals, 5)
})

it('with "production", the cleanup sends nothing if the run got a 429, and reports the records left', async () => {
  let isOver = false
  const { origin, arrivals } = await start((all) => !isOver && count(all, 'PATCH') > 0)
  const limits = { ...options(origin), production: true, rate: 10 }
  const report = await checkService(limits)
  expect(methodsIn(arrivals)).toMatch(/PATCH$/)
  const because = '--production stops at the first 429, because more requests could use up the limit of other clients'
  expect(report.left).toMatchObject([{ because }, { because }])
  isOver = true
  expect(await removeLeftovers(limits)).toEqual([])
})

it('with "production", the cleanup stops at a 429, and reports the records that are left', async () => {
  let isOver = false
  const { origin, arrivals } = await start((all) => !isOver && count(all, 'DELETE') > 0)
  const limits = { ...options(origin), production: true, rate: 10 }
  const report = await checkService(limits)
  expect([methodsIn(arrivals), report.left.length]).toEqual([expect.stringMatching(/DELETE$/), 2])
  arrivals.length = 0
  const left = await removeLeftovers({ ...limits, write: options(origin).write })
  isOver = true
  expect(left.length).toBe(2)
  expect(await removeLeftovers(limits)).toEqual([])
})

it('if a DELETE gets 429 with "Retry-After: 0", the cleanup repeats the DELETE', async () => {
  const { origin, arrivals } = await start((all) => all.at(-1)?.method === 'DELETE' && count(all, 'DELETE') === 1)
  const report = await checkService(options(origin))
  expect([report.left, count(arrivals, 'DELETE')]).toEqual([[], 3])
})

it('the cleanup stops if a repeated DELETE gets 429 too, and reports the records that are left', async () => {
  let isOver = false
  const { origin, arrivals } = await start((all) => !isOver && count(all, 'DELETE') > 0)
  const report = await checkService(options(origin))
  expect(methodsIn(arrivals)).toMatch(/GET DELETE DELETE$/)
  expect(report.left.map(({ because }) => because)).toEqual([
    expect.stringMatching(/^DELETE \S+ got 429: the service is busy, or limits this client$/),
    expect.stringMatching(/^the cleanup has stopped: DELETE \S+ got 429/),
  ])
  isOver = true
  expect(await removeLeftovers(options(origin))).toEqual([])
})

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const body = JSON.stringify({
  state: 'open',
  amount: 1,
  urgent: false,
  customer: { id: 'ana' },
  note: 'of another client',
})

/** Creates an order as another client. If the last order was deleted, the service reuses its id. */
async function createAsAnother(origin: string): Promise<string> {
  const { status, headers: fields } = await fetch(`${origin}/v1/orders`, { method: 'POST', headers, body })
  expect(status).toBe(201)
  return String(fields.get('location'))
}

async function noteOf(address: string): Promise<unknown> {
  const { note } = (await (await fetch(address, { headers })).json()) as { note: unknown }
  return note
}

/** Expects that the record of another client still exists, and that the cleanup reports it. */
async function expectKept(address: string, left: unknown): Promise<void> {
  expect(await noteOf(address)).toBe('of another client')
  expect(left).toEqual([
    { entry: expect.objectContaining({ address }), because: expect.stringContaining('another client') },
  ])
}

it('the cleanup keeps a record of another client, even if it has the id of a record that was deleted', async () => {
  const app = twinApp()
  let deleted = ''
  let reads = 0
  let created = ''
  service = await serving(async (req, res) => {
    // The check reads the deleted order once. The next GET comes from the cleanup.
    if (req.method === 'GET' && req.url === deleted && ++reads === 2)
      created = await createAsAnother(service?.origin ?? '')
    if (req.method === 'DELETE') deleted = String(req.url)
    app(req, res)
  })
  const report = await checkService({ ...options(service.origin), only: ['VERB-6/delete'] })
  expect(created).toBe(service.origin + deleted)
  await expectKept(created, report.left)
})

it('--cleanup keeps a record of another client, even if it has the id of a record of an earlier run', async () => {
  let isOver = false
  const { origin } = await start((all) => !isOver && count(all, 'DELETE') > 0)
  const { left } = await checkService({ ...options(origin), only: ['VERB-2/location'] })
  isOver = true
  const address = String(left[0]?.entry.address)
  await fetch(address, { method: 'DELETE', headers: { ...headers, 'if-match': '*' } })
  expect(await createAsAnother(origin)).toBe(address)
  await expectKept(address, await removeLeftovers(options(origin)))
})

it.each([
  ['no response', undefined],
  ['500', 500],
])(
  'if a DELETE took effect but got %s, the cleanup keeps a record that another client created with the same id',
  async (_, status) => {
    const app = twinApp()
    let deleted = ''
    let created = ''
    service = await serving((req, res) => {
      if (req.method === 'DELETE' && deleted === '') {
        deleted = String(req.url)
        const { end } = res
        res.end = (() => {
          void createAsAnother(service?.origin ?? '').then((address) => {
            created = address
            res.statusCode = status ?? 200
            if (status === undefined) req.socket.destroy()
            else Reflect.apply(end, res, [])
          })
        }) as never
      }
      app(req, res)
    })
    const report = await checkService({ ...options(service.origin), only: ['VERB-6/delete'] })
    expect(created).toBe(service.origin + deleted)
    await expectKept(created, report.left)
  },
)

it.each(['onExchange', 'onResult'])(
  'if the hook %s throws, checkService() still removes its own record, and rejects with the error of the hook',
  async (hook) => {
    const { origin, arrivals } = await start()
    const run = checkService({
      ...options(origin),
      [hook]() {
        if (count(arrivals, 'POST') > 0) throw new Error('the hook failed')
      },
    })
    await expect(run).rejects.toThrow('the hook failed')
    expect(await removeLeftovers(options(origin))).toEqual([])
    expect(count(arrivals, 'DELETE')).toBe(1)
  },
)

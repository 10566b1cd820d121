/**
 * Tests of the option `production`. The tests record the requests that the service receives, to
 * prove that the checks send nothing that could lock accounts, use up rate limits, or overload the
 * service.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Client } from '../../src/check/client/client.js'
import { productionLimits } from '../../src/check/client/production.js'
import { checkService } from '../../src/check/index.js'
import { serving, violationTexts } from './serving.js'
import { document } from './twin/document.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const principals = [{ name: 'admin', token: tokenOf('admin') }]
const only = ['AUTH-4', 'AUTH-5', 'HDR-3/stale', 'HDR-3/race', 'QUERY-5/maximum']

it('"production" sends only given tokens, one request at a time, and reports why checks are left out', async () => {
  const app = twinApp()
  const tokens = new Set<string | undefined>()
  let [open, most] = [0, 0]
  const { origin, close } = await serving((req, res) => {
    tokens.add(req.headers.authorization)
    open += 1
    most = Math.max(most, open)
    res.on('close', () => {
      open -= 1
    })
    app(req, res)
  })
  const report = await checkService({
    base: origin,
    target: document,
    principals,
    production: true,
    write: join(folder, 'ledger.jsonl'),
    only: [...only, 'VERB-1/item', 'HDR-2'],
  })
  await close()
  expect(violationTexts(report)).toEqual([])
  expect([[...tokens].sort(), most]).toEqual([[`Bearer ${tokenOf('admin')}`, undefined], 1])
  const reasons = Object.fromEntries(
    report.results
      .filter(({ where }) => where === '/v1/orders')
      .map(({ check, outcome }) => [check, 'because' in outcome ? outcome.because : outcome.verdict]),
  )
  const altered = '--production sends no altered or made-up tokens, because failed attempts could lock an account'
  expect(reasons).toMatchObject({
    'AUTH-4/nobody': 'holds',
    'AUTH-5/altered': altered,
    'AUTH-5/unsigned': altered,
    'HDR-3/stale': 'holds',
    'HDR-3/race':
      '--production sends one request at a time, because simultaneous requests (races) could overload the service',
  })
  expect(report.left).toEqual([])
})

it.each([
  ['a password', { headers: { Authorization: 'Basic YTpi' } }, 'no wrong or made-up passwords'],
  ['a large body', { body: 'x'.repeat(productionLimits.body + 1) }, 'no body of more than 65536 bytes'],
  ['an altered token', { caller: { kind: 'altered', name: 'admin' } }, 'no altered or made-up tokens'],
  ['a token without its signature', { caller: { kind: 'unsigned', name: 'admin' } }, 'no altered or made-up tokens'],
  [
    'a login of a made-up user',
    { caller: { kind: 'basic', user: 'a', password: 'b' } },
    'no wrong or made-up passwords',
  ],
] as const)('"production" does not send %s', async (_what, options, message) => {
  let asked = 0
  const { origin, close } = await serving((_req, res) => {
    asked += 1
    res.end()
  })
  const client = new Client({ principals, rate: 10_000, budget: 10, production: true, mayWrite: () => true })
  await expect(client.send('POST', `${origin}/v1/orders`, options)).rejects.toThrow(message)
  await expect(client.race(`${origin}/v1/orders`, [{ method: 'POST' }, { method: 'POST' }])).rejects.toThrow(
    'one request at a time',
  )
  client.close()
  await close()
  expect(asked).toBe(0)
})

it('"production" sends no further request after a 429', async () => {
  let asked = 0
  const { origin, close } = await serving((_req, res) => {
    asked += 1
    res.writeHead(429, { 'Retry-After': '0' }).end()
  })
  const report = await checkService({ base: origin, target: document, principals, production: true, only: ['VERB-1'] })
  await close()
  expect(asked).toBe(1)
  expect(JSON.stringify(report.results)).toContain('--production stops at the first 429')
})

it.each([
  [{ rate: 11 }, '"rate" is 11, and "production" sends at most 10 requests per second'],
  [{ budget: 3_001 }, '"budget" is 3001, and "production" sends at most 3000 requests'],
  [{ disposable: true, write: 'ledger.jsonl' }, '"production" and "disposable" are both given.'],
])('"production" cannot be combined with the options %j', async (options, message) => {
  const refused = checkService({ base: 'http://127.0.0.1:1', target: document, production: true, ...options })
  await expect(refused).rejects.toThrow(message)
})

it('"disposable" is refused without "write"', async () => {
  const refused = checkService({ base: 'http://127.0.0.1:1', target: document, disposable: true })
  await expect(refused).rejects.toThrow('"disposable" without "write"')
})

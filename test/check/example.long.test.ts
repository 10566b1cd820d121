/** The example service keeps the conventions: no check breaks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openAccess } from '../../examples/pre-piezas/access.js'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { tokenIssuer } from '../../src/auth/index.js'
import { type CheckReport, checkService } from '../../src/check/index.js'
import { allWriteChecks } from '../../src/check/write/index.js'
import { embeddedStores } from '../examples/stores.js'
import { faultsOf, serving } from './serving.js'

const { stores, fill } = await embeddedStores()
const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
const issue = tokenIssuer({ key: access.key })
const methods = new Set<string>()
let report: CheckReport
let written: CheckReport
let folder: string
let safe: readonly string[]

beforeAll(async () => {
  await fill(generate(60))
  const { app } = createService({ rateLimit: 0 }, { stores, access, counters: { close() {} } })
  const { origin, close } = await serving((req, res) => {
    methods.add(String(req.method))
    app(req, res)
  })
  const target = await (await fetch(`${origin}/v8/openapi.json`)).json()
  const clerk = {
    name: 'clerk',
    token: issue({ sub: 'clerk', scope: 'pre-piezas:read' }),
    forbidden: ['/contratos', '/clientes'],
  }
  report = await checkService({
    base: `${origin}/v8`,
    target,
    principals: [{ name: 'operator', token: access.privateToken() }, clerk],
    rate: 10_000,
  })
  safe = [...methods]
  folder = mkdtempSync(join(tmpdir(), 'check-'))
  written = await checkService({
    base: `${origin}/v8`,
    target,
    principals: [{ name: 'operator', token: access.privateToken() }],
    rate: 10_000,
    write: join(folder, 'ledger.jsonl'),
    only: allWriteChecks.map(({ id }) => id),
  })
  await close()
}, 300_000)
afterAll(async () => {
  await stores.close()
  rmSync(folder, { recursive: true })
})

it('accuses it of nothing', () => {
  if (process.env.SHOW)
    for (const { check, where, outcome } of [...report.results, ...written.results])
      console.log(check, where, JSON.stringify({ ...outcome, evidence: undefined }))
  expect(faultsOf(report)).toEqual([])
})

it('sends safe requests only', () => {
  expect([...safe].sort()).toEqual(['GET', 'HEAD', 'OPTIONS'])
})

it('needs at most 3,000 requests', () => {
  expect(report.requests + written.requests).toBeLessThanOrEqual(3_000)
})

it('accuses its writes of nothing, and leaves nothing behind', () => {
  expect(faultsOf(written)).toEqual([])
  expect(written.left).toEqual([])
  expect(written.counts.holds).toBeGreaterThan(20)
})

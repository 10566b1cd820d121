/**
 * Checks the example service behind nginx and HAProxy. With the settings of docs/gateways.md, there
 * is no violation. With wrong settings, the report names the gateway as the cause.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openAccess } from '../../examples/pre-piezas/access.js'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { resolveTarget } from '../../src/check/check-service.js'
import { type CheckReport, checkService } from '../../src/check/index.js'
import { textOf } from '../../src/check/report/text.js'
import { embeddedStores } from '../examples/stores.js'
import { freePort } from '../servers/free-port.js'
import { right, wrong } from './gateways.js'
import { serving, violationTexts } from './serving.js'

const { stores, fill } = await embeddedStores()
const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
const data = generate(120)
afterAll(() => stores.close())

/** Clauses and checks that can fail because of wrong gateway settings. */
const only = ['PATH-11', 'VERB-8', 'HDR-2', 'HDR-3/stale', 'HDR-4', 'QUERY-2/plus', 'QUERY-7', 'REP-1', 'VERB-2']

async function behind(start: (upstream: number) => ReturnType<(typeof right)['nginx'] & {}>): Promise<CheckReport> {
  await fill(data)
  const port = await freePort()
  const gateway = await start(port)
  const baseUrl = `http://127.0.0.1:${gateway.port}/gateway`
  const { app } = createService({ rateLimit: 0, baseUrl }, { stores, access, counters: { close() {} } })
  const service = await serving(app, port)
  const folder = mkdtempSync(join(tmpdir(), 'check-'))
  try {
    const document: unknown = await (await fetch(`${service.origin}/v8/openapi.json`)).json()
    const target = resolveTarget(document)
    return await checkService({
      base: `${baseUrl}/v8`,
      direct: `${service.origin}/v8`,
      target: { ...target, collections: target.collections.filter(({ template }) => template === '/contratos') },
      principals: [{ name: 'operator', token: access.privateToken() }],
      rate: 10_000,
      write: join(folder, 'ledger.jsonl'),
      only,
    })
  } finally {
    await service.close()
    await gateway.remove()
    rmSync(folder, { recursive: true })
  }
}

it.each(Object.entries(right))('%s with the settings of docs/gateways.md violates nothing', async (_name, start) => {
  const report = await behind(start)
  expect(violationTexts(report)).toEqual([])
  const holding = report.results.filter(({ outcome }) => outcome.verdict === 'holds').map(({ check }) => check)
  for (const check of ['PATH-11/encoded', 'VERB-8/item', 'HDR-2/compressed', 'QUERY-2/plus', 'REP-1/reachable'])
    expect(holding).toContain(check)
})

it.each([
  ['nginx', ['PATH-11/encoded', 'VERB-8/item', 'HDR-2/compressed']],
  ['HAProxy, decoding', ['PATH-11/encoded']],
  ['HAProxy, compressing', ['HDR-2/compressed']],
] as const)('wrong settings (%s): the report names the gateway as the cause of violations', async (name, checks) => {
  const report = await behind(wrong[name] as (typeof right)['nginx'] & {})
  const found = report.results.filter(({ direct }) => direct !== undefined)
  expect(found.filter(({ direct }) => direct === 'holds').map(({ check }) => check)).toEqual(
    expect.arrayContaining([...checks]),
  )
  expect(found.filter(({ direct }) => direct === 'breaks')).toEqual([])
  expect(textOf(report)).toContain('gateway   the rule holds without the gateway')
})

it('docs/gateways.md shows the main lines of the settings that these tests use', () => {
  const page = readFileSync(new URL('../../docs/gateways.md', import.meta.url), 'utf8')
  const source = readFileSync(new URL('gateways.ts', import.meta.url), 'utf8')
  for (const line of [
    '~^/gateway(?<rest>/.*)$ $rest;',
    '$path_and_query;',
    'proxy_set_header Host $http_host;',
    'http-request replace-path ^/gateway/(.*) /',
  ])
    expect([page.includes(line), source.includes(line)]).toEqual([true, true])
})

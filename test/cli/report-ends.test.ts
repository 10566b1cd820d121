/**
 * `report --check --service` fails if a version that ends soon is still called, or if an entry of
 * `conventions` has expired. The tests use a real service with real counts.
 */
import express from 'express'
import { afterEach, expect, it } from 'vitest'
import { reportCommand } from '../../src/cli/report-command.js'
import type { Terminal } from '../../src/cli/terminal.js'
import type { Conventions } from '../../src/conventions/options.js'
import { usage } from '../../src/usage/index.js'
import { listen } from '../clauses/fixture.js'
import { resourcesOf, serviceOf, stores } from '../clauses/retired-fixture.js'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

async function start(sunset: string, conventions: Conventions = {}) {
  const counts = usage({ client: (_, req) => String(req.headers['x-client']) })
  const from = stores()
  const service = serviceOf(
    from,
    {},
    {
      usage: counts,
      conventions,
      versions: {
        v1: { resources: resourcesOf(from, {}), deprecated: '2026-01-01', sunset },
        v2: resourcesOf(from, {}),
      },
    },
  )
  const { send, close } = await listen(express().use(service) as never)
  closers.push(close, () => counts.close())
  const run = async (...args: string[]) => {
    const said: string[] = []
    const terminal = {
      cwd: '/',
      out: () => {},
      error: (text: string) => void said.push(text),
      usageOf: async () => counts,
      serviceOf: async () => service,
    }
    const code = await reportCommand(['./usage.js', ...args], terminal as unknown as Terminal)
    return { code, said: said.join('') }
  }
  return { send, run }
}

it('VER-2: report --check fails if a version that ends within 30 days still gets calls', async () => {
  const { send, run } = await start(inDays(12.5))
  await send('GET', '/v1/pedidos/1', { 'x-client': 'billing' })
  const { code, said } = await run('--check', '--service', './api.js')
  expect(code).toBe(1)
  expect(said).toMatch(
    /^v1 ends on \d{4}-\d\d-\d\d, in 12 days: still called in the last 30 days by billing \(1 call, last .* UTC\)\. Calls were counted for 0%/,
  )
})

it('VER-2: report --check fails if it is unknown whether a version that ends soon gets calls', async () => {
  const { run, send } = await start(inDays(45))
  await send('GET', '/v2/pedidos/1', { 'x-client': 'billing' })
  expect(await run('--check', '--service', './api.js')).toEqual({ code: 0, said: '' })
  const { code, said } = await run('--check', '--service', './api.js', '--within', '60')
  expect([code, said]).toEqual([1, expect.stringContaining('There may be calls that were not counted.')])
})

it('QUERY-8: report --check fails if an entry of "conventions" has expired', async () => {
  const { run } = await start(inDays(45), {
    'QUERY-8': { mode: 'report', until: inDays(-2).slice(0, 10), routes: ['/v1/pedidos'] },
    'QUERY-7': { mode: 'report', until: inDays(2).slice(0, 10) },
  })
  const { code, said } = await run('--check', '--service', './api.js')
  expect([code, said.trim().split('\n').length]).toEqual([1, 1])
  expect(said).toMatch(
    /^The entry "conventions\.QUERY-8" for \/v1\/pedidos expired after \d{4}-\d\d-\d\d\. Its mode is still "report"\. Remove/,
  )
})

it('report refuses --check, --service and --within without the flags that they need', async () => {
  const { run } = await start(inDays(1))
  await expect(run('--check')).rejects.toThrow(/--check needs --enforce or --service/)
  await expect(run('--service', './api.js')).rejects.toThrow(/these need --check/)
  await expect(run('--check', '--enforce', 'ERR-3', '--within', '3')).rejects.toThrow(/--within needs --service/)
  await expect(run('--check', '--service', './api.js', '--within', 'x')).rejects.toThrow(/whole number/)
})

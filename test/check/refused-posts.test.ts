/**
 * A faulty service creates a record, but responds to the POST with 422. The checks remove this
 * record too.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkService } from '../../src/check/index.js'
import { serving } from './serving.js'
import { document } from './twin/document.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const token = tokenOf('admin')

async function totalOf(origin: string): Promise<string | null> {
  const response = await fetch(`${origin}/v1/orders?limit=1`, { headers: { Authorization: `Bearer ${token}` } })
  return response.headers.get('x-total-count')
}

it('the checks remove every record that a service creates although it refuses the POST', async () => {
  const app = twinApp()
  let created = 0
  const { origin, close } = await serving((req, res) => {
    const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => typeof res
    if (req.method === 'POST')
      res.writeHead = ((status: number, ...rest: unknown[]) => {
        if (status === 201) created += 1
        return writeHead(status === 201 ? 422 : status, ...rest)
      }) as typeof res.writeHead
    app(req, res)
  })
  const before = await totalOf(origin)
  const report = await checkService({
    base: origin,
    target: document,
    principals: [{ name: 'admin', token }],
    rate: 100_000,
    write: join(folder, 'ledger.jsonl'),
  })
  expect(created).toBeGreaterThan(20)
  expect(report.left).toEqual([])
  expect(await totalOf(origin)).toBe(before)
  await close()
})

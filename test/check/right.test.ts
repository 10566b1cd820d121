/**
 * The checks report no violation for correct services that are written by hand with other
 * frameworks or languages. If such a service has a fault, the checks find it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkService } from '../../src/check/index.js'
import { breaksOf } from './check-twin.js'
import { bookDocument } from './right/document.js'
import { startFastify } from './right/fastify.js'
import { startHono } from './right/hono.js'
import { startPython } from './right/python.js'
import { type Planted, token } from './right/shelf.js'
import { violationTexts } from './serving.js'

const services = {
  Fastify: { start: startFastify, methods: ['patch', 'delete'], principal: { name: 'main', token } },
  Hono: {
    start: startHono,
    methods: ['put', 'delete'],
    principal: { name: 'main', token, header: 'x-authorization-token' },
  },
  'plain Python': { start: startPython, methods: ['put', 'patch', 'delete'], principal: { name: 'main', token } },
} as const

async function checked(name: keyof typeof services, planted?: Planted, only?: readonly string[]) {
  const { start, methods, principal } = services[name]
  const { origin, close } = await start(planted)
  const folder = mkdtempSync(join(tmpdir(), 'check-'))
  try {
    return await checkService({
      base: origin,
      target: bookDocument(methods),
      principals: [principal],
      rate: 100_000,
      write: join(folder, 'ledger.jsonl'),
      disposable: true,
      ...(only === undefined ? {} : { only }),
    })
  } finally {
    await close()
    rmSync(folder, { recursive: true })
  }
}

const names = Object.keys(services) as (keyof typeof services)[]

it.each(names)('the checks of a correct %s service report no violation and leave no record', async (name) => {
  const report = await checked(name)
  expect(violationTexts(report)).toEqual([])
  expect(report.left).toEqual([])
  expect(report.counts.holds).toBeGreaterThan(45)
})

it.each([
  ['Fastify', 'If-Match ignored', 'HDR-3'],
  ['Hono', 'pages overlap', 'QUERY-7'],
  ['plain Python', 'HEAD is 200', 'VERB-8'],
] as const)('a %s service with the fault "%s" violates only %s', async (name, planted, clause) => {
  expect(breaksOf(await checked(name, planted))).toEqual([clause])
})

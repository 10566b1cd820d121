/** The example service keeps the conventions: the checks report no violation. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openAccess } from '../../examples/pre-piezas/access.js'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { tokenIssuer } from '../../src/auth/index.js'
import { resolveTarget } from '../../src/check/check-service.js'
import { type CheckReport, checkService } from '../../src/check/index.js'
import type { Target } from '../../src/check/target/target.js'
import { allWriteChecks } from '../../src/check/write/index.js'
import { embeddedStores } from '../examples/stores.js'
import { serving, violationTexts } from './serving.js'

const { stores, fill } = await embeddedStores()
const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
const issue = tokenIssuer({ key: access.key })
const methods = new Set<string>()
let report: CheckReport
let written: CheckReport
let outside: CheckReport
let flags: CheckReport
let folder: string
let safe: readonly string[]

/**
 * How the checks create a contract: they copy these members of an existing contract, and give the
 * new contract a code and a description of its own.
 */
const createContrato = {
  members: ['esCorporativo', 'esRecanalizable', 'esUrgente', 'iditg', 'tipoDeServicio', 'direccionPostal']
    .concat(['cicloDeDistribucion', 'cicloDeReenvio', 'cicloDeRendicionParaEntrega'])
    .concat(['cicloDeRendicionParaNoEntrega', 'cliente', 'estaActivo']),
  marker: 'descripcion',
  unique: ['codigoDeContratoInterno'],
}

/**
 * Adds a request body to each collection that accepts POST but cannot be listed. The body consists
 * of the members of `item` that POST accepts.
 */
const withBody = ({ unlisted = [], ...rest }: Target, item: object): Target => ({
  ...rest,
  unlisted: unlisted.map(({ create = { members: [] }, ...one }) => {
    const body = Object.fromEntries(Object.entries(item).filter(([name]) => create.members.includes(name)))
    return { ...one, create: { ...create, body } }
  }),
})

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
  const { collections } = resolveTarget(target)
  const contratos = collections.filter(({ template }) => template === '/contratos')
  flags = await checkService({
    base: `${origin}/v8`,
    target: { collections: contratos.map((one) => ({ ...one, create: createContrato })), retired: [] },
    principals: [{ name: 'operator', token: access.privateToken() }],
    rate: 10_000,
    write: join(folder, 'flags.jsonl'),
    only: ['PATH-8', 'HDR-2', 'HDR-3/stale', 'VERB-1'],
  })
  const login = await fetch(`${origin}/public/login`, { headers: { authorization: `Basic ${btoa('ana:piezas')}` } })
  const token = String(login.headers.get('x-authorization-token'))
  const piece = await fetch(`${origin}/public/v1/pre-piezas/1`, { headers: { 'x-authorization-token': token } })
  outside = await checkService({
    base: `${origin}/public/v1`,
    target: withBody(
      resolveTarget(await (await fetch(`${origin}/public/v1/openapi.json`)).json()),
      (await piece.json()) as object,
    ),
    principals: [{ name: 'ana', token, header: 'x-authorization-token' }],
    account: { user: 'ana', password: 'piezas' },
    rate: 10_000,
    write: join(folder, 'outside.jsonl'),
    disposable: true,
  })
  await close()
}, 300_000)
afterAll(async () => {
  await stores.close()
  rmSync(folder, { recursive: true })
})

it('the checks without writes report no violation', () => {
  if (process.env.SHOW)
    for (const { check, where, outcome } of [report, written, flags, outside].flatMap(({ results }) => results))
      console.log(check, where, JSON.stringify({ ...outcome, evidence: undefined }))
  expect(violationTexts(report)).toEqual([])
})

it('the checks without writes send only safe requests', () => {
  expect([...safe].sort()).toEqual(['GET', 'HEAD', 'OPTIONS'])
})

it('the run without writes and the run with writes together need at most 3,000 requests', () => {
  expect(report.requests + written.requests).toBeLessThanOrEqual(3_000)
})

it('the checks with writes report no violation and leave no records behind', () => {
  expect(violationTexts(written)).toEqual([])
  expect(written.left).toEqual([])
  expect(written.counts.holds).toBeGreaterThan(20)
})

it('the checks of flags, entity tags and If-Match of /contratos report no violation and leave no records', () => {
  expect(violationTexts(flags)).toEqual([])
  expect(flags.left).toEqual([])
})

it('the checks of the public API report no violation', () => {
  expect(violationTexts(outside)).toEqual([])
  expect(outside.left).toEqual([])
  const holding = outside.results.filter(({ outcome }) => outcome.verdict === 'holds').map(({ check }) => check)
  for (const check of ['VERB-11/create', 'VERB-11/delete', 'AUTH-2/token', 'AUTH-6/unknown-user', 'AUTH-6/limited'])
    expect(holding).toContain(check)
})

it.each(['PATH-7/parent', 'PATH-8/read', 'PATH-8/set', 'PATH-8/unset', 'PATH-8/tag', 'REP-7/expanded', 'REP-7/href'])(
  'at least one run confirms that %s holds',
  (check) => {
    const all = [...report.results, ...written.results, ...flags.results].filter((one) => one.check === check)
    expect(all.map(({ outcome }) => outcome.verdict)).toContain('holds')
  },
)

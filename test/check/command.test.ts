/**
 * Tests of the command `check`: its reports, its exit codes, and the scripts that reproduce a
 * violation.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/commands.js'
import type { Terminal } from '../../src/cli/terminal.js'
import { type Serving, serving } from './serving.js'
import { document } from './twin/document.js'
import type { Fault } from './twin/faults.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

let cwd: string
let service: Serving | undefined
beforeAll(() => {
  process.env.CHECK_ADMIN_TOKEN = tokenOf('admin')
})
afterAll(() => {
  delete process.env.CHECK_ADMIN_TOKEN
})
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'check-'))
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(document))
})
afterEach(async () => {
  rmSync(cwd, { recursive: true })
  await service?.close()
  service = undefined
})

async function start(fault?: Fault): Promise<string> {
  service = await serving(twinApp(fault))
  return service.origin
}

async function run(
  ...args: string[]
): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  let [out, error] = ['', '']
  const terminal = {
    cwd,
    now: () => new Date('2026-06-15T12:00:00Z'),
    out: (text: string) => {
      out += text
    },
    error: (text: string) => {
      error += text
    },
  }
  const code = await runCommand(['check', ...args], terminal as unknown as Terminal)
  return { code, out, error }
}

const usual = ['--document', 'openapi.json', '--token', 'CHECK_ADMIN_TOKEN', '--rate', '9999999']
const inCwd = (name: string): string => readFileSync(join(cwd, name), 'utf8')

it('the command exits with 0 for a service that keeps the conventions, and lists what was not checked', async () => {
  const { code, out } = await run(await start(), ...usual)
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/\d+ hold, 0 break, 0 break sometimes, \d+ could not be checked/),
  ])
  expect(out).toContain(
    'this check needs a principal that may not read the collection, and none was given: AUTH-4/forbidden',
  )
})

it('the command exits with 1 for a violation, and prints the check, request, expected result and fix', async () => {
  const origin = await start('past the end is 404')
  const { code, out } = await run(origin, ...usual, '--only', 'QUERY-7/past-end')
  expect(code).toBe(1)
  expect(out).toContain('BREAKS  QUERY-7/past-end  /v1/orders')
  expect(out).toContain(`request   GET ${origin}/v1/orders?limit=1&offest=10000000 -> 404`)
  expect(out).toContain('expected  200 with an empty array')
  expect(out).toContain('fix       Answer 200 with an empty array for pages past the end.')
})

it('the command prints the output that docs/check.md shows', async () => {
  const origin = await start('past the end is 404')
  const { out } = await run(origin, ...usual)
  const page = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8')
  const [, shown = ''] = /^\$ npx express-rest-conventions check http:.*?\n(.*?)^\$ echo/ms.exec(page) ?? []
  const printed = out.replaceAll(origin, 'http://localhost:8080')
  const parts = shown.split('...\n')
  expect(parts.length).toBe(3)
  for (const part of parts) expect(printed).toContain(part)
})

it('a script reproduces a violation on its own, and contains no token', async () => {
  await run(await start('no credentials needed'), ...usual, '--only', 'AUTH-4,AUTH-5', '--scripts', 'breaks')
  await service?.close()
  const origin = await start('past the end is 404')
  await run(origin, ...usual, '--only', 'QUERY-7/past-end', '--scripts', 'breaks')
  const names = readdirSync(join(cwd, 'breaks'))
  expect(names).toContain('QUERY-7-past-end-v1-orders.sh')
  for (const name of names) expect(inCwd(`breaks/${name}`)).not.toContain(tokenOf('admin'))
  const { code, out } = await shell(join(cwd, 'breaks/QUERY-7-past-end-v1-orders.sh'))
  expect([code, out]).toEqual([1, expect.stringMatching(/^--- answer 1\nHTTP\/1\.1 404 /)])
  expect(out).toContain('Expected: 200 with an empty array')
})

it('a script reads the token from the environment, and can send an altered copy of the token', async () => {
  const origin = await start('signature not verified')
  await run(origin, ...usual, '--only', 'AUTH-4/nobody,AUTH-5', '--scripts', 'breaks')
  const { code, out } = await shell(join(cwd, 'breaks/AUTH-5-altered-v1-orders.sh'))
  expect([code, out]).toEqual([1, expect.stringMatching(/^--- answer 1\nHTTP\/1\.1 200 /)])
})

it.each([
  ['HDR-3/stale', 'Evidence of the violation. The check got 200.'],
  ['HDR-3/race', '2 requests at the same time. Evidence of the violation. The check got 200, 200.'],
])('the script for a violation of %s sends the requests whose responses violate the rule', async (check, comment) => {
  const origin = await start('If-Match ignored')
  await run(origin, ...usual, '--write', '--only', check, '--scripts', 'breaks')
  const name = `breaks/${check.replace('/', '-')}-v1-orders.sh`
  expect(inCwd(name)).toContain(comment)
  expect(await shell(join(cwd, name))).toMatchObject({ code: 1 })
})

it('a script without a record of its own sends unsafe requests only if DISPOSABLE=yes is set', async () => {
  const app = twinApp()
  const unsafe: string[] = []
  service = await serving((req, res) => {
    if (req.method === 'GET' || req.method === 'OPTIONS' || req.method === 'HEAD') return app(req, res)
    unsafe.push(`${req.method} ${req.url}`)
    return req.method === 'DELETE' && req.url === '/v1/orders' ? res.writeHead(418).end() : app(req, res)
  })
  const { out } = await run(
    service.origin,
    ...usual,
    '--disposable',
    '--only',
    'VERB-7/refused,ERR-1/statuses',
    '--scripts',
    'breaks',
  )
  expect(out).toContain(`request   DELETE ${service.origin}/v1/orders -> 418`)
  expect(out).toContain('BREAKS  ERR-1/statuses  service')
  unsafe.length = 0
  const names = readdirSync(join(cwd, 'breaks'))
  expect(names.length).toBeGreaterThan(0)
  for (const name of names)
    expect(await shell(join(cwd, 'breaks', name))).toMatchObject({
      code: 2,
      out: expect.stringContaining('DISPOSABLE=yes'),
    })
  expect(unsafe).toEqual([])
})

it('a script exits with 2 if it lacks the token or gets no response', async () => {
  const origin = await start('past the end is 404')
  await run(origin, ...usual, '--only', 'QUERY-7/past-end', '--scripts', 'breaks')
  const file = join(cwd, 'breaks/QUERY-7-past-end-v1-orders.sh')
  expect(await shell(file, {})).toEqual({ code: 2, out: 'Set the environment variable CHECK_ADMIN_TOKEN.\n' })
  await service?.close()
  service = undefined
  const { code, out } = await shell(file)
  expect([code, out]).toEqual([2, expect.stringContaining('Could not determine the result: request 1 got no answer')])
})

/**
 * Runs a script and returns its exit code and output. The script runs asynchronously because the
 * service that it calls is in this process.
 */
function shell(
  file: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly code: number; readonly out: string }> {
  return new Promise((resolve) => {
    execFile('sh', [file], { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: `${stdout}${stderr}` }),
    )
  })
}

it('the command writes a JUnit report, and prints a JSON report without tokens', async () => {
  const { out } = await run(await start('406 for 415'), ...usual, '--only', 'HDR-1', '--json', '--junit', 'report.xml')
  const report = JSON.parse(out)
  const broken = report.results.find((one: { verdict: string }) => one.verdict === 'breaks')
  expect(broken).toMatchObject({ check: 'HDR-1/unsupported', clause: 'HDR-1', evidence: [{ answer: { status: 406 } }] })
  expect(out).not.toContain(tokenOf('admin'))
  expect(inCwd('report.xml')).toMatch(/<testsuites [^>]*failures="[1-9]\d*">/)
  expect(inCwd('report.xml')).toMatch(
    /<testcase name="HDR-1\/unsupported" classname="\/v1\/orders"><failure message="[^"]*415/,
  )
})

it('a baseline accepts the listed violations until their last day, and no other violations', async () => {
  const origin = await start('406 for 415')
  const only = ['--only', 'HDR-1']
  expect((await run(origin, ...usual, ...only, '--write-baseline', 'known.json')).code).toBe(1)
  expect((await run(origin, ...usual, ...only, '--baseline', 'known.json')).code).toBe(0)
  const known: readonly object[] = JSON.parse(inCwd('known.json'))
  writeFileSync(join(cwd, 'dated.json'), JSON.stringify(known.map((one) => ({ ...one, until: '2026-06-15' }))))
  expect((await run(origin, ...usual, ...only, '--baseline', 'dated.json')).code).toBe(0)
  writeFileSync(join(cwd, 'late.json'), JSON.stringify(known.map((one) => ({ ...one, until: '2026-06-14' }))))
  expect((await run(origin, ...usual, ...only, '--baseline', 'late.json')).code).toBe(1)
  writeFileSync(join(cwd, 'other.json'), JSON.stringify(known.slice(1)))
  expect((await run(origin, ...usual, ...only, '--baseline', 'other.json')).code).toBe(1)
})

it('--write-baseline keeps entries of checks that the run leaves out, and drops those of unknown checks', async () => {
  const origin = await start()
  const page = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8')
  const checks = [...page.matchAll(/^\| `([A-Z]+-\d+\/[\w-]+)` \|/gm)].map(([, check]) => check as string)
  const known = checks
    .filter((check) => !check.startsWith('QUERY-7/'))
    .map((check) => ({ check, where: check.startsWith('AUTH-6/') ? 'service' : '/v1/orders' }))
  expect(known.map(({ check }) => check)).toEqual(expect.arrayContaining(['VERB-7/refused', 'AUTH-6/limited']))
  const unknown = { check: 'VERB-7/unknown', where: '/v1/orders' }
  writeFileSync(join(cwd, 'known.json'), JSON.stringify([...known, unknown]))
  const files = ['--baseline', 'known.json', '--write-baseline', 'known.json']
  const { error } = await run(origin, ...usual, '--only', 'QUERY-7', ...files)
  expect(error.match(/.* was not checked: there is no such check/g)).toEqual([
    'VERB-7/unknown at /v1/orders was not checked: there is no such check',
  ])
  expect(JSON.parse(inCwd('known.json'))).toEqual(known)
})

it('--dry-run prints the plan and sends nothing', async () => {
  let requests = 0
  service = await serving((_, res) => {
    requests += 1
    res.end()
  })
  const { code, out } = await run(service.origin, ...usual, '--dry-run')
  expect([code, requests]).toEqual([0, 0])
  expect(out).toContain('/v1/orders')
  expect(out).toContain('QUERY-7/walk-disjoint')
})

it('the command fetches the document from the service, and sends the token only after a 401', async () => {
  const app = twinApp()
  const tokens: (string | undefined)[] = []
  service = await serving((req, res) => {
    if (req.url !== '/openapi.json') return app(req, res)
    tokens.push(req.headers.authorization)
    if (req.headers.authorization === undefined) res.writeHead(401).end()
    else res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
  })
  const { code } = await run(service.origin, '--token', 'CHECK_ADMIN_TOKEN', '--rate', '9999999', '--only', 'QUERY-7')
  expect([code, tokens]).toEqual([0, [undefined, `Bearer ${tokenOf('admin')}`]])
})

it('--init writes a target file that --target accepts and that contains no token', async () => {
  const origin = await start()
  expect((await run(origin, ...usual, '--init', 'target.json')).code).toBe(0)
  expect(inCwd('target.json')).not.toContain(tokenOf('admin'))
  const { code, out } = await run(origin, '--target', 'target.json', '--rate', '9999999', '--only', 'QUERY-7')
  expect([code, out]).toEqual([0, expect.stringContaining('0 break,')])
})

it('the command stops when the budget of requests is spent, and says so', async () => {
  let requests = 0
  const app = twinApp()
  service = await serving((req, res) => {
    requests += 1
    app(req, res)
  })
  const { code, out } = await run(service.origin, ...usual, '--budget', '20')
  expect([code, requests]).toEqual([0, 20])
  expect(out).toContain('the budget of 20 requests is spent')
})

it('--write refuses to start while the ledger lists leftover records, and --cleanup removes them', async () => {
  const app = twinApp()
  let isDown = false
  service = await serving((req, res) => {
    isDown ||= req.method === 'PATCH'
    if (isDown) req.socket.destroy()
    else app(req, res)
  })
  const { origin } = service
  const first = await run(origin, ...usual, '--write', '--only', 'VERB-5')
  expect(first.error).toContain('left: ')
  isDown = false
  const second = await run(origin, ...usual, '--write', '--only', 'VERB-6')
  expect([second.code, second.error]).toEqual([
    2,
    expect.stringContaining('check-ledger.jsonl lists records that an earlier run has left'),
  ])
  const third = await run(origin, ...usual, '--cleanup')
  expect([third.code, third.out]).toEqual([0, expect.stringMatching(/^([1-9]\d*) of \1 removed\.\n$/)])
  const fourth = await run(origin, ...usual, '--write', '--only', 'VERB-6')
  expect([fourth.code, fourth.out]).toEqual([0, expect.stringMatching(/: 2 hold, 0 break/)])
})

it.each([
  [
    ['--token', 'CHECK_ADMIN_TOKEN'],
    [
      'the first principal gets 401 for an unknown version: VER-1/unknown',
      'GET /v1/orders got 401: the first principal must be able to read it: QUERY-7/past-end, VERB-7/refused',
      'DELETE got 401: the first principal needs valid credentials: VERB-7/refused',
    ],
  ],
  [
    [],
    [
      'a caller without credentials gets 401 for an unknown version: VER-1/unknown',
      'GET /v1/orders got 401: no principal was given that can read it: QUERY-7/past-end, VERB-7/refused',
      'DELETE got 401: no principal with valid credentials was given: VERB-7/refused',
    ],
  ],
])(
  'with the flags %j, if a 401 prevents a check, the printed reason names only principals that were given',
  async (flags, reasons) => {
    const app = twinApp('no credentials needed')
    service = await serving((req, res) => {
      const isOpen = req.method !== 'DELETE' && req.url?.startsWith('/v1/customers') === true
      if (isOpen) return app(req, res)
      res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
    })
    const usualButToken = ['--document', 'openapi.json', '--rate', '9999999']
    const only = ['--only', 'VER-1,QUERY-7/past-end,VERB-7/refused']
    const { out } = await run(service.origin, ...usualButToken, ...flags, '--disposable', ...only)
    for (const reason of reasons) expect(out).toContain(`  ${reason}\n`)
  },
)

it('the command exits with 2 if nothing could be checked', async () => {
  const origin = await start()
  await service?.close()
  service = undefined
  const { code, error } = await run(origin, ...usual)
  expect([code, error]).toEqual([2, expect.stringContaining('Nothing could be checked.')])
})

it.each([
  [[], 'Which service?'],
  [['example.com'], '<base url> is "example.com". Give an absolute address'],
  [['http://127.0.0.1:1', '--onyl', 'x'], '--onyl is not a flag. Did you mean "--only"?'],
  [
    ['http://127.0.0.1:1', '--only', 'QUERY-88'],
    '--only names "QUERY-88", which is not a clause. Did you mean "QUERY-8"?',
  ],
  [
    ['http://127.0.0.1:1', '--only', 'QUERY-7,HDR-3/stael'],
    '--only names "HDR-3/stael", which is not a check. Did you mean "HDR-3/stale"?',
  ],
  [
    ['http://127.0.0.1:1', '--only', 'LIMIT-1/nothing-like-it'],
    '--only names "LIMIT-1/nothing-like-it", which is not a check. Checks of LIMIT-1: LIMIT-1/retry-after',
  ],
  [['http://127.0.0.1:1', '--only', ','], '--only names no clause and no check. Give ids such as QUERY-7'],
  [['http://127.0.0.1:1', '--rate', '0'], '--rate is "0". Give a whole number'],
  [
    ['http://127.0.0.1:1', '--production', '--rate', '50'],
    '--rate is 50, and --production sends at most 10 requests per second',
  ],
  [['http://127.0.0.1:1', '--production', '--disposable'], '--production and --disposable are both given.'],
  [
    ['http://127.0.0.1:1', '--disposable', '--cleanup'],
    '--disposable and --cleanup are both given. First run --cleanup alone.',
  ],
  [['http://127.0.0.1:1', '--document', 'absent.json'], 'absent.json cannot be read'],
  [
    ['http://127.0.0.1:1', '--document', 'openapi.json', '--token', 'CHECK_NO_TOKEN'],
    'The environment variable CHECK_NO_TOKEN is not set',
  ],
  [
    ['http://127.0.0.1:1', '--document', 'openapi.json', '--token-command', 'echo a secret'],
    'or did not print exactly one word',
  ],
  [['http://127.0.0.1:1'], 'cannot be fetched'],
])('the arguments %j fail: %s', async (args, message) => {
  const { code, error } = await run(...args)
  expect([code, error]).toEqual([2, expect.stringContaining(message)])
  expect(error).not.toContain('a secret')
  expect(existsSync(join(cwd, 'breaks'))).toBe(false)
})

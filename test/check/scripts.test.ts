/**
 * Tests the shell scripts that `check` writes, one for each violation. Each script finds its
 * violation in the faulty service, and finds no violation in the correct service.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { resolveTarget } from '../../src/check/check-service.js'
import type { Principal } from '../../src/check/client/principals.js'
import { checkService } from '../../src/check/index.js'
import { cksum } from '../../src/check/report/cksum.js'
import { scriptsOf } from '../../src/check/report/scripts.js'
import { withoutSecrets } from '../../src/check/report/secrets.js'
import { share } from '../size.js'
import { principalsOf } from './check-twin.js'
import { serving } from './serving.js'
import { documentOf } from './twin/document.js'
import { type Fault, readFaults, writeFaults } from './twin/faults.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scripts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const env = {
  ...process.env,
  DISPOSABLE: 'yes',
  LOGIN_USER: 'ana',
  LOGIN_PASSWORD: 'secret',
  LOGIN_TOKEN: tokenOf('ana'),
}

/**
 * The faults without a script. To reproduce them, a script would need many requests, exact times,
 * simultaneous requests in a certain order, records of two collections, or values that it cannot
 * produce.
 */
const unscripted: readonly string[] = [
  'logins are not limited',
  '429 without Retry-After',
  'unknown users take no time',
  'PUT compares, waits and writes',
  'DELETE compares, waits and deletes',
  'looks for the idempotency key, waits and creates',
  'missing item attached',
  'attach has no effect',
  'second attach refused',
  'detach has no effect',
  'detach deletes the item',
]

interface Ran {
  readonly name: string
  readonly code: number
  readonly output: string
}

/** Runs the named scripts of the folder, one after the other. */
async function runAll(
  names: readonly string[],
  principals: readonly Principal[],
  more: NodeJS.ProcessEnv = {},
): Promise<readonly Ran[]> {
  const all: Ran[] = []
  const tokens = Object.fromEntries(principals.map(({ name, token }) => [`${name.toUpperCase()}_TOKEN`, token]))
  for (const name of names)
    all.push(
      await new Promise((resolve) => {
        execFile('sh', [join(folder, name)], { env: { ...env, ...tokens, ...more } }, (error, stdout, stderr) =>
          resolve({ name, code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
        )
      }),
    )
  return all
}

const totalOf = async (origin: string): Promise<string | null> =>
  (
    await fetch(`${origin}/v1/orders?limit=1`, { headers: { Authorization: `Bearer ${tokenOf('admin')}` } })
  ).headers.get('x-total-count')

const faults = Object.entries({ ...readFaults, ...writeFaults })
/**
 * The faults for `npm test`: a wrong status, overlapping pages, an ignored precondition, and a lost
 * member.
 */
const few = ['past the end is 404', 'pages overlap', 'If-Match ignored', 'PUT loses a member']
const fewFaults = faults.filter(([fault]) => few.includes(fault))

it.each(share(faults, 4, fewFaults))(
  'each script for the fault "%s" reproduces the fault, and leaves no record behind',
  async (fault, clause) => {
    const principals = principalsOf(fault as Fault)
    const faulty = await serving(twinApp(fault as Fault))
    const port = Number(new URL(faulty.origin).port)
    const report = await checkService({
      base: faulty.origin,
      target: { ...resolveTarget(documentOf(fault as Fault)), retired: ['v0'] },
      principals,
      account: { user: 'ana', password: 'secret' },
      rate: 100_000,
      write: join(folder, 'ledger.jsonl'),
      disposable: true,
      only: [clause, 'VERB-1', 'HDR-2'],
    })
    // Like the command, this test removes the tokens from the report before it writes the scripts.
    const scripts = scriptsOf(withoutSecrets(report, principals, undefined).results, principals)
    for (const { name, text } of scripts) writeFileSync(join(folder, name), text)
    const names = scripts.map(({ name }) => name)
    const before = await totalOf(faulty.origin)
    const shown = await runAll(names, principals)
    const after = await totalOf(faulty.origin)
    await faulty.close()
    expect(shown.filter(({ code }) => code !== 1)).toEqual([])
    expect(names.length > 0).toBe(!unscripted.includes(fault))
    // With the fault 'deleted is still there' the record remains, and the script says so.
    if (fault !== 'deleted is still there') expect(after).toBe(before)
    else expect(shown.map(({ output }) => output).join()).toContain('Could not remove: ')
    if (names.length === 0) return

    const right = await serving(twinApp(), port)
    const refuted = await runAll(names, principals)
    const left = await totalOf(right.origin)
    await right.close()
    expect(refuted.filter(({ code }) => code !== 0)).toEqual([])
    expect(left).toBe('23')
  },
)

it('a script sends a wrong password for a real user only if DISPOSABLE is "yes", else it sends nothing', async () => {
  let requests = 0
  const app = twinApp('login reveals unknown users')
  const { origin, close } = await serving((req, res) => {
    requests += 1
    app(req, res)
  })
  const principals = principalsOf(undefined)
  const report = await checkService({
    base: origin,
    target: resolveTarget(documentOf(undefined)),
    principals,
    account: { user: 'ana', password: 'secret' },
    rate: 100_000,
    write: join(folder, 'ledger.jsonl'),
    disposable: true,
    only: ['AUTH-6/unknown-user'],
  })
  const [script] = scriptsOf(withoutSecrets(report, principals, undefined).results, principals)
  writeFileSync(join(folder, 'AUTH-6.sh'), script?.text ?? '')
  requests = 0
  const [refused] = await runAll(['AUTH-6.sh'], principals, { DISPOSABLE: '' })
  expect([refused?.code, requests]).toEqual([2, 0])
  expect(refused?.output).toMatch(/^The script sends a wrong password for a real user, .* Set DISPOSABLE=yes\.\n$/)
  expect(await runAll(['AUTH-6.sh'], principals)).toMatchObject([{ code: 1 }])
  expect(requests).toBe(2)
  await close()
})

it('cksum() returns what the shell command cksum prints', () => {
  expect(['', '123456789'].map(cksum)).toEqual(['4294967295 0', '930766865 9'])
})

/** Each script runs alone: it shows its break against the faulty service, and nothing against the right one. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { resolveTarget } from '../../src/check/check-service.js'
import { checkService } from '../../src/check/index.js'
import { cksum } from '../../src/check/report/cksum.js'
import { scriptsOf } from '../../src/check/report/scripts.js'
import { size } from '../size.js'
import { serving } from './serving.js'
import { document } from './twin/document.js'
import { type Fault, readFaults, writeFaults } from './twin/faults.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scripts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const principals = [
  { name: 'admin', token: tokenOf('admin') },
  { name: 'guest', token: tokenOf('guest'), forbidden: ['/v1/customers'] },
]
const env = { ...process.env, ADMIN_TOKEN: tokenOf('admin'), GUEST_TOKEN: tokenOf('guest'), DISPOSABLE: 'yes' }

interface Ran {
  readonly name: string
  readonly code: number
  readonly output: string
}

/** Runs the files of the folder, one after the other. */
async function runAll(names: readonly string[]): Promise<readonly Ran[]> {
  const all: Ran[] = []
  for (const name of names)
    all.push(
      await new Promise((resolve) => {
        execFile('sh', [join(folder, name)], { env }, (error, stdout, stderr) =>
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
/** In the quick form: a status, two pages, a write, and a member that is lost. */
const few = ['past the end is 404', 'pages overlap', 'If-Match ignored', 'PUT loses a member']

it.each(faults.filter(([fault]) => few.includes(fault) || few.length < size(few.length, faults.length)))(
  'the scripts of "%s" show it again, and leave nothing behind',
  async (fault, clause) => {
    const faulty = await serving(twinApp(fault as Fault))
    const port = Number(new URL(faulty.origin).port)
    const report = await checkService({
      base: faulty.origin,
      target: { ...resolveTarget(document), retired: ['v0'] },
      principals,
      rate: 100_000,
      write: join(folder, 'ledger.jsonl'),
      disposable: true,
      only: [clause, 'VERB-1', 'HDR-2'],
    })
    const scripts = scriptsOf(report.results, principals)
    for (const { name, text } of scripts) writeFileSync(join(folder, name), text)
    const names = scripts.map(({ name }) => name)
    const before = await totalOf(faulty.origin)
    const shown = await runAll(names)
    const after = await totalOf(faulty.origin)
    await faulty.close()
    expect(shown.filter(({ code }) => code !== 1)).toEqual([])
    expect(names.length).toBeGreaterThan(0)
    // What can not be deleted is left, and the script says so.
    if (fault !== 'deleted is still there') expect(after).toBe(before)
    else expect(shown.map(({ output }) => output).join()).toContain('Left: ')

    const right = await serving(twinApp(), port)
    const refuted = await runAll(names)
    const left = await totalOf(right.origin)
    await right.close()
    expect(refuted.filter(({ code }) => code !== 0)).toEqual([])
    expect(left).toBe('23')
  },
)

it('cksum() prints what the command does', () => {
  expect(['', '123456789'].map(cksum)).toEqual(['4294967295 0', '930766865 9'])
})

/**
 * The command is killed with SIGKILL in the middle of a run. `--cleanup` then removes all records
 * that the run created.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { serving } from './serving.js'
import { document } from './twin/document.js'
import { tokenOf } from './twin/tokens.js'
import { twinApp } from './twin/twin.js'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'check-'))
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(document))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const totalOf = async (origin: string): Promise<string | null> =>
  (
    await fetch(`${origin}/v1/orders?limit=1`, { headers: { Authorization: `Bearer ${tokenOf('admin')}` } })
  ).headers.get('x-total-count')

function start(origin: string, ...flags: readonly string[]) {
  const args = [main, 'check', origin, '--document', 'openapi.json', '--token', 'ADMIN_TOKEN', '--rate', '9999999']
  const child = spawn(process.execPath, [...args, ...flags], {
    cwd,
    env: { ...process.env, ADMIN_TOKEN: tokenOf('admin') },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended: once(child, 'close') }
}

/**
 * The moments at which the command is killed: before or after the service handles a certain
 * request.
 */
const moments = [
  ['--write', 'VERB-5', 'PATCH', 1, 'before'],
  ['--write', 'VERB-2', 'POST', 1, 'after'],
  ['--disposable', 'AUTH-4/write', 'DELETE', 2, 'after'],
  ['--disposable', 'AUTH-4/write', 'POST', 3, 'before'],
  ['--disposable', 'AUTH-4/write', 'POST', 2, 'after'],
] as const

it.each(moments)(
  '--cleanup removes the records of a run (%s --only %s) that was killed at %s number %i, %s the service handled it',
  async (flag, only, method, number, when) => {
    // With this fault, a request without credentials creates a record too. --cleanup sends
    // credentials, and also removes that record.
    const app = twinApp(flag === '--disposable' ? 'writes need no credentials' : undefined)
    let count = 0
    let kill = (): void => {}
    const { origin, close } = await serving((req, res) => {
      if (req.method === method) count += 1
      const isMoment = req.method === method && count === number
      if (isMoment && when === 'before') return kill()
      app(req, res)
      if (isMoment) res.on('finish', kill)
    })
    const run = start(origin, flag, '--only', only)
    kill = () => void run.child.kill('SIGKILL')
    expect((await run.ended)[1]).toBe('SIGKILL')
    kill = () => {}
    expect((await start(origin, '--cleanup').ended)[0]).toBe(0)
    expect(await totalOf(origin)).toBe('23')
    await close()
  },
)

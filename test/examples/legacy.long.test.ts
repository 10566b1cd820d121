/**
 * The steps of examples/legacy, started as the README of the example starts them: the service is
 * one process, and its clients are another.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { brokenClauses, folder, newClients, oldClients, steps } from './legacy-steps.js'

const running: ChildProcess[] = []
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  }
})

async function start(step: number, env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, [folder('main.cjs'), String(step)], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...env },
    // stderr is ignored, because one of the clients sends a truncated body, and Express then prints
    // a stack trace.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  running.push(child)
  const [line] = await once(child.stdout, 'data')
  const [, base] = /^step \d listens on (http:\/\/localhost:\d+)\n$/.exec(String(line)) ?? []
  return base as string
}

const run = promisify(execFile)
const clients = (which: string, base: string) => run(process.execPath, [folder('clients/run.cjs'), which, base])

it.each(steps)('the old clients of examples/legacy run without a failure at step %d', async (step) => {
  const { stdout } = await clients('old', await start(step, { SUNSET: '2999-01-01' }))
  expect(stdout.trimEnd().split('\n')).toEqual(Object.keys(oldClients).map((name) => `ok      ${name}`))
})

it('the command "report" names the fifteen clauses that the old clients violate at step 1', async () => {
  const base = await start(1)
  await clients('old', base)
  const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const report = (token: string) =>
    run(process.execPath, [command, 'report', `${base}/ops/usage`], {
      env: { ...process.env, REPORT_AUTHORIZATION: `Bearer ${token}` },
    })
  const { stdout } = await report('office-token')
  expect([...stdout.matchAll(/^([A-Z]+-\d+) .+: \d+ responses?, /gm)].map(([, clause]) => clause).sort()).toEqual(
    brokenClauses.map(({ clause }) => clause).sort(),
  )
  await expect(report('shop-token')).rejects.toMatchObject({ code: 2 })
})

it('after the end of the old version, the new clients work with step 7 and the old clients fail', async () => {
  const base = await start(7, { SUNSET: '2025-07-02' })
  const { stdout } = await clients('new', base)
  expect(stdout.trimEnd().split('\n')).toEqual(Object.keys(newClients).map((name) => `ok      ${name}`))
  const failed = await clients('old', base).catch((error: { code: number; stdout: string }) => error)
  expect(failed).toMatchObject({ code: 1, stdout: expect.not.stringMatching(/^ok /m) })
})

it('the service of examples/legacy ends with code 0 on SIGTERM', async () => {
  await start(0)
  const [child] = running as [ChildProcess]
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

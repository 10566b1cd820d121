import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expand } from '../../bench/run/child.js'
import { freshDatabase } from '../servers/databases.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'erc-bench-'))

beforeAll(() => {
  execFileSync('npx', ['tsc', '-p', 'bench/tsconfig.json'], { cwd: root, stdio: 'inherit' })
})
afterAll(() => rmSync(scratch, { recursive: true }))

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, 'build/bench/main.js'), ...args], {
    cwd: scratch,
    env: { ...process.env, ...env },
  })
  const output = { text: '' }
  child.stdout.on('data', (part) => {
    output.text += part
  })
  child.stderr.on('data', (part) => {
    output.text += part
  })
  return { child, output, ended: once(child, 'close').then(([code]) => code as number) }
}

describe('npm run bench', () => {
  it('measures only the named servers, prints the results, and writes them as JSON', async () => {
    const { output, ended } = start(
      ['--workloads', 'item', '--servers', 'raw,mounted', '--rounds', '2', '--requests', '20', '--json', 'out.json'],
      {
        INIT_CWD: scratch,
      },
    )
    expect(await ended, output.text).toBe(0)
    expect(output.text).toMatch(/item GET\n.*\n {2}raw +[\d.]+ us/)
    const { workloads, rounds, each } = JSON.parse(readFileSync(join(scratch, 'out.json'), 'utf8'))
    expect({ rounds, each }).toEqual({ rounds: 2, each: '20 requests' })
    expect(workloads[0].rows.map(({ id }: { id: string }) => id)).toEqual(['raw', 'mounted'])
    for (const { samples } of workloads[0].rows)
      expect(samples.map(({ requests }: { requests: number }) => requests)).toEqual([20, 20])
  })

  it('ends all its processes and drops its schema after a signal', async () => {
    await using place = await freshDatabase()
    const schemas = async (): Promise<number> =>
      (await place.sql(`SELECT 1 FROM pg_namespace WHERE nspname LIKE 'erc_bench_%'`)).length
    const { child, output, ended } = start(['--workloads', 'pg-item', '--servers', 'express', '--seconds', '60'], {
      DATABASE_URL: place.url,
    })
    await expect.poll(schemas, { timeout: 10_000 }).toBe(1)
    child.kill('SIGINT')
    // The output closes only when all processes that write to it have ended.
    expect(await ended, output.text).toBe(130)
    expect(await schemas()).toBe(0)
  })

  it('with --tail, measures two servers by default, and reports percentiles for each kind of request', async () => {
    await using place = await freshDatabase()
    const { output, ended } = start(['--tail', '--rounds', '1', '--seconds', '1', '--json', 'tail.json'], {
      DATABASE_URL: place.url,
      INIT_CWD: scratch,
    })
    expect(await ended, output.text).toBe(0)
    expect(output.text).toMatch(
      /Tail in PostgreSQL: \d+ requests per second.*\n.*p99\.9 ms\n {2}item +fastify-tuned +\d+/,
    )
    const { tail } = JSON.parse(readFileSync(join(scratch, 'tail.json'), 'utf8'))
    expect(tail.servers.map(({ id }: { id: string }) => id)).toEqual(['fastify-tuned', 'mounted-helper'])
    for (const { kinds } of tail.servers) {
      const figures = Object.values<{ requests: number; p50: number; p99: number; p999: number }>(kinds)
      expect(figures.reduce((sum, { requests }) => sum + requests, 0)).toBe(tail.rate)
      for (const { requests, p50, p99, p999 } of figures) {
        expect(requests).toBeGreaterThan(0)
        expect([p50, p99, p999]).toEqual([p50, p99, p999].toSorted((a, b) => a - b))
      }
    }
  }, 120_000)

  it('reports a wrong argument in one line', async () => {
    const { output, ended } = start(['--servers', 'apache'])
    expect(await ended).toBe(2)
    expect(output.text).toMatch(/^--servers has the unknown name "apache"\. There are: raw, [^\n]+\n$/)
  })
})

describe('lists of CPU cores', () => {
  it('are parsed from the format of taskset', () => {
    expect(expand('0-2,5')).toEqual([0, 1, 2, 5])
    expect(expand('7')).toEqual([7])
    expect(expand('')).toEqual([])
  })
})

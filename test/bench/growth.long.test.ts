import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { XMLValidator } from 'fast-xml-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { steps } from '../../bench/growth/curve.js'
import { curveNames } from '../../bench/growth/curves/index.js'
import { branchesOf, branchOf, extentOf, piecesOf } from '../../bench/growth/data/records.js'
import { mixed } from '../../bench/growth/load/mix.js'
import { openRound } from '../../bench/growth/load/round.js'
import { parseOptions } from '../../bench/growth/options.js'
import { growthChart } from '../../bench/growth/report/chart.js'
import {
  type CurveResult,
  type GrowthResult,
  pointOf,
  type Series,
  verdictOf,
} from '../../bench/growth/report/result.js'
import { amount, curveTable, curveText, verdictText } from '../../bench/growth/report/text.js'
import { UsageError } from '../../bench/options.js'
import { freshDatabase } from '../servers/databases.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'erc-bench-'))

beforeAll(() => {
  execFileSync('npx', ['tsc', '-p', 'bench/tsconfig.json'], { cwd: root, stdio: 'inherit' })
})
afterAll(() => rmSync(scratch, { recursive: true }))

async function run(args: readonly string[], env: Record<string, string>): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, [join(root, 'build/bench/growth/main.js'), ...args], {
    cwd: scratch,
    env: { ...process.env, INIT_CWD: scratch, ...env },
  })
  let text = ''
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (part) => {
      text += part
    })
  }
  const [code] = await once(child, 'close')
  return { code, text }
}

const tiny = '--rounds 1 --requests 20 --rows 1000 --resources 3 --connections 20 --endurance 1000'.split(' ')

describe('npm run bench:growth', () => {
  it('measures every curve, in memory and in PostgreSQL, and writes the results', { timeout: 240_000 }, async () => {
    await using place = await freshDatabase()
    const { code, text } = await run([...tiny, '--json', 'growth.json'], { DATABASE_URL: place.url })
    expect(code, text).toBe(0)
    const result: GrowthResult = JSON.parse(readFileSync(join(scratch, 'growth.json'), 'utf8'))
    expect(result).toMatchObject({ rounds: 1, each: '20 requests', leftOut: [] })
    expect(result.curves.map(({ name }) => name)).toEqual(curveNames)
    const xs = Object.fromEntries(result.curves.map(({ name, series }) => [name, series[0]?.points.map(({ x }) => x)]))
    expect(xs).toMatchObject({
      rows: [10, 100, 1000],
      depth: [1, 10],
      resources: [1, 3],
      filters: [0, 1, 2, 4, 8],
      expansions: [0, 1, 2, 4],
      connections: [1, 2, 20],
      endurance: Array.from({ length: 10 }, (_, at) => (at + 1) * 100),
    })
    for (const { name, series } of result.curves) {
      for (const { title, figure, unit, points } of series) {
        for (const { samples } of points) {
          const what = `${name}, ${title}: ${figure} is ${samples}`
          expect(samples.length, what).toBeGreaterThan(0)
          // With so few records, a difference in heap size is mostly noise, and can be negative.
          if (unit !== 'bytes') expect(Math.min(...samples), what).toBeGreaterThan(0)
          else expect(samples.every(Number.isFinite), what).toBe(true)
        }
      }
    }
    const { series } = result.curves.find(({ name }) => name === 'expansions') as CurveResult
    const calls = series.filter(({ unit }) => unit === 'calls')
    expect(calls.map(({ title, points }) => [title, ...points.map(({ samples }) => samples[0])])).toEqual([
      ['page, memory', 1, 2, 3, 5],
      ['page, PostgreSQL', 1, 2, 3, 5],
    ])
    expect(text).toMatch(
      /resources: an item[^\n]+\n {2}resources +1 +3\n {2}first, one api\(\): CPU +[\d.]+ [um]s +[\d.]+ [um]s/,
    )
    expect(await place.sql(`SELECT 1 FROM pg_namespace WHERE nspname LIKE 'erc_bench_%'`)).toEqual([])
    // Creates the chart, and the tables for the page in the docs.
    const args = [join(root, 'build/bench/chart.js'), 'growth.json', 'growth.svg']
    const tables = execFileSync(process.execPath, args, {
      cwd: scratch,
      env: { ...process.env, INIT_CWD: scratch },
      encoding: 'utf8',
    })
    for (const name of curveNames) expect(tables).toContain(`### ${name}\n\n| `)
    expect(XMLValidator.validate(readFileSync(join(scratch, 'growth.svg'), 'utf8'))).toBe(true)
  })

  it('without PostgreSQL, measures only the memory adapter, and prints what it skipped', async () => {
    const { code, text } = await run([...tiny, '--curves', 'filters'], {
      DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none',
    })
    expect(code, text).toBe(0)
    expect(text).toContain('Skipped: the measurements in PostgreSQL')
    expect(text).toContain('page, memory: CPU')
    expect(text).not.toContain('page, PostgreSQL')
  })
})

describe('the load of npm run bench:growth', () => {
  it('stops with an error at an unexpected status', async () => {
    let left = 3
    const server = createServer((_req, res) => res.writeHead(left-- > 0 ? 200 : 503).end('{}')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const round = {
      port: (server.address() as AddressInfo).port,
      connections: 2,
      requests: 10,
      seconds: 5,
      asked: [{ path: '/a', status: 200 }],
    }
    const opened = await openRound(round)
    await expect(opened.run()).rejects.toThrow('GET /a got the status 503 instead of 200.')
    opened.close()
    await expect(openRound(round)).rejects.toThrow('503 instead of 200')
    server.close()
  })

  it('rarely repeats a request, except to revalidate the response that it has just received', () => {
    const mix = { rows: 1000, matches: 250, secret: Buffer.alloc(32).toString('base64') }
    const turn = mixed({ first: 0, ...mix })(0)
    const asked = Array.from({ length: 2000 }, () => turn('"a"'))
    const distinct = (of: (one: (typeof asked)[number]) => unknown): number => new Set(asked.map(of)).size
    expect(distinct(({ headers }) => headers?.authorization)).toBeGreaterThan(1500)
    expect(distinct(({ headers }) => headers?.host)).toBeGreaterThan(1500)
    expect(distinct(({ headers }) => headers?.accept)).toBeGreaterThan(1500)
    expect(distinct(({ path }) => path)).toBeGreaterThan(1000)
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200, 304, 400, 401, 404, 412]))
    const [at] = asked.flatMap(({ status }, place) => (status === 304 ? [place] : []))
    expect(asked[at as number]).toMatchObject({
      ...asked[(at as number) - 1],
      headers: { 'if-none-match': '"a"' },
      status: 304,
    })
    // The requests of the mix never change a record that other requests of the mix read.
    const changed = new Set(asked.filter(({ method }) => method === 'PATCH').map(({ path }) => path))
    expect(asked.filter(({ method, path }) => method === undefined && changed.has(path))).toEqual([])
    expect(mixed({ first: 2000, ...mix })(0)(undefined).headers).not.toEqual(asked[0]?.headers)
  })
})

describe('the data of npm run bench:growth', () => {
  it('has pieces with distinct times, and ten pieces in the list of each branch, newest first', () => {
    for (const rows of [10, 100, 1000]) {
      const extent = extentOf(rows, 10)
      const all = [...piecesOf(extent)]
      expect(all.map(({ numero }) => numero)).toEqual(Array.from({ length: rows }, (_, at) => at + 1))
      expect(new Set(all.map(({ fechaDeEntrada }) => fechaDeEntrada)).size).toBe(rows)
      for (const branch of [1, branchesOf(extent)]) {
        const own = all.filter(({ sucursalDeDistribucion }) => sucursalDeDistribucion === branch)
        expect(own.length).toBe(10)
        expect(branchOf(branch, extent)).toEqual(own.sort((a, b) => (a.fechaDeEntrada < b.fechaDeEntrada ? 1 : -1)))
      }
    }
  })

  it('has curves whose points are distinct integers in ascending order', () => {
    expect(steps(1, 0.3, 3)).toEqual([1, 3])
    expect(steps(1, 100, 1000)).toEqual([1, 100, 1000])
  })
})

const series = (more: Partial<Series>, ...medians: readonly number[]): Series => ({
  title: 'an item & a page',
  figure: 'CPU',
  unit: 'us',
  points: medians.map((median, at) => pointOf(10 ** at, [median])),
  ...more,
})

describe('the verdict on a growth curve', () => {
  const flat = { within: 1.25 }

  it('is flat if the ratio of the last value to the first value does not exceed the bound', () => {
    expect(verdictOf(series({ flat }, 100, 900, 125))).toEqual({ from: 1, to: 100, ratio: 1.25, flat: true })
    expect(verdictOf(series({ flat }, 100, 100, 126))).toMatchObject({ flat: false })
    expect(verdictOf(series({ flat }, 100, 20))).toMatchObject({ ratio: 0.2, flat: true })
  })

  it('compares the last point with point "from", and is also flat if the difference is at most "orBy"', () => {
    const heap = { within: 1.1, orBy: 8, from: 1 }
    expect(verdictOf(series({ flat: heap }, 1, 10, 18))).toEqual({ from: 10, to: 100, ratio: 1.8, flat: true })
    expect(verdictOf(series({ flat: heap }, 18, 10, 19))).toMatchObject({ flat: false })
    expect(verdictOf(series({ flat: heap }, 1, 100, 110))).toMatchObject({ flat: true })
  })

  it('is only a ratio if there is no bound, and is absent for a single point', () => {
    expect(verdictOf(series({}, 10, 30))).toEqual({ from: 1, to: 10, ratio: 3, flat: undefined })
    expect(verdictOf(series({ flat }, 10))).toBeUndefined()
    expect(verdictText(series({ flat }, 10))).toBe('')
    expect(verdictText(series({}, 10, 30))).toBe('3.00 x')
    expect(verdictText(series({ flat }, 10, 30))).toBe('3.00 x, GROWS: more than 1.25 x from 1 to 10')
    expect(verdictText(series({ flat }, 10, 11))).toBe('1.10 x, flat')
  })
})

describe('the report of npm run bench:growth', () => {
  const curve: CurveResult = {
    name: 'rows',
    title: 'rows: of all',
    x: 'rows',
    series: [
      { ...series({}, 90, 110), points: [pointOf(1000, [80, 90, 100]), pointOf(1_000_000, [1500])] },
      series({ unit: 'calls', figure: 'adapter calls' }, 1, 2),
      series({ figure: 'alone' }, 5),
    ],
  }
  const result: GrowthResult = {
    date: '2026-01-02T03:04:05.000Z',
    node: '24.1.0',
    machine: 'a machine',
    cores: 2,
    pinned: true,
    load: [0, 1],
    rounds: 3,
    each: '1 s',
    leftOut: [],
    curves: [
      curve,
      {
        ...curve,
        name: 'filters',
        series: [{ ...series({}, 1), points: [pointOf(0, [5]), pointOf(1, [6]), pointOf(8, [900])] }],
      },
    ],
  }

  it('has a line for each series and a column for each point, in readable units', () => {
    const text = curveText(curve)
    expect(text).toMatch(/^rows: of all\n {2}rows +1 +10 +1,000 +1,000,000/)
    expect(text).toMatch(/an item & a page: CPU +90\.0 us \(85\.0-95\.0\) +1\.50 ms +16\.67 x$/m)
    expect(curveTable(curve)).toContain('| an item & a page: adapter calls | 1.00 | 2.00 |  |  | 2.00 x |')
    expect([
      amount(999, 'us'),
      amount(2e6, 'us'),
      amount(1500, 'ms'),
      amount(3 * 2 ** 20, 'bytes'),
      amount(-2048, 'bytes'),
    ]).toEqual(['999 us', '2.00 s', '1.50 s', '3.00 MB', '-2.00 kB'])
  })

  it('has a well-formed chart that omits series with one point and series in another unit than the first', () => {
    const svg = growthChart(result)
    expect(XMLValidator.validate(svg)).toBe(true)
    expect(svg.match(/<polyline/g)).toHaveLength(2)
    expect(svg).toContain('>1M<')
    expect(svg).not.toMatch(/NaN|Infinity/)
  })
})

describe('the options of npm run bench:growth', () => {
  it('default to all curves at full length, and --quick makes them shorter', () => {
    expect(parseOptions([], '/here')).toEqual({
      curves: curveNames,
      rounds: 5,
      seconds: 0.4,
      requests: Number.MAX_SAFE_INTEGER,
      rows: 1_000_000,
      resources: 1000,
      connections: 1000,
      endurance: 1_000_000,
      node: process.execPath,
      json: undefined,
    })
    expect(parseOptions('--quick --curves depth,rows --rows 5000 --json out.json'.split(' '), '/here')).toMatchObject({
      curves: ['rows', 'depth'],
      rounds: 3,
      rows: 5000,
      endurance: 100_000,
      json: '/here/out.json',
    })
  })

  it('--list prints every curve, and --help prints the options', () => {
    for (const name of curveNames) expect(parseOptions(['--list'], '/')).toContain(`  ${name} `)
    expect(parseOptions(['--help'], '/')).toContain('--connections n')
  })

  it.each([
    [['--curves', 'rows,heat'], '--curves has the unknown name "heat"'],
    [['--rows', '5'], '--rows is "5". Give an integer from 1000'],
    [['--seconds', '1', '--requests', '10'], '--seconds or --requests'],
    [['--deep'], '--deep'],
  ])('are refused with a reason if they are wrong: %j', (args, message) => {
    expect(() => parseOptions(args, '/')).toThrow(UsageError)
    expect(() => parseOptions(args, '/')).toThrow(message)
  })
})

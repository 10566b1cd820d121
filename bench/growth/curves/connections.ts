/**
 * How the cost of a request for an item depends on the number of concurrent keep-alive connections,
 * and how much memory an open connection needs.
 */
import { type Curve, cpu, type Line, steps, time } from '../curve.js'
import { type Extent, extentOf } from '../data/records.js'
import type { Options } from '../options.js'
import { pointOf, type Series } from '../report/result.js'
import type { Environment } from '../run/environment.js'
import { byRounds } from '../run/rounds.js'
import { get, items, spread } from './responses.js'

export const connections: Curve = {
  title: 'connections: requests for an item on this many connections, without pauses',
  x: 'connections',
  async measure(environment, options) {
    const extent = extentOf(Math.min(10_000, options.rows))
    // Growth is measured from the second point. With a single connection, requests cost extra CPU
    // time, because the server process sleeps after each response until the next request wakes it.
    const flat = { within: 1.25, from: 1 }
    const line: Line = {
      title: 'item, memory',
      figures: [
        cpu({ flat }),
        time({ title: 'median time' }),
        { title: 'p99 time', unit: 'us', of: (sample) => sample.p99 },
      ],
      points: countsOf(options).map((x) => ({
        x,
        serving: { kind: 'pieces', ...extent },
        connections: x,
        prepare: (ask) => items(ask, spread(extent.rows, 50)),
      })),
    }
    const bare: Line = {
      title: 'constant response, node:http alone',
      figures: [cpu({ flat })],
      points: line.points.map((point) => ({ ...point, serving: { kind: 'bare' }, prepare: async () => [get('/')] })),
    }
    return [...(await byRounds([line, bare], environment)), ...(await held(environment, options, extent))]
  },
}

const countsOf = ({ connections: max }: Options): readonly number[] => steps(1, max / 100, max / 10, max)

/**
 * Measures the memory of open connections. Every measurement starts a new server, because a process
 * keeps some memory after its connections are closed.
 */
async function held(environment: Environment, options: Options, extent: Extent): Promise<readonly Series[]> {
  const asked = spread(extent.rows, 50).map((numero) => get(`/v1/pre-piezas/${numero}`))
  const counts = countsOf(options).slice(-2)
  const heap: number[][] = counts.map(() => [])
  const resident: number[][] = counts.map(() => [])
  for (let turn = 0; turn < Math.min(3, options.rounds); turn++) {
    for (const [at, count] of counts.entries()) {
      environment.say(`memory of ${count} connections`)
      const running = await environment.start({ kind: 'pieces', ...extent })
      try {
        await running.time({ connections: 1, requests: 500, seconds: 2, asked })
        const { before, open } = await running.hold({ connections: count, requests: 0, seconds: 1, asked })
        heap[at]?.push((open.heap - before.heap) / count)
        resident[at]?.push((open.resident - before.resident) / count)
      } finally {
        await running.end()
      }
    }
  }
  const series = (figure: string, samples: readonly number[][]): Series => ({
    title: 'an open connection',
    figure,
    unit: 'bytes',
    points: counts.map((x, at) => pointOf(x, samples[at] as number[])),
  })
  return [series('heap', heap), series('resident', resident)]
}

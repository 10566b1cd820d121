/**
 * Measures a curve, which consists of one or more lines of points. First starts the servers of all
 * points, checks responses, and warms the servers up. Then times each point once in every round.
 */
import { asker } from '../../workloads/ask.js'
import type { Figure, Line, Point, Sample } from '../curve.js'
import type { Asked } from '../load/round.js'
import { pointOf, type Series } from '../report/result.js'
import type { Environment, Running } from './environment.js'

interface Timed {
  readonly line: Line
  readonly point: Point
  readonly running: Running
  readonly asked: readonly Asked[]
  readonly samples: Sample[]
}

/**
 * Measures the lines of a curve. Servers run for the whole curve, and points with the same options
 * share a server.
 */
export async function byRounds(lines: readonly Line[], environment: Environment): Promise<readonly Series[]> {
  const { rounds, requests, seconds } = environment.options
  const servers = new Map<string, Running>()
  const timed: Timed[] = []
  try {
    for (const line of lines) {
      for (const point of line.points) {
        const name = JSON.stringify(point.serving)
        environment.say(`${line.title}, ${point.x}: starting`)
        const running = servers.get(name) ?? (await environment.start(point.serving))
        servers.set(name, running)
        const asked = await point.prepare(asker(running.port, {})).catch((cause: Error) => {
          throw new Error(
            `"${line.title}" at ${point.x} gets a wrong response, so nothing was timed: ${cause.message}`,
            {
              cause,
            },
          )
        })
        timed.push({ line, point, running, asked, samples: [] })
      }
    }
    // The first warm-up lets V8 find hot functions. The second gives V8 time to optimize them.
    for (const one of timed) await sampleOf(one, Math.min(3000, requests), 1.2)
    for (const one of timed) await sampleOf(one, Math.min(3000, requests), 0.3)
    for (let round = 0; round < rounds; round++) {
      environment.say(`round ${round + 1} of ${rounds}`)
      // Every other round is in reverse order, so that the server that is timed first in one round
      // is timed last in the next.
      for (const one of round % 2 === 0 ? timed : timed.toReversed())
        one.samples.push(await sampleOf(one, requests, seconds))
    }
  } finally {
    await Promise.all([...servers.values()].map((running) => running.end()))
  }
  return lines.flatMap((line) => {
    const own = timed.filter((one) => one.line === line)
    return line.figures.map((figure) => seriesOf(line, figure, own))
  })
}

function seriesOf({ title }: Line, { title: figure, unit, of, flat }: Figure, timed: readonly Timed[]): Series {
  const points = timed.map(({ point: { x }, samples }) =>
    pointOf(
      x,
      samples.map((sample) => of(sample, x)),
    ),
  )
  return { title, figure, unit, points, ...(flat === undefined ? {} : { flat }) }
}

async function sampleOf({ line, point, running, asked }: Timed, requests: number, seconds: number): Promise<Sample> {
  const { connections = 10, x } = point
  const ran = await running.time({ connections, seconds, requests, asked }).catch((cause: Error) => {
    throw new Error(`"${line.title}" at ${x}: ${cause.message}`, { cause })
  })
  if (ran.requests === 0) throw new Error(`"${line.title}" at ${x} got no response within ${seconds} s.`)
  return {
    requests: ran.requests,
    cpu: ran.cpu / ran.requests,
    calls: ran.calls / ran.requests,
    median: ran.median * 1000,
    p99: ran.p99 * 1000,
    setUp: running.setUp,
  }
}

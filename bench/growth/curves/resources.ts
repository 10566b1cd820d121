/**
 * How the cost of a request for an item depends on the number of mounted resources. An `api()` must
 * find the right resource without trying all resources.
 */
import { piecesPath } from '../../data/addresses.js'
import { type Curve, cpu, type Line, steps } from '../curve.js'
import { byRounds } from '../run/rounds.js'
import { collectionOf } from '../servers/index.js'
import type { ManyServing } from '../servers/serving.js'
import { items } from './responses.js'

const numbers = Array.from({ length: 10 }, (_, at) => at + 1)
const pathOf = (at: number): string => piecesPath.replace(/[^/]+$/, collectionOf(at))

export const resources: Curve = {
  title: 'resources: an item of the first, the middle and the last mounted resource',
  x: 'resources',
  measure(environment, { resources: max }) {
    const counts = steps(1, max / 10, max)
    const line = (
      title: string,
      by: ManyServing['by'],
      xs: readonly number[],
      which: (count: number) => number,
    ): Line => ({
      title,
      figures: [cpu(by === 'api' ? { flat: { within: 1.25 } } : {})],
      points: xs.map((x) => ({
        x,
        serving: { kind: 'many', by, resources: x },
        prepare: (ask) => items(ask, numbers, pathOf(which(x))),
      })),
    })
    const first = (): number => 0
    const last = (count: number): number => count - 1
    const api = line('first, one api()', 'api', counts, first)
    const lines: Line[] = [
      {
        ...api,
        figures: [
          ...api.figures,
          { title: 'CPU of the set-up', unit: 'ms', of: ({ setUp }) => setUp.cpu },
          { title: 'CPU of the set-up, per resource', unit: 'ms', of: ({ setUp }, x) => setUp.cpu / x },
          { title: 'heap per resource', unit: 'bytes', of: ({ setUp }, x) => setUp.heap / x },
        ],
      },
      line('middle, one api()', 'api', counts, (count) => Math.floor(count / 2)),
      line('last, one api()', 'api', counts, last),
      // Express tries these routers one after the other, so their cost is allowed to grow.
      line('first, one resourceRouter() per resource', 'routers', counts.slice(0, -1), first),
      line('last, one resourceRouter() per resource', 'routers', counts.slice(0, -1), last),
    ]
    return byRounds(lines, environment)
  },
}

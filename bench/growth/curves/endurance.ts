/**
 * How the memory of the server process and the CPU time of a request change over many requests of
 * different kinds. The ids, queries, hosts, accepted types and tokens of the requests keep
 * changing.
 */

import { randomBytes } from 'node:crypto'
import { piecesPath } from '../../data/addresses.js'
import { asker } from '../../workloads/ask.js'
import type { Curve } from '../curve.js'
import { extentOf } from '../data/records.js'
import { tokensOf } from '../load/mix.js'
import { pointOf, type Series } from '../report/result.js'
import { items, spread } from './responses.js'

const parts = 10
/**
 * The limits of the growth of the heap. Even a heap that does not grow varies by up to eight
 * megabytes.
 */
const flatHeap = { within: 1.1, orBy: 8 * 1024 * 1024, from: 1 }

export const endurance: Curve = {
  title: 'endurance: items, pages, PATCHes, and responses with 304, 400, 401, 404 and 412; few requests are repeated',
  x: 'requests',
  async measure(environment, options) {
    const rows = Math.min(10_000, options.rows)
    const extent = extentOf(rows, Math.ceil(rows / 4))
    const secret = randomBytes(32).toString('base64')
    const part = Math.ceil(options.endurance / parts)
    const running = await environment.start({ kind: 'secured', ...extent, secret })
    const heap = []
    const resident = []
    const cpu = []
    try {
      await items(asker(running.port, { authorization: `Bearer ${tokensOf(secret)[0]}` }), spread(rows, 5), piecesPath)
      for (let at = 0; at < parts; at++) {
        environment.say(`endurance: ${at * part} requests`)
        // Each of the ten connections sends one request when it opens. These ten requests count
        // towards `part`, but they are not measured.
        const ran = await running.time({
          connections: 10,
          requests: part - 10,
          seconds: 3600,
          asked: { first: at * part, secret, ...extent },
        })
        const held = await running.held()
        const x = (at + 1) * part
        cpu.push(pointOf(x, [ran.cpu / ran.requests]))
        heap.push(pointOf(x, [held.heap]))
        resident.push(pointOf(x, [held.resident]))
      }
    } finally {
      await running.end()
    }
    const series: readonly Series[] = [
      { title: 'the process', figure: 'heap', unit: 'bytes', points: heap, flat: flatHeap },
      { title: 'the process', figure: 'resident', unit: 'bytes', points: resident },
      { title: 'a request of the mix', figure: 'CPU', unit: 'us', points: cpu, flat: { within: 1.25, from: 1 } },
    ]
    return series
  },
}

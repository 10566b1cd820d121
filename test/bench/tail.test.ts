import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from '../../bench/load/connection.js'
import type { Asked, Kind, Mix } from '../../bench/load/mix.js'
import { open, percentile } from '../../bench/load/open.js'
import { tailFigures, tailText } from '../../bench/report/tail.js'

async function connectionsTo(handler: RequestListener, count: number): Promise<Connection[]> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const made = Array.from({ length: count }, () => new Connection((server.address() as AddressInfo).port, {}, true))
  onTestFinished(() => {
    for (const connection of made) connection.close()
    server.close()
  })
  return made
}

const asked = (kind: Kind, settle: Asked['settle'] = () => {}): Asked => ({ kind, sent: { path: '/' }, settle })

describe('an open loop', () => {
  it('sends requests at the given rate, and counts each under its kind', async () => {
    const connections = await connectionsTo((_req, res) => res.end('x'), 2)
    let at = 0
    const { times } = await open(connections, () => asked(at++ % 4 === 0 ? 'page' : 'item'), {
      rate: 400,
      seconds: 0.1,
    })
    expect([times.item.length, times.page.length, times.patch.length]).toEqual([30, 10, 0])
  })

  it('includes the wait for a connection in the time of a request', async () => {
    let release = (): void => {}
    const [due, arrived]: [number[], number[]] = [[], []]
    // There is one connection. The first response is sent only when all other requests are due.
    const connections = await connectionsTo((_req, res) => {
      arrived.push(performance.now())
      if (due.length === 10) res.end('x')
      else release = () => void res.end('x')
    }, 1)
    const mix: Mix = () => {
      due.push(performance.now())
      if (due.length === 10) setImmediate(() => release())
      return asked('item')
    }
    const { times } = await open(connections, mix, { rate: 200, seconds: 0.05 })
    expect(times.item).toHaveLength(10)
    for (const [at, time] of times.item.entries())
      expect(time).toBeGreaterThanOrEqual((arrived[at] as number) - (due[at] as number))
  })

  it('rejects if the check of a response throws, or if the mix of requests throws', async () => {
    const connections = await connectionsTo((_req, res) => res.end('x'), 1)
    const refuse = (): never => {
      throw new Error('wrong')
    }
    await expect(open(connections, () => asked('item', refuse), { rate: 100, seconds: 0.1 })).rejects.toThrow('wrong')
    await expect(open(connections, refuse, { rate: 100, seconds: 0.1 })).rejects.toThrow('wrong')
  })
})

describe('the tail report', () => {
  it('computes percentiles over the requests of all rounds, and the spread between the rounds', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1)
    expect([
      percentile(hundred, 0.5),
      percentile(hundred, 0.99),
      percentile(hundred, 0.999),
      percentile([], 0.5),
    ]).toEqual([50, 99, 100, 0])
    const rounds = [hundred, hundred.map((value) => value * 2)]
    expect(tailFigures(rounds)).toMatchObject({
      requests: 200,
      p99: 196,
      p999: 200,
      p99OfRounds: { q1: 123.75, median: 148.5, q3: 173.25 },
    })
  })

  it('has a line for each kind of request and each server', () => {
    const figures = tailFigures([[1, 2, 3]])
    const kinds = { item: figures, 'not-modified': figures, page: figures, create: figures, patch: figures }
    const servers = ['one', 'other'].map((id) => ({ id, capacity: 1000, late: 0.5, kinds }))
    const about = {
      date: '',
      node: '',
      machine: '',
      cores: 2,
      pinned: true,
      load: [0, 0],
      rounds: 1,
      each: '1 s',
      leftOut: [],
    } as const
    const text = tailText({ ...about, tail: { rate: 600, servers } })
    expect(text).toMatch(/^Tail in PostgreSQL: 600 requests per second/)
    expect(text.match(/ one +3 +2\.00 +3\.00 \(3\.00-3\.00\) +3\.00\n/g)).toHaveLength(5)
    expect(text).toContain('one 1000/s, other 1000/s')
  })
})

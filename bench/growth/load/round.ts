/** One round against one server: so many connections, each asking again as soon as it is answered, through a list of requests or the mix. */

import { Connection } from '../../load/connection.js'
import type { Ran } from '../../load/run.js'
import type { Sent } from '../../workloads/index.js'
import { type Mix, mixed } from './mix.js'

/** A request, and the status of its answer. */
export interface Asked extends Sent {
  readonly status: number
}

export interface Round {
  readonly port: number
  readonly connections: number
  /** When it ends: whichever comes first. */
  readonly seconds: number
  readonly requests: number
  readonly asked: readonly Asked[] | Mix
}

/** What one connection asks next, given the tag of the answer before. */
export type Turn = (tag: string | undefined) => Asked

/** Connections that are open, each answered once. */
export interface Opened {
  run(): Promise<Ran>
  close(): void
}

/** So many connections are opened at a time: a server's queue of those that wait has an end. */
const atATime = 50

/** Opens the connections. Throws where an answer has another status than it should, then and while it runs. */
export async function openRound({ port, connections: count, seconds, requests, asked }: Round): Promise<Opened> {
  const isList = Array.isArray(asked)
  const turnOf = isList ? (at: number) => inTurn(asked as readonly Asked[], at) : mixed(asked as Mix)
  const connections: Connection[] = []
  const turns: Turn[] = []
  const tags: (string | undefined)[] = []
  const close = (): void => {
    for (const connection of connections) connection.close()
  }
  const send = async (at: number): Promise<void> => {
    const next = (turns[at] as Turn)(tags[at])
    const reply = await (connections[at] as Connection).send(next, isList)
    if (reply.status !== next.status)
      throw new Error(`${next.method ?? 'GET'} ${next.path} was answered ${reply.status} in place of ${next.status}.`)
    tags[at] = reply.tag
  }
  try {
    for (let from = 0; from < count; from += atATime) {
      const opened = Array.from({ length: Math.min(atATime, count - from) }, (_, at) => from + at)
      for (const at of opened) {
        connections.push(new Connection(port, {}, !isList))
        turns.push(turnOf(at))
      }
      await Promise.all(opened.map(send))
    }
  } catch (error) {
    close()
    throw error
  }
  return {
    close,
    async run() {
      const times: number[] = []
      let left = requests
      const start = performance.now()
      const end = start + seconds * 1000
      const work = async (_: unknown, at: number): Promise<void> => {
        for (let now = start; now < end && left-- > 0; ) {
          await send(at)
          const done = performance.now()
          times.push(done - now)
          now = done
        }
      }
      await Promise.all(connections.map(work))
      const elapsed = performance.now() - start
      times.sort((a, b) => a - b)
      const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
      return { requests: times.length, elapsed, median: at(0.5), p99: at(0.99) }
    },
  }
}

/** Each connection begins somewhere else. */
function inTurn(asked: readonly Asked[], connection: number): Turn {
  let at = connection * 37
  return () => asked[at++ % asked.length] as Asked
}

/**
 * One round against one server. Each connection sends its next request as soon as it has received a
 * response. The requests come from a list or from the mix (`mix.ts`).
 */

import { type Bounds, clocked, type Ran } from '../../load/clocked.js'
import { Connection } from '../../load/connection.js'
import type { Sent } from '../../workloads/turns.js'
import { type Mix, mixed } from './mix.js'

/** A request, and the expected status of its response. */
export interface Asked extends Sent {
  readonly status: number
}

export interface Round extends Bounds {
  readonly port: number
  readonly connections: number
  readonly asked: readonly Asked[] | Mix
}

/** Returns the next request of a connection. `tag` is the entity tag of the previous response. */
export type Turn = (tag: string | undefined) => Asked

/** Open connections. Each connection has already received one response. */
export interface Opened {
  run(): Promise<Ran>
  close(): void
}

/**
 * The maximum number of connections that are opened at the same time. More connections could
 * overflow the accept queue of the server.
 */
const atATime = 50

/**
 * Opens the connections, and sends one request over each. This function and `run()` of the result
 * throw if a response has an unexpected status.
 */
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
      throw new Error(`${next.method ?? 'GET'} ${next.path} got the status ${reply.status} instead of ${next.status}.`)
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
    run: () => clocked(connections.length, { seconds, requests }, send),
  }
}

/** Cycles through the requests. Each connection starts at its own position. */
function inTurn(asked: readonly Asked[], connection: number): Turn {
  let at = connection * 37
  return () => asked[at++ % asked.length] as Asked
}

/** One round against one server: so many connections, each asking again as soon as it is answered, through a list of requests or the mix. */

import { type Bounds, clocked, type Ran } from '../../load/clocked.js'
import { Connection } from '../../load/connection.js'
import type { Sent } from '../../workloads/turns.js'
import { type Mix, mixed } from './mix.js'

/** A request, and the status of its answer. */
export interface Asked extends Sent {
  readonly status: number
}

export interface Round extends Bounds {
  readonly port: number
  readonly connections: number
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
    run: () => clocked(connections.length, { seconds, requests }, send),
  }
}

/** Each connection begins somewhere else. */
function inTurn(asked: readonly Asked[], connection: number): Turn {
  let at = connection * 37
  return () => asked[at++ % asked.length] as Asked
}

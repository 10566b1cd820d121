/** A TCP proxy before a server, for tests of what a network does: it cuts, refuses, stalls, delays and loses answers, when told to. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a connection is cut: `reset` (RST, as when a machine is lost) or `end` (FIN, as when a server closes). */
type Cut = 'reset' | 'end'

/** What has to have passed towards the server: so many bytes, or this text. */
type After = number | string

export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** How many connections are open now. */
  readonly connections: number
  /** The same address through the proxy. */
  through(url: string): string
  /** Cuts all connections now, on both sides. New ones are taken. */
  cut(how: Cut): void
  /** Refuses new connections (ECONNREFUSED); the open ones go on. Until `accept`. */
  refuse(): void
  /** Takes connections again. */
  accept(): Promise<void>
  /** Lets nothing pass in either direction, and closes nothing. What is sent meanwhile passes at `resume`. */
  stall(): void
  resume(): void
  /**
   * Turns the connections that are open now into half-open ones: what is sent in either direction
   * is thrown away and nothing is closed, as when a firewall forgets them. New connections work.
   */
  forget(): void
  /**
   * Adds bytes to the next data from the server that ends with `end`, in the same segment. Resolves
   * when they are sent.
   */
  appendAfter(end: Buffer, bytes: Buffer): Promise<void>
  /**
   * As `forget`, and each new connection is half-open too until `endSilence`. New connections are
   * still accepted.
   */
  silence(): void
  /** New connections work again. Those that were silenced stay silent. */
  endSilence(): void
  /** Holds everything up by so many milliseconds in each direction; 0 ends it. */
  delay(milliseconds: number): void
  /**
   * The next connection on which `after` passes is cut there: the server gets the bytes up to and with `after` and then an end, the
   * client a reset. With a number less than a message has, the server gets a torn one. Resolves when it is done.
   */
  cutAfter(after: After): Promise<void>
  /**
   * The next connection on which `after` passes loses its reply: the server gets all of it and answers, the answer is thrown away, and the
   * client gets a reset, or `instead` and an end. Resolves when it is done: by then the server has done what it was asked, or has begun
   * to say so.
   */
  loseReply(after?: After, instead?: Buffer): Promise<void>
  /** Cuts everything and ends. */
  close(): Promise<void>
}

interface Trap {
  readonly kind: 'cut' | 'lose'
  readonly after: After
  /** What the client gets in place of a reply that is lost. */
  readonly instead?: Buffer | undefined
  readonly sprung: () => void
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  /** Half-open: nothing passes. */
  silent: boolean
}

interface Addition {
  readonly end: Buffer
  readonly bytes: Buffer
  readonly sent: () => void
}

/**
 * Starts a proxy on a free port of the loopback interface.
 *
 * @example
 * const proxy = await startProxy({ port: 5432 })
 * const pool = new pg.Pool({ connectionString: proxy.through(url) })
 * const lost = proxy.loseReply('COMMIT')
 */
export async function startProxy(target: { host?: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  const traps: Trap[] = []
  const additions: Addition[] = []
  let gate: { readonly opened: Promise<void>; open(): void } | undefined
  let held = 0
  let silencing = false

  /** Passes chunks on in their order, each as late as it is told to be. */
  function lane(pair: Pair, from: Socket, to: Socket, pass: (chunk: Buffer) => void): void {
    let last: Promise<void> = Promise.resolve()
    const next = (act: () => void): void => {
      const due = Date.now() + held
      last = last.then(async () => {
        if (due > Date.now()) await sleep(due - Date.now())
        while (gate !== undefined) await gate.opened
        if (!pair.silent) act()
      })
    }
    from.on('data', (chunk) => next(() => pass(chunk)))
    from.on('end', () => next(() => to.end()))
    from.on('error', () => next(() => reset(to)))
  }

  function take(client: Socket): void {
    const upstream = connect({ ...target, allowHalfOpen: true, noDelay: true })
    const pair: Pair = { client, upstream, silent: silencing }
    pairs.add(pair)
    const gone = (): void => {
      if (client.destroyed && upstream.destroyed) pairs.delete(pair)
    }
    client.on('close', gone)
    upstream.on('close', gone)

    const sights = new Map<Trap, Sight>()
    let losing: Trap | undefined
    lane(pair, client, upstream, (chunk) => {
      for (const trap of [...traps]) {
        const sight = sights.get(trap) ?? new Sight(trap.after)
        sights.set(trap, sight)
        const end = sight.look(chunk)
        if (end === undefined) continue
        traps.splice(traps.indexOf(trap), 1)
        if (trap.kind === 'lose') {
          losing = trap
          break
        }
        // An end, not a reset: a reset could take what the server has not read yet.
        upstream.end(chunk.subarray(0, end), trap.sprung)
        upstream.resume().removeAllListeners('data')
        reset(client)
        return
      }
      if (upstream.writable) upstream.write(chunk)
    })
    lane(pair, upstream, client, (chunk) => {
      if (losing !== undefined) {
        if (losing.instead === undefined) reset(client)
        else client.end(losing.instead)
        upstream.removeAllListeners('error').on('error', () => {})
        reset(upstream)
        losing.sprung()
        losing = undefined
      } else if (client.writable) client.write(added(chunk))
    })
  }

  /** What the client gets in place of a chunk. */
  function added(chunk: Buffer): Buffer {
    const at = additions.findIndex(({ end }) => chunk.subarray(-end.length).equals(end))
    if (at === -1) return chunk
    const [addition] = additions.splice(at, 1)
    addition?.sent()
    return Buffer.concat([chunk, addition?.bytes ?? Buffer.alloc(0)])
  }

  function listener(): Server {
    return createServer({ allowHalfOpen: true, noDelay: true }, take)
  }
  async function listen(server: Server, port: number): Promise<number> {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  let server: Server | undefined = listener()
  const port = await listen(server, 0)

  function set(kind: Trap['kind'], after: After, instead?: Buffer): Promise<void> {
    return new Promise((sprung) => traps.push({ kind, after, instead, sprung }))
  }
  function resume(): void {
    gate?.open()
    gate = undefined
  }
  function refuse(): void {
    server?.close()
    server = undefined
  }
  function cut(how: Cut): void {
    for (const { client, upstream } of pairs) {
      for (const socket of [client, upstream]) {
        if (how === 'reset') reset(socket)
        else
          socket
            .removeAllListeners('data')
            .removeAllListeners('end')
            .on('end', () => socket.destroy())
            .resume()
            .end()
      }
    }
  }
  async function close(): Promise<void> {
    refuse()
    resume()
    cut('reset')
    await Promise.all(
      [...pairs].flatMap(({ client, upstream }) =>
        [client, upstream].map((socket) => socket.closed || once(socket, 'close')),
      ),
    )
  }
  return {
    port,
    get connections() {
      return pairs.size
    },
    through(url) {
      const address = new URL(url)
      address.hostname = '127.0.0.1'
      address.port = String(port)
      return address.href
    },
    cut,
    refuse,
    async accept() {
      if (server !== undefined) return
      server = listener()
      await listen(server, port)
    },
    stall() {
      gate ??= opening()
    },
    resume,
    forget() {
      for (const pair of pairs) pair.silent = true
    },
    appendAfter: (end, bytes) => new Promise((sent) => additions.push({ end, bytes, sent })),
    silence() {
      silencing = true
      for (const pair of pairs) pair.silent = true
    },
    endSilence() {
      silencing = false
    },
    delay(milliseconds) {
      held = milliseconds
    },
    cutAfter: (after) => set('cut', after),
    loseReply: (after = 1, instead) => set('lose', after, instead),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Looks for the place where `after` has passed, in chunks that may break anywhere. */
class Sight {
  private passed = 0
  private tail = Buffer.alloc(0)
  constructor(private readonly after: After) {}

  /** Where in this chunk it is complete, counted from the chunk's start; undefined where it is not. */
  look(chunk: Buffer): number | undefined {
    if (typeof this.after === 'number') {
      const left = this.after - this.passed
      this.passed += chunk.length
      return left <= chunk.length ? left : undefined
    }
    const text = Buffer.from(this.after)
    const seen = Buffer.concat([this.tail, chunk])
    const at = seen.indexOf(text)
    if (at !== -1) return at + text.length - this.tail.length
    this.tail = seen.subarray(Math.max(0, seen.length - text.length + 1))
    return undefined
  }
}

function opening(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

function reset(socket: Socket): void {
  // One that is not connected yet has nothing to reset.
  if (socket.connecting) socket.destroy()
  else socket.resetAndDestroy()
}

/**
 * A TCP proxy in front of a server, to simulate network faults. On demand, it cuts or refuses
 * connections, and stalls, delays or loses data.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * How a connection is cut: by `reset` (RST, as after the restart of a machine) or by `end` (FIN, as
 * when a server closes it).
 */
type Cut = 'reset' | 'end'

/** What the client must send to trigger a fault: a number of bytes, or a string. */
type After = number | string

export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** The number of open connections. */
  readonly connections: number
  /** Returns the URL with the host and the port of the proxy. */
  through(url: string): string
  /** Cuts all open connections, on both sides. New connections are not affected. */
  cut(how: Cut): void
  /** Refuses new connections (ECONNREFUSED) until `accept`; open ones continue. */
  refuse(): void
  /** Accepts connections again. */
  accept(): Promise<void>
  /** Holds the data of both directions without closing connections. `resume` delivers it. */
  stall(): void
  resume(): void
  /**
   * Makes the open connections half-open. Their data is discarded in both directions, and they are
   * not closed, as when a firewall forgets them. New connections work.
   */
  forget(): void
  /**
   * Waits until a chunk from the server ends with `end`, and adds `bytes` to this chunk, in the
   * same write. Resolves when the bytes are sent.
   */
  appendAfter(end: Buffer, bytes: Buffer): Promise<void>
  /**
   * Like `forget`, but each new connection is half-open too, until `endSilence`. New connections
   * are still accepted.
   */
  silence(): void
  /** Ends the silence: new connections work again. The silenced connections stay silent. */
  endSilence(): void
  /** Delays the data of each direction by this many milliseconds. 0 ends the delay. */
  delay(milliseconds: number): void
  /**
   * Cuts the next connection on which the client sends `after`. The server gets the bytes up to and
   * including `after`, and then a FIN, so a message can be truncated. The client gets a reset.
   * Resolves when the connection is cut.
   */
  cutAfter(after: After): Promise<void>
  /**
   * Loses the response on the next connection on which the client sends `after`. The server gets
   * everything and responds, but the response is discarded. The client gets a reset. If `instead`
   * is given, the client gets these bytes and a FIN, and no reset. Resolves when the response is
   * discarded. By then the server has executed the request, or has started to respond.
   */
  loseReply(after?: After, instead?: Buffer): Promise<void>
  /** Cuts all connections, and closes the proxy. */
  close(): Promise<void>
}

interface Trap {
  readonly kind: 'cut' | 'lose'
  readonly after: After
  /** The bytes that the client gets in place of a lost response. */
  readonly instead?: Buffer | undefined
  readonly sprung: () => void
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  /** Whether the connection is half-open: then no data passes. */
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

  /** Passes chunks in order. A chunk waits for the delay that was set when it arrived. */
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

    const scanners = new Map<Trap, Scanner>()
    let losing: Trap | undefined
    lane(pair, client, upstream, (chunk) => {
      for (const trap of [...traps]) {
        const scanner = scanners.get(trap) ?? new Scanner(trap.after)
        scanners.set(trap, scanner)
        const end = scanner.look(chunk)
        if (end === undefined) continue
        traps.splice(traps.indexOf(trap), 1)
        if (trap.kind === 'lose') {
          losing = trap
          break
        }
        // The server gets a FIN, not a reset. A reset could discard data that the server has not
        // read yet.
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

  /** The bytes that the client gets for a chunk, including the bytes of `appendAfter`. */
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

/** Finds the end of `after`, which may span several chunks. */
class Scanner {
  private passed = 0
  private tail = Buffer.alloc(0)
  constructor(private readonly after: After) {}

  /** The offset in this chunk at which `after` is complete; undefined if it is not complete yet. */
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
  // For a socket that is not connected yet, `resetAndDestroy()` would wait for the connection.
  if (socket.connecting) socket.destroy()
  else socket.resetAndDestroy()
}

/**
 * A body that is written piece by piece, as fast as the client reads it. An error closes the
 * connection, because a truncated body must not look complete (RFC 9112 8, RFC 9113 8.1).
 */
import type { ServerResponse } from 'node:http'

export interface StreamedOptions {
  /** How long, in milliseconds, the client may stop reading. */
  readonly stallTimeout: number
  /** The time limit of the whole body in milliseconds. */
  readonly timeout: number
  /** Called with the error that truncated the body; not called if the client disconnects. */
  readonly onCut: (error: unknown) => void
}

/** Signals that the client has disconnected or that the body was discarded. */
const gone = Symbol('gone')

export class Streamed {
  /** Resolves when the body has been sent, truncated or discarded. */
  readonly closed: Promise<void>
  readonly #first: string
  readonly #rest: AsyncGenerator<string, void, undefined>
  readonly #options: StreamedOptions
  #close: () => void = () => {}
  /** Cancels waiting for the next piece or for the client. */
  #leave: () => void = () => {}
  #drain: () => void = () => {}

  /**
   * `first`: produced before the head is sent, so that an immediate error is still a problem
   * response.
   */
  constructor(first: string, rest: AsyncGenerator<string, void, undefined>, options: StreamedOptions) {
    this.#first = first
    this.#rest = rest
    this.#options = options
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** Ends the body without sending it. */
  discard(): void {
    this.#leave()
    // A pending page read settles later; its result and error are ignored.
    this.#rest.return().catch(() => {})
    this.#close()
  }

  /** Writes the body. The head has already been written. */
  flowInto(res: ServerResponse): void {
    const { timeout, stallTimeout } = this.#options
    const deadline = setTimeout(() => this.#cut(res, new Error(`The export took longer than ${timeout} ms.`)), timeout)
    res.once('close', () => {
      clearTimeout(deadline)
      this.discard()
    })
    // Registered once: `compression` moves "drain" listeners to a stream of its own and leaves them
    // there.
    res.on('drain', () => this.#drain())
    res.on('timeout', () => this.#cut(res, new Error(`The client read nothing for ${stallTimeout} ms.`)))
    // While a page is read the connection is idle: that is the adapter's time.
    res.setTimeout(0)
    this.#write(res).catch((error: unknown) => this.#cut(res, error))
  }

  async #write(res: ServerResponse): Promise<void> {
    let piece: string | undefined = this.#first
    while (piece !== undefined) {
      if (res.destroyed) return
      if (!res.write(piece) && (await this.#room(res)) === gone) return
      const next: IteratorResult<string, void> | typeof gone = await this.#orGone(this.#rest.next())
      if (next === gone) return
      piece = next.done ? undefined : next.value
    }
    if (res.destroyed) return
    // The remaining data is buffered, and the same stall timeout applies to it.
    res.setTimeout(this.#options.stallTimeout)
    res.end()
  }

  /** Waits until the client has read what was written. */
  async #room(res: ServerResponse): Promise<typeof gone | undefined> {
    res.setTimeout(this.#options.stallTimeout)
    const taken = new Promise<undefined>((resolve) => {
      this.#drain = () => resolve(undefined)
    })
    const found = await this.#orGone(taken)
    if (found !== gone) res.setTimeout(0)
    return found
  }

  /**
   * Not `Promise.race`, which would add a reaction to one long-lived promise for each piece of the
   * body.
   */
  #orGone<T>(promise: Promise<T>): Promise<T | typeof gone> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve(gone)
      promise.then(resolve, reject)
    })
  }

  #cut(res: ServerResponse, error: unknown): void {
    // The client has already disconnected.
    if (res.destroyed || res.writableFinished) return
    this.#options.onCut(error)
    const { stream } = res as { readonly stream?: { close(code: number): void } }
    // HTTP/2 resets only the stream, with INTERNAL_ERROR: the connection carries others.
    if (stream === undefined) res.destroy()
    else stream.close(2)
  }
}

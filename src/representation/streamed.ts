/**
 * A body that is written piece by piece, as fast as the client reads it. After an error, the
 * connection is closed, because a truncated body must not look complete (RFC 9112 8, RFC 9113 8.1).
 * In HTTP/2, only the stream is closed.
 */
import type { ServerResponse } from 'node:http'

export interface StreamedOptions {
  /** The maximum time during which the client reads nothing, in milliseconds. */
  readonly stallTimeout: number
  /** The time limit of the whole body, in milliseconds. */
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
  /** Ends the current wait for the next piece or for the client. */
  #stopWaiting: () => void = () => {}
  #drain: () => void = () => {}

  /**
   * `first` is the first piece of the body. It is produced before the response head is sent. If an
   * error occurs while it is produced, the response can therefore still be a problem.
   */
  constructor(first: string, rest: AsyncGenerator<string, void, undefined>, options: StreamedOptions) {
    this.#first = first
    this.#rest = rest
    this.#options = options
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** Ends the body without sending the rest of it. */
  discard(): void {
    this.#stopWaiting()
    // If the adapter is reading a page, the read ends later. Its result or error is ignored.
    this.#rest.return().catch(() => {})
    this.#close()
  }

  /** Writes the body to a response whose head has already been written. */
  flowInto(res: ServerResponse): void {
    const { timeout, stallTimeout } = this.#options
    const deadline = setTimeout(() => this.#cut(res, new Error(`The export took longer than ${timeout} ms.`)), timeout)
    res.once('close', () => {
      clearTimeout(deadline)
      this.discard()
    })
    // This listener is registered only once. `compression` moves "drain" listeners to a stream of
    // its own and never removes them. If a listener were registered for each write, the listeners
    // would accumulate.
    res.on('drain', () => this.#drain())
    res.on('timeout', () => this.#cut(res, new Error(`The client read nothing for ${stallTimeout} ms.`)))
    // The connection is idle while the adapter reads a page. This time must not count against the
    // client.
    res.setTimeout(0)
    this.#write(res).catch((error: unknown) => this.#cut(res, error))
  }

  async #write(res: ServerResponse): Promise<void> {
    let piece: string | undefined = this.#first
    while (piece !== undefined) {
      if (res.destroyed) return
      if (!res.write(piece) && (await this.#untilDrained(res)) === gone) return
      const next: IteratorResult<string, void> | typeof gone = await this.#orGone(this.#rest.next())
      if (next === gone) return
      piece = next.done ? undefined : next.value
    }
    if (res.destroyed) return
    // Some data may still be buffered. The stall timeout applies until the client has read it.
    res.setTimeout(this.#options.stallTimeout)
    res.end()
  }

  /** Waits until the data that was written has left the buffer of the response. */
  async #untilDrained(res: ServerResponse): Promise<typeof gone | undefined> {
    res.setTimeout(this.#options.stallTimeout)
    const taken = new Promise<undefined>((resolve) => {
      this.#drain = () => resolve(undefined)
    })
    const found = await this.#orGone(taken)
    if (found !== gone) res.setTimeout(0)
    return found
  }

  /**
   * Waits for a promise, or resolves with `gone` if the body ends first. `Promise.race` is not
   * used, because it would add a callback to one long-lived promise for each piece of the body.
   */
  #orGone<T>(promise: Promise<T>): Promise<T | typeof gone> {
    return new Promise((resolve, reject) => {
      this.#stopWaiting = () => resolve(gone)
      promise.then(resolve, reject)
    })
  }

  #cut(res: ServerResponse, error: unknown): void {
    // There is nothing to truncate if the client has disconnected, or if the whole body has been
    // sent.
    if (res.destroyed || res.writableFinished) return
    this.#options.onCut(error)
    const { stream } = res as { readonly stream?: { close(code: number): void } }
    // In HTTP/2, only this stream is reset, because the connection carries other streams too. The
    // code 2 is INTERNAL_ERROR.
    if (stream === undefined) res.destroy()
    else stream.close(2)
  }
}

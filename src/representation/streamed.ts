/**
 * A body that is written piece by piece, no faster than its client takes it, and whose failure ends
 * the connection: what was cut must not look whole (RFC 9112 8, RFC 9113 8.1).
 */
import type { ServerResponse } from 'node:http'

export interface StreamedOptions {
  /** Milliseconds for which a client may take nothing. */
  readonly stallTimeout: number
  /** Milliseconds until the body must have been taken. */
  readonly timeout: number
  /** Hears why the body was cut; a client that leaves is no such reason. */
  readonly onCut: (error: unknown) => void
}

/** Stands for a client that has gone, or that nobody writes to any more. */
const gone = Symbol('gone')

export class Streamed {
  /** Resolves when the last byte has been taken, the body was cut, or nobody is to have it. */
  readonly closed: Promise<void>
  readonly #first: string
  readonly #rest: AsyncGenerator<string, void, undefined>
  readonly #options: StreamedOptions
  #close: () => void = () => {}
  /** Wakes what waits for the next piece or for room. */
  #leave: () => void = () => {}
  #drain: () => void = () => {}

  /** `first` was made before the head is sent, so that what fails at once is still a problem. */
  constructor(first: string, rest: AsyncGenerator<string, void, undefined>, options: StreamedOptions) {
    this.#first = first
    this.#rest = rest
    this.#options = options
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** Ends the body unsent. */
  discard(): void {
    this.#leave()
    // What still waits for a page ends when that comes or fails: nobody hears of it.
    this.#rest.return().catch(() => {})
    this.#close()
  }

  /** Writes the body behind a head that is written already. */
  flowInto(res: ServerResponse): void {
    const { timeout, stallTimeout } = this.#options
    const deadline = setTimeout(() => this.#cut(res, new Error(`The export took longer than ${timeout} ms.`)), timeout)
    res.once('close', () => {
      clearTimeout(deadline)
      this.discard()
    })
    // Each once: `compression` moves listeners for "drain" to a stream of its own, and leaves them there.
    res.on('drain', () => this.#drain())
    res.on('timeout', () => this.#cut(res, new Error(`The client took nothing for ${stallTimeout} ms.`)))
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
    // The rest waits in buffers, and may wait there no longer than anything before it.
    res.setTimeout(this.#options.stallTimeout)
    res.end()
  }

  /** Waits until what was written has been taken. */
  async #room(res: ServerResponse): Promise<typeof gone | undefined> {
    res.setTimeout(this.#options.stallTimeout)
    const taken = new Promise<undefined>((resolve) => {
      this.#drain = () => resolve(undefined)
    })
    const found = await this.#orGone(taken)
    if (found !== gone) res.setTimeout(0)
    return found
  }

  /** Not `Promise.race`, which would keep a reaction to the one promise for each piece of the body. */
  #orGone<T>(promise: Promise<T>): Promise<T | typeof gone> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve(gone)
      promise.then(resolve, reject)
    })
  }

  #cut(res: ServerResponse, error: unknown): void {
    // A client that has left already needs no event.
    if (res.destroyed || res.writableFinished) return
    this.#options.onCut(error)
    const { stream } = res as { readonly stream?: { close(code: number): void } }
    // HTTP/2 resets the stream with INTERNAL_ERROR; the connection carries others.
    if (stream === undefined) res.destroy()
    else stream.close(2)
  }
}

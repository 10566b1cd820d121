/**
 * The service that is checked: its URL, the known facts about the service (the target), and the
 * client that sends the requests.
 */
import type { Client, SendOptions } from './client/client.js'
import type { Exchange } from './client/exchange.js'
import type { Target } from './target/target.js'
import { Unchecked } from './verdict.js'

export class Service {
  /**
   * The absolute base URL, without a trailing slash. The path templates of collections are appended
   * to this URL.
   */
  readonly base: string

  /**
   * `base` is the URL that the user gave. If this URL has no path and the target has a `path`, this
   * `path` is appended.
   */
  constructor(
    base: string,
    readonly target: Target,
    readonly client: Client,
    /** Whether the checks may destroy all data of the service, because it is disposable. */
    readonly isDisposable = false,
  ) {
    const plain = base.replace(/\/+$/, '')
    this.base = /^https?:\/\/[^/]+$/.test(plain) ? `${plain}${target.path ?? ''}` : plain
  }

  /** Sends a request to a path below the base URL. */
  send(method: string, path: string, options?: SendOptions): Promise<Exchange> {
    return this.client.send(method, `${this.base}${path}`, options)
  }

  /**
   * The URL to which a request for a link is sent. If the link begins with the URL that the service
   * publishes, the base URL replaces this beginning. Throws `Unchecked` for a link to another
   * service, because other services are never called.
   */
  addressOf(link: string): string {
    const { published } = this.target
    if (isBelow(link, this.base)) return link
    if (published !== undefined && isBelow(link, published)) return `${this.base}${link.slice(published.length)}`
    throw new Unchecked(
      `the link ${link} does not begin with ${this.base}. If the links of the service begin with another ` +
        'address, give that address with --published',
    )
  }

  /** Whether a link leads to this service. */
  owns(link: string): boolean {
    const { published } = this.target
    return isBelow(link, this.base) || (published !== undefined && isBelow(link, published))
  }
}

const isBelow = (link: string, base: string): boolean =>
  link === base || link.startsWith(`${base}/`) || link.startsWith(`${base}?`)

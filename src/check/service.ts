/** The service that is checked: its address, its target and the client. */
import type { Client, SendOptions } from './client/client.js'
import type { Exchange } from './client/exchange.js'
import type { Target } from './target/target.js'
import { Unchecked } from './verdict.js'

export class Service {
  /** Absolute, without a trailing slash. Templates are relative to it. */
  readonly base: string

  /** `base`: as it was given. */
  constructor(
    base: string,
    readonly target: Target,
    readonly client: Client,
    /** Whether all data of the service may be lost. */
    readonly isDisposable = false,
  ) {
    const plain = base.replace(/\/+$/, '')
    this.base = /^https?:\/\/[^/]+$/.test(plain) ? `${plain}${target.path ?? ''}` : plain
  }

  /** Sends to a path below the base address. */
  send(method: string, path: string, options?: SendOptions): Promise<Exchange> {
    return this.client.send(method, `${this.base}${path}`, options)
  }

  /**
   * The address at which a link can be followed: links may begin with the address that the service
   * publishes. Throws `Unchecked` for links to other services, which are never called.
   */
  addressOf(link: string): string {
    const { published } = this.target
    if (isBelow(link, this.base)) return link
    if (published !== undefined && isBelow(link, published)) return `${this.base}${link.slice(published.length)}`
    throw new Unchecked(
      `the link ${link} does not begin with ${this.base}. If the service publishes another address, give it with --published`,
    )
  }

  /** True of links to this service. */
  owns(link: string): boolean {
    const { published } = this.target
    return isBelow(link, this.base) || (published !== undefined && isBelow(link, published))
  }
}

const isBelow = (link: string, base: string): boolean =>
  link === base || link.startsWith(`${base}/`) || link.startsWith(`${base}?`)

/**
 * Sends the requests of all checks. The client counts the requests and limits their rate. It sends
 * a request with an unsafe method only if the ledger allows the method for the URL. The ledger is
 * the list of the records that the checks have created.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { safeMethods } from '../../http/safe-methods.js'
import { header } from '../../wire.js'
import { Unchecked } from '../verdict.js'
import { type Answer, type Caller, type Exchange, nobody, type Request } from './exchange.js'
import { type Account, credentialOf, type Principal } from './principals.js'
import { limited, noRaces, refusedInProduction } from './production.js'
import { Transport } from './transport.js'

/** The options of a client. */
export interface ClientOptions {
  readonly principals: readonly Principal[]
  /** The user that can log in, if one is known. */
  readonly account?: Account | undefined
  /** The maximum number of requests per second. */
  readonly rate: number
  /** The maximum number of requests in total. */
  readonly budget: number
  /**
   * Returns whether an unsafe method may be sent to a URL. By default, only safe methods may be
   * sent.
   */
  readonly mayWrite?: (method: string, url: string) => boolean
  /**
   * Whether to refuse requests that could lock accounts, exhaust limits or overload the service.
   */
  readonly production?: boolean
  /** Whether the service has sent a 429 to an earlier client of the run. Default false. */
  readonly isLimited?: boolean
  /** Called with each request and its response. */
  readonly onExchange?: (exchange: Exchange) => void
  /** Called for each request that got no response. */
  readonly onUnanswered?: (request: Request) => void
}

/**
 * The options of a request. The default of `caller` is the first principal. If there are no
 * principals, the request is sent without credentials.
 */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly caller?: Caller
  readonly body?: string
  /** Whether a 429 is returned like any other response, without a retry. Default false. */
  readonly returnsLimits?: boolean
  /**
   * Whether an unsafe request is retried like a safe one if the service is busy. Default false,
   * because the request may have had an effect.
   */
  readonly retries?: boolean
}

/** One request of a race, which is a set of requests that are sent at the same time. */
export interface Racer extends SendOptions {
  readonly method: string
}

/** The longest `Retry-After` after which the client retries, in seconds. */
const longestWait = 30

/**
 * The statuses with which an overloaded service or gateway responds. These statuses do not show
 * whether the service follows a rule.
 */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Thrown if a check tries to send an unsafe request to a URL that is not in the ledger. This is a
 * bug in the check, not a fault of the service.
 */
export class UnsafeRequestError extends Error {
  override readonly name = 'UnsafeRequestError'
}

/** Thrown if the service responds with 429, and a retry is not possible or has not helped. */
export class Limited extends Unchecked {}

const unsafe = (method: string, url: string): UnsafeRequestError =>
  new UnsafeRequestError(`${method} ${url} was not sent: the address is not in the ledger.`)

export class Client {
  /** The default caller of checks. */
  readonly caller: Caller
  readonly principals: ReadonlyMap<string, Principal>
  readonly #options: ClientOptions
  readonly #transport = new Transport()
  /** All requests so far that got a response, with the response. */
  readonly exchanges: Exchange[] = []
  #sent = 0
  #races = 0
  #isLimited: boolean
  #nextSlot = 0

  constructor(options: ClientOptions) {
    this.#options = options
    this.#isLimited = options.isLimited ?? false
    this.principals = new Map(options.principals.map((principal) => [principal.name, principal]))
    const [first] = options.principals
    this.caller = first === undefined ? nobody : { kind: 'principal', name: first.name }
  }

  /** The user that can log in. */
  get account(): Account | undefined {
    return this.#options.account
  }

  /** Whether the default caller is a principal. Otherwise, it has no credentials. */
  get hasPrincipal(): boolean {
    return this.principals.size > 0
  }

  /** Whether the service has sent a 429. */
  get isLimited(): boolean {
    return this.#isLimited
  }

  /** The number of requests so far. */
  get sent(): number {
    return this.#sent
  }

  /**
   * Sends a request. If the service is busy, the request is retried once, after the time in
   * `Retry-After`. An unsafe request is retried only with `retries`. A retry also requires a
   * `Retry-After` of at most `longestWait`. Throws `Unchecked` in these cases:
   * - There is no response.
   * - The budget is used up.
   * - `production` forbids the request or the retry.
   * - The service is busy, and a retry is not possible or has not helped. If the last response was
   *   a 429, the exception is `Limited`, which is a subclass of `Unchecked`.
   */
  async send(
    method: string,
    url: string,
    { headers = {}, caller = this.caller, body, returnsLimits = false, retries = false }: SendOptions = {},
  ): Promise<Exchange> {
    const { mayWrite, production = false } = this.#options
    if (!safeMethods.has(method) && mayWrite?.(method, url) !== true) throw unsafe(method, url)
    const request: Request = { method, url, headers, caller, body }
    const exchange = await this.#once(request)
    const { status } = exchange.answer
    if (!busy.has(status) || (returnsLimits && status === 429)) return exchange
    const seconds = Number(exchange.answer.field(header.retryAfter) ?? Number.NaN)
    // An unsafe request may have had an effect, so it is retried only with `retries`.
    const mayRetry = safeMethods.has(method) || retries
    if (!mayRetry || !(seconds <= longestWait)) throw unanswered(exchange)
    // After a 429 with `production`, there is no need to wait: `#once()` refuses to send the retry.
    if (!(production && status === 429)) await wait(seconds * 1000)
    const second = await this.#once(request)
    if (busy.has(second.answer.status)) throw unanswered(second)
    return second
  }

  /** Opens connections in advance, so that the requests of a race start at the same time. */
  async warmUp(url: string, connections: number): Promise<void> {
    this.#needsRaces()
    await Promise.all(
      Array.from({ length: connections }, () =>
        this.#sendNow({ method: 'GET', url, headers: {}, caller: this.caller }),
      ),
    )
  }

  /**
   * Sends unsafe requests to one URL at the same time, as several clients would. Throws `Unchecked`
   * if `production` is set, if the budget is used up, or if one of the requests gets no response.
   */
  async race(url: string, each: readonly Racer[]): Promise<readonly Exchange[]> {
    this.#needsRaces()
    const { mayWrite, rate } = this.#options
    for (const { method } of each) if (mayWrite?.(method, url) !== true) throw unsafe(method, url)
    const slot = Math.max(performance.now(), this.#nextSlot)
    this.#nextSlot = slot + (each.length * 1000) / rate
    await wait(Math.max(0, slot - performance.now()))
    const requests = each.map(
      ({ method, headers = {}, caller = this.caller, body }): Request => ({ method, url, headers, caller, body }),
    )
    this.#races += 1
    const number = this.#races
    return Promise.all(requests.map((request) => this.#sendNow(request, number)))
  }

  /** Throws `Unchecked` if requests must not be sent at the same time. */
  #needsRaces(): void {
    if (this.#options.production === true) throw new Unchecked(noRaces)
  }

  close(): void {
    this.#transport.close()
  }

  async #once(request: Request): Promise<Exchange> {
    const now = performance.now()
    const slot = Math.max(now, this.#nextSlot)
    this.#nextSlot = slot + 1000 / this.#options.rate
    if (slot - now >= 1) await wait(slot - now)
    return this.#sendNow(request)
  }

  async #sendNow(request: Request, race?: number): Promise<Exchange> {
    const { account, budget, onExchange, production = false } = this.#options
    const refused = production ? (this.#isLimited ? limited : refusedInProduction(request)) : undefined
    if (refused !== undefined) throw new Unchecked(refused)
    if (this.#sent >= budget) throw new Unchecked(`the budget of ${budget} requests is spent`)
    this.#sent += 1
    const fields = { ...request.headers, ...credentialOf(request.caller, this.principals, account) }
    const began = performance.now()
    let answer: Answer
    try {
      answer = await this.#transport.send(request.method, request.url, fields, request.body)
    } catch (error) {
      this.#options.onUnanswered?.(request)
      throw new Unchecked(`${request.method} ${request.url} got no answer: ${reasonOf(error)}`)
    }
    const milliseconds = performance.now() - began
    const exchange = { request, answer, milliseconds, ...(race === undefined ? {} : { race }) }
    this.exchanges.push(exchange)
    this.#isLimited ||= answer.status === 429
    onExchange?.(exchange)
    return exchange
  }
}

const unanswered = ({ request, answer }: Exchange): Unchecked =>
  new (answer.status === 429 ? Limited : Unchecked)(
    `${request.method} ${request.url} got ${answer.status}: the service is busy, or limits this client`,
  )

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || ('code' in error ? String(error.code) : error.name) : String(error)

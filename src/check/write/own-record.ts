/** The check's own records, which are created with the ledger and removed again. */
import { randomBytes, randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../definition/json.js'
import { header, mediaType } from '../../wire.js'
import type { SendOptions } from '../client/client.js'
import { type Exchange, nobody } from '../client/exchange.js'
import type { Listing } from '../listing.js'
import type { Creation } from '../target/target.js'
import { Unchecked } from '../verdict.js'
import type { Ledger } from './ledger.js'

/** An own record, and its address. */
export interface OwnRecord {
  readonly address: string
  /** The answer to the POST. */
  readonly posted: Exchange
  readonly marker: string
  /** The text member that holds the marker. */
  readonly member: string | undefined
}

/** The fields of a request with a JSON body. */
export const withJson = (value: unknown, headers: Readonly<Record<string, string>> = {}): SendOptions => ({
  headers: { [header.contentType]: mediaType.json, ...headers },
  body: JSON.stringify(value),
})

/** A POST that is in the ledger. */
interface Post {
  /** The number of its entry. */
  readonly number: number
  readonly url: string
  readonly marker: string
  readonly body: JsonObject
  readonly options: SendOptions
}

export class Owner {
  constructor(
    readonly list: Listing,
    readonly ledger: Ledger,
  ) {}

  /** How records are created. Throws `Unchecked` if a created record could not be found again. */
  get creation(): Creation {
    const { create, template, methods } = this.list.target
    if (!methods.includes('POST')) throw new Unchecked(`${template} does not accept POST`)
    if (create === undefined)
      throw new Unchecked(
        `the document gives ${template} no example of a body, or neither a free text that is a filter nor an Idempotency-Key. Give "create" in a target file`,
      )
    return create
  }

  /**
   * Writes a POST into the ledger, so that it may be sent.
   *
   * @param options `key`: whether it has an `Idempotency-Key`, if the collection accepts one.
   * Default true
   */
  async intend({ key: hasKey = true } = {}): Promise<Post> {
    const { marker: member, idempotent = false, unique = [] } = this.creation
    const body = await this.#body()
    // The end is a number that changes increase, so that every change differs from the previous
    // text.
    const marker = `check-${randomBytes(7).toString('hex')}00`
    const named = [...(member === undefined ? [] : [member]), ...unique].map((name) => [name, marker] as const)
    const whole = { ...body, ...Object.fromEntries(named) }
    const key = idempotent && hasKey ? randomUUID() : undefined
    const url = `${this.list.service.base}${this.list.path}`
    const number = this.ledger.intend({
      collection: this.list.target.template,
      post: url,
      marker,
      ...(key === undefined ? {} : { key }),
      body: whole,
    })
    const options = withJson(whole, key === undefined ? {} : { [header.idempotencyKey]: key })
    return { number, url, marker, body: whole, options }
  }

  /** Sends a POST that is in the ledger. Throws `Unchecked` if the service refuses the body. */
  async post(): Promise<Post & { readonly exchange: Exchange }> {
    const post = await this.intend()
    const exchange = await this.list.service.client.send('POST', post.url, post.options)
    const { status } = exchange.answer
    // A client error has created nothing.
    if (status >= 400 && status < 500) this.ledger.done(post.number)
    // The body is a guess, or from the target file, so the refusal may be correct.
    if (status === 400 || status === 403 || status === 422)
      throw new Unchecked(
        `POST of ${this.list.path} was refused with ${status}${detailOf(exchange)}. Give "create.body" and "create.unique" in a target file`,
      )
    return { ...post, exchange }
  }

  /**
   * Sends a POST without credentials, and enters the created record into the ledger. Throws
   * `Unchecked` unless disposable.
   */
  async postAsNobody(): Promise<Exchange> {
    this.#needsDisposable('POST without credentials')
    if (this.list.target.create === undefined)
      return this.sendHazard('POST', this.list.path, { ...withJson({}), caller: nobody })
    const { number, url, marker, options } = await this.intend()
    const exchange = await this.list.service.client.send('POST', url, { ...options, caller: nobody })
    const { status } = exchange.answer
    if (status >= 400 && status < 500) this.ledger.done(number)
    const address = this.addressOf(exchange)
    if (address !== undefined) await this.taken(number, address, exchange, marker)
    return exchange
  }

  /**
   * Sends an unsafe request to records of others, after a line in the ledger. Throws `Unchecked`
   * unless disposable.
   */
  sendHazard(method: string, path: string, options?: SendOptions): Promise<Exchange> {
    this.#needsDisposable(`${method} ${path}`)
    this.ledger.hazard(method, `${this.list.service.base}${path}`)
    return this.list.send(method, path, options)
  }

  #needsDisposable(what: string): void {
    if (!this.ledger.disposable) throw new Unchecked(needsDisposable(what))
  }

  /** The body of the target, or that of an existing item. */
  async #body(): Promise<JsonObject> {
    const { body, members } = this.creation
    if (body !== undefined) return { ...body }
    if (!this.list.target.methods.includes('GET'))
      throw new Unchecked(
        `the document has no example of a body of ${this.list.path}. Give "create.body" in a target file`,
      )
    const [item = {}] = await this.list.items()
    return Object.fromEntries(Object.entries(item).filter(([name]) => members.includes(name)))
  }

  /** Creates an own record. Throws `Unchecked` if that is not possible. */
  async make(): Promise<OwnRecord> {
    const { number, exchange, marker } = await this.post()
    const address = this.addressOf(exchange)
    if (address === undefined)
      throw new Unchecked(
        `POST of ${this.list.path} was answered ${exchange.answer.status} without an address of a new item`,
      )
    return this.taken(number, address, exchange, marker)
  }

  /**
   * The address of the created record; `undefined` if the response has none directly below the
   * collection.
   */
  addressOf({ request, answer }: Exchange): string | undefined {
    const location = answer.field(header.location)
    if (![201, 202].includes(answer.status) || location === undefined || !this.list.service.owns(location))
      return undefined
    const address = this.list.service.addressOf(location)
    const rest = address.startsWith(`${request.url}/`) ? address.slice(request.url.length + 1) : ''
    return rest === '' || /[/?#]/.test(rest) || rest === '..' ? undefined : address
  }

  /**
   * Enters an address as an own record, if the record there contains the marker or the sent values.
   */
  async taken(number: number, address: string, posted: Exchange, marker: string): Promise<OwnRecord> {
    const member = this.creation.marker
    if (!(await this.#isOurs(address, posted, marker)))
      throw new Unchecked(`${address} does not have the sent values: it may be a record of others`)
    this.ledger.created(number, address)
    return { address, posted, marker, member }
  }

  /**
   * Enters another item that a POST has created, so that it is removed too. Does nothing if it is
   * not an own record.
   */
  async adopt(address: string, posted: Exchange, marker: string): Promise<void> {
    if (!(await this.#isOurs(address, posted, marker))) return
    const post = posted.request.url
    const number = this.ledger.intend({ collection: this.list.target.template, post, marker, body: {} })
    this.ledger.created(number, address)
  }

  /**
   * Whether the item there contains the marker, or the sent values if there is no member for a
   * marker.
   */
  async #isOurs(address: string, posted: Exchange, marker: string): Promise<boolean> {
    const { json } = (await this.list.service.client.send('GET', address)).answer
    const member = this.creation.marker
    const sent = JSON.parse(posted.request.body ?? '{}') as JsonObject
    return isObject(json) && (member === undefined ? holdsSent(json, sent) : json[member] === marker)
  }

  /** The current state of an own record, with its tag. Throws `Unchecked` if it has no tag. */
  async current({
    address,
  }: OwnRecord): Promise<{ readonly exchange: Exchange; readonly tag: string; readonly value: JsonObject }> {
    const exchange = await this.list.service.client.send('GET', address)
    const tag = exchange.answer.field(header.etag)
    const { json } = exchange.answer
    if (tag === undefined || !isObject(json)) throw new Unchecked('a new item has no tag, or cannot be read')
    return { exchange, tag, value: json }
  }

  send(method: string, { address }: OwnRecord, options?: SendOptions): Promise<Exchange> {
    return this.list.service.client.send(method, address, options)
  }
}

/** The reason why a request is not sent to a service that is not disposable. */
export const needsDisposable = (what: string): string =>
  `${what} could destroy records of others. If the whole service may be lost, give --disposable`

/** The detail of the problem. */
function detailOf({ answer: { json } }: Exchange): string {
  const detail = isObject(json) ? json.detail : undefined
  return typeof detail === 'string' ? ` (${detail.slice(0, 120)})` : ''
}

/** Whether the scalar members have the sent values. */
const holdsSent = (shown: JsonObject, sent: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(sent).every(([name, value]) => typeof value === 'object' || shown[name] === value)

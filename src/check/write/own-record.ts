/**
 * Creates the records that a check needs. They are listed in a file, the ledger, and removed at the
 * end of the run.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../definition/json.js'
import { header, mediaType } from '../../wire.js'
import type { SendOptions } from '../client/client.js'
import { type Exchange, nobody } from '../client/exchange.js'
import { isItemOf } from '../item-id.js'
import type { Listing } from '../listing.js'
import type { Creation } from '../target/target.js'
import { Unchecked } from '../verdict.js'
import type { Ledger } from './ledger.js'

/** A record that the check has created. */
export interface OwnRecord {
  readonly address: string
  /** The POST that created the record, and its response. */
  readonly posted: Exchange
  readonly marker: string
  /**
   * The string member that contains the marker, which is a random string that identifies the
   * record.
   */
  readonly member: string | undefined
}

/** The options of a request with a JSON body. */
export const withJson = (value: unknown, headers: Readonly<Record<string, string>> = {}): SendOptions => ({
  headers: { [header.contentType]: mediaType.json, ...headers },
  body: JSON.stringify(value),
})

/**
 * Whether the service refused a request. A 5xx is not a refusal, because its outcome is unknown.
 */
export const isRefused = ({ answer: { status } }: Exchange): boolean => status >= 400 && status < 500

/** A POST that is in the ledger. */
interface Post {
  /** The number of its entry in the ledger. */
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

  /**
   * How records of this collection are created. Throws `Unchecked` if the collection does not
   * accept POST, or if the target does not describe how to create records.
   */
  get creation(): Creation {
    const { create, template, methods } = this.list.target
    if (!methods.includes('POST')) throw new Unchecked(`${template} does not accept POST`)
    if (create === undefined)
      throw new Unchecked(
        `the document does not describe how to create a record in ${template} that a check can find again. ` +
          'Give "create" in a target file',
      )
    return create
  }

  /**
   * Enters a POST into the ledger. A POST must be entered before it is sent. Throws `Unchecked` if
   * the created record could not be distinguished from other records.
   *
   * @param options `key`: whether the POST has an `Idempotency-Key`, if the collection accepts one.
   * Default true
   */
  async intend({ key: hasKey = true } = {}): Promise<Post> {
    const { marker: member, idempotent = false, unique = [] } = this.creation
    const body = await this.#body()
    // The marker ends with a number. Each change of a record uses another number, so that the new
    // marker differs from the previous one.
    const marker = `check-${randomBytes(7).toString('hex')}00`
    const named = [...(member === undefined ? [] : [member]), ...unique].map((name) => [name, marker] as const)
    // Without the marker, the service may respond with the URL of an existing item that has the
    // same content.
    if (named.length === 0)
      throw new Unchecked(
        `the body of POST of ${this.list.path} has no string member by which the new item could be recognized. ` +
          'Give "create.marker" or "create.unique" in a target file',
      )
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

  /**
   * Enters a POST into the ledger and sends it. Throws `Unchecked` if the response is 400, 403 or
   * 422.
   */
  async post(): Promise<Post & { readonly exchange: Exchange }> {
    const post = await this.intend()
    const exchange = await this.list.service.client.send('POST', post.url, post.options)
    const { status } = exchange.answer
    if (isRefused(exchange)) this.noteRefusal(post.number)
    // The refusal may be correct, because the body is guessed or comes from the target file.
    if (status === 400 || status === 403 || status === 422)
      throw new Unchecked(
        `POST of ${this.list.path} was refused with ${status}${detailOf(exchange)}. ` +
          'Give "create.body" and "create.unique" in a target file',
      )
    return { ...post, exchange }
  }

  /**
   * Sends a POST without credentials. If the target describes how to create records, a record that
   * the POST creates is entered into the ledger. Throws `Unchecked` unless the service is
   * disposable.
   */
  async postAsNobody(): Promise<Exchange> {
    this.#needsDisposable('POST without credentials')
    if (this.list.target.create === undefined)
      return this.sendHazard('POST', this.list.path, { ...withJson({}), caller: nobody })
    const { number, url, marker, options } = await this.intend()
    const exchange = await this.list.service.client.send('POST', url, { ...options, caller: nobody })
    if (isRefused(exchange)) this.noteRefusal(number)
    const address = this.addressOf(exchange)
    if (address !== undefined) await this.recordCreated(number, address, exchange, marker)
    return exchange
  }

  /**
   * Notes in the ledger that a refused POST has created no record. If the target names a `marker`
   * member, the entry stays open instead: a faulty service may have created the record before it
   * refused the request. The cleanup then searches for the marker.
   */
  noteRefusal(number: number): void {
    if (this.creation.marker === undefined) this.ledger.done(number)
  }

  /**
   * Sends an unsafe request that may affect records that the check has not created. The request is
   * entered into the ledger first. Throws `Unchecked` unless the service is disposable.
   */
  sendHazard(method: string, path: string, options?: SendOptions): Promise<Exchange> {
    this.#needsDisposable(`${method} ${path}`)
    this.ledger.allowHazard(method, `${this.list.service.base}${path}`)
    return this.list.send(method, path, options)
  }

  #needsDisposable(what: string): void {
    if (!this.ledger.disposable) throw new Unchecked(needsDisposable(what))
  }

  /**
   * The body of a new record, from the target. If the target has no body, an existing item is
   * copied, with only the members that POST accepts.
   */
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

  /** Creates a record. Throws `Unchecked` if that is not possible. */
  async make(): Promise<OwnRecord> {
    const { number, exchange, marker } = await this.post()
    const address = this.addressOf(exchange)
    if (address === undefined)
      throw new Unchecked(`POST of ${this.list.path} got ${exchange.answer.status} without an address of a new item`)
    return this.recordCreated(number, address, exchange, marker)
  }

  /**
   * The URL of the created record, from `Location`. `undefined` unless the status is 201 or 202 and
   * `Location` is a URL directly below the collection.
   */
  addressOf({ request, answer }: Exchange): string | undefined {
    const location = answer.field(header.location)
    if (![201, 202].includes(answer.status) || location === undefined || !this.list.service.owns(location))
      return undefined
    const address = this.list.service.addressOf(location)
    return isItemOf(address, request.url) ? address : undefined
  }

  /**
   * Enters the URL of a created record into the ledger. Throws `Unchecked` unless the record at
   * this URL contains the marker or the sent values.
   */
  async recordCreated(number: number, address: string, posted: Exchange, marker: string): Promise<OwnRecord> {
    const member = this.creation.marker
    if (!(await this.#isOurs(address, posted, marker)))
      throw new Unchecked(`${address} does not have the sent values, so another client may have created it`)
    this.ledger.created(number, address)
    return { address, posted, marker, member }
  }

  /**
   * Enters an unexpectedly created item into the ledger, so that the item is removed too. Does
   * nothing if the item does not contain the marker or the sent values.
   */
  async recordUnexpected(address: string, posted: Exchange, marker: string): Promise<void> {
    if (!(await this.#isOurs(address, posted, marker))) return
    const post = posted.request.url
    const body = bodyOf(posted)
    const number = this.ledger.intend({ collection: this.list.target.template, post, marker, body })
    this.ledger.created(number, address)
  }

  /**
   * Whether the item at the URL is the created record: its marker member has the marker as its
   * value. If the target names no marker member, the item must instead contain all sent values, one
   * of which is the marker.
   */
  async #isOurs(address: string, posted: Exchange, marker: string): Promise<boolean> {
    const { json } = (await this.list.service.client.send('GET', address)).answer
    const member = this.creation.marker
    if (!isObject(json)) return false
    return member === undefined ? isMarked(json, bodyOf(posted), marker) : json[member] === marker
  }

  /**
   * Reads the current state of a record that the check has created, with its entity tag. Throws
   * `Unchecked` if the record has no tag or can't be read.
   */
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

/** The reason why a request is sent only to a disposable service. */
export const needsDisposable = (what: string): string =>
  `${what} could destroy records that the run has not created. If you accept that the service loses all its ` +
  'data, give --disposable'

/** The `detail` of a problem, in parentheses. Empty if there is none. */
function detailOf({ answer: { json } }: Exchange): string {
  const detail = isObject(json) ? json.detail : undefined
  return typeof detail === 'string' ? ` (${detail.slice(0, 120)})` : ''
}

/**
 * The part of a marker that stays the same. A check that changes the marker replaces only its last
 * two digits.
 */
export const markerStem = (marker: string): string => marker.slice(0, -2)

const bodyOf = ({ request }: Exchange): JsonObject => JSON.parse(request.body ?? '{}') as JsonObject

/**
 * Whether an item in a response (`shown`) has all sent values. One of the sent values must be the
 * marker, because the other values may be those of an existing item. Sent objects, arrays and nulls
 * are not compared. `orNull`: whether null is also accepted for a member without the marker,
 * because a check may have set the member to null.
 */
export const isMarked = (
  shown: JsonObject,
  sent: Readonly<Record<string, unknown>>,
  marker: string,
  orNull = false,
): boolean =>
  Object.values(sent).includes(marker) &&
  Object.entries(sent).every(
    ([name, value]) =>
      typeof value === 'object' || shown[name] === value || (orNull && value !== marker && shown[name] === null),
  )

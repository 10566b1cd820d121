/**
 * A collection at one URL, such as `/customers/7/orders`, and its items.
 */
import { canonicalText, get, isList, isObject, type JsonObject } from '../definition/json.js'
import { header, parameter } from '../wire.js'
import type { SendOptions } from './client/client.js'
import type { Exchange } from './client/exchange.js'
import { isItemId } from './item-id.js'
import type { Service } from './service.js'
import type { CollectionTarget } from './target/target.js'
import { NotApplicable, Unchecked } from './verdict.js'

/** The parameters of a query string, or the exact query string. */
export type Query = Readonly<Record<string, string | number>> | string

/** The number of items that are requested by a check that needs only a few items. */
export const sampleSize = 5

export class Listing {
  #sample: Promise<Exchange> | undefined
  readonly #kept = new Map<string, unknown>()

  constructor(
    readonly service: Service,
    readonly target: CollectionTarget,
    /** The path template with the ids of parents in place of its parameters. */
    readonly path: string,
  ) {}

  /** Requests the list with a query string. */
  list(query: Query = '', options?: SendOptions): Promise<Exchange> {
    return this.service.send('GET', `${this.path}${queryText(query)}`, options)
  }

  send(method: string, path: string, options?: SendOptions): Promise<Exchange> {
    return this.service.send(method, path, options)
  }

  /** A page of a few items. It is requested once, and again after `refresh()`. */
  sample(): Promise<Exchange> {
    this.#sample ??= this.list({ [parameter.size]: sampleSize })
    return this.#sample
  }

  /**
   * Returns the result of `make`, which several checks need. The result is cached under `name`
   * until `refresh()` is called.
   */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const kept = (this.#kept.get(name) as Promise<T> | undefined) ?? make()
    this.#kept.set(name, kept)
    return kept
  }

  /** Drops the sample and all cached values, so that they are requested again. */
  refresh(): void {
    this.#sample = undefined
    this.#kept.clear()
  }

  /** A few items. Throws `Unchecked` if there are none. */
  async items(): Promise<readonly JsonObject[]> {
    const found = itemsOf(await this.sample())
    if (found.length === 0) throw new Unchecked(`${this.path} holds no items`)
    return found
  }

  /**
   * The path of one item. Throws `NotApplicable` if items have no URL, and `Unchecked` if there are
   * no items or if the id of the item is not known.
   */
  async anItem(): Promise<string> {
    const [item] = await this.items()
    return this.pathOf(item as JsonObject)
  }

  /**
   * The path of an item. Throws `NotApplicable` if items have no URL, and `Unchecked` if the id of
   * the item is not known or can't be in a path.
   */
  pathOf(item: JsonObject): string {
    const id = encodeURIComponent(this.idOf(item)).replaceAll('%2C', ',').replaceAll('%3D', '=')
    if (!isItemId(id)) throw new Unchecked(`an item of ${this.path} has the id "${id}", which cannot be in an address`)
    return `${this.path}/${id}`
  }

  /**
   * The id of an item: the last segment of its path, before percent-encoding. An id of several
   * parts looks like `a=1,b=2`. Throws if the id is not known.
   */
  idOf(item: JsonObject): string {
    const key = this.key
    const parts = key.map((name) => {
      const value = get(item, name.split('.'))
      if (value === undefined || value === null) throw new Unchecked(`an item of ${this.path} has no member "${name}"`)
      return String(value)
    })
    if (key.length === 1) return parts[0] as string
    return key.map((name, at) => `${name}=${(parts[at] as string).replace(/[%,=]/g, encodeURIComponent)}`).join()
  }

  get key(): readonly string[] {
    const { key, itemMethods, template } = this.target
    if (key !== undefined) return key
    if (itemMethods.length === 0) throw new NotApplicable(`items of ${template} have no address`)
    throw new Unchecked(`the document does not say which members form the id of an item. Give "key" in a target file`)
  }

  /**
   * A string that identifies an item: its id, or its whole content if the members of the id are not
   * known.
   */
  identityOf(item: JsonObject): string {
    return this.target.key === undefined ? canonicalText(item) : this.idOf(item)
  }

  /** The path of an item that does not exist. */
  async aMissingItem(): Promise<string> {
    const [item] = await this.items()
    const ids = this.key.map((name) => [name, missingId(get(item, name.split('.')))] as const)
    return this.pathOf(Object.fromEntries(ids))
  }
}

/** A value that looks like an existing id, but that no record is expected to have. */
export function missingId(value: unknown): string {
  const text = String(value)
  if (/^\d+$/.test(text)) return '987654321'
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return '00000000-0000-4000-8000-0123456789ab'
  return text
    .replace(/[\dA-Za-z]+/g, (part) => part.replace(/\d/g, '9').replace(/[a-z]/g, 'q').replace(/[A-Z]/g, 'Q'))
    .concat(/\d$/.test(text) ? '' : 'q')
}

export function queryText(query: Query): string {
  if (typeof query === 'string') return query === '' ? '' : `?${query}`
  const pairs = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/**
 * The items of a list. Throws `Unchecked` if the response is not a list. The check VERB-1/list
 * reports such a response.
 */
export function itemsOf({ request, answer }: Exchange): readonly JsonObject[] {
  const { json, status } = answer
  if (status !== 200 || !isList(json)) throw new Unchecked(`GET ${request.url} got ${status}, without a JSON array`)
  return json.filter(isObject)
}

/** The total of a list, from `x-total-count`. `undefined` if the response has no total. */
export function totalOf({ answer }: Exchange): number | undefined {
  const text = answer.field(header.totalCount)
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

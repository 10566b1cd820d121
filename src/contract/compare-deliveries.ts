/**
 * Compares webhooks and callbacks: requests that the service sends to clients. Clients reply to
 * these requests.
 */
import { own } from '../definition/json.js'
import { operationsOf, pathItemsOf } from './addresses.js'
import type { Found } from './changes.js'
import { compareContents, isSuccess, responseFor } from './compare-bodies.js'
import { type OperationSides, parametersOf } from './compare-parameters.js'
import type { Pair } from './findings.js'
import { valueSchema } from './flatten.js'
import { levelOf, type OwnKind } from './kinds.js'
import type { Place } from './nodes.js'
import { changeOf } from './sentences.js'

/** The context in which deliveries (webhooks and callbacks) are compared. */
export type DeliverySides = Omit<OperationSides, 'operation'>

type Rest = Pick<Found, 'what' | 'effect' | 'before' | 'after' | 'detail' | 'place'>

/**
 * Compares webhooks or callbacks by name. In messages, `words` precedes the name, as in `the
 * webhook "orders"`, where `words` is `the webhook`.
 */
export function compareDeliveries(pair: Pair<Place | undefined>, words: string, sides: DeliverySides): void {
  const [old, updated] = [pathItemsOf(sides.before, pair.before), pathItemsOf(sides.after, pair.after)]
  for (const [name, before] of old) {
    const after = updated.get(name)
    const one = new Delivery(name, `${words} "${name}"`, sides)
    if (after === undefined) one.removed(before)
    else if (words.startsWith('the callback')) compareExpressions({ before, after }, one, sides)
    else one.both({ before, after })
  }
  for (const [name, after] of updated) if (!old.has(name)) new Delivery(name, `${words} "${name}"`, sides).added(after)
}

/**
 * Compares the expressions of a callback. An expression such as `{$request.body#/url}` takes the
 * URL of the callback from the request. The first removed expression is compared with the first
 * added one, the second with the second, and so on.
 */
function compareExpressions(
  pair: Pair<Place>,
  delivery: Delivery,
  { before: source, after: other }: DeliverySides,
): void {
  const [old, updated] = [expressionsOf(source, pair.before), expressionsOf(other, pair.after)]
  const left = [...old].filter(([expression]) => !updated.has(expression))
  const gained = [...updated].filter(([expression]) => !old.has(expression))
  for (const [expression, before] of old) {
    const after = updated.get(expression)
    if (after !== undefined) delivery.both({ before, after })
  }
  for (const [index, [expression, before]] of left.entries()) {
    const [to, after] = gained[index] ?? []
    delivery.moved(expression, to, { before, after })
    if (after !== undefined) delivery.both({ before, after })
  }
}

/** The expressions of a callback, without its extensions. */
const expressionsOf = (source: DeliverySides['before'], callback: Place): ReadonlyMap<string, Place> =>
  new Map([...pathItemsOf(source, callback)].filter(([name]) => !name.startsWith('x-')))

class Delivery {
  readonly #name: string
  readonly #words: string
  readonly #sides: DeliverySides

  constructor(name: string, words: string, sides: DeliverySides) {
    this.#name = name
    this.#words = words
    this.#sides = sides
  }

  removed(before: Place): void {
    this.#add('webhook-removed', {
      before,
      what: `${this.#words} was removed`,
      effect: 'clients that rely on it are no longer called',
    })
  }

  added(after: Place): void {
    this.#add('webhook-added', { after, what: `${this.#words} is new` })
  }

  moved(
    from: string,
    to: string | undefined,
    places: { readonly before: Place; readonly after: Place | undefined },
  ): void {
    const what =
      `${this.#words} is ` +
      `${to === undefined ? 'no longer sent' : `sent to ${to} in place of`}${to === undefined ? ` to ${from}` : ` ${from}`}`
    this.#add('callback-address-changed', {
      ...places,
      detail: from,
      what,
      effect: 'clients that sent that URL are no longer called',
    })
  }

  both({ before, after }: Pair<Place>): void {
    const [old, updated] = [operationsOf(this.#sides.before, before), operationsOf(this.#sides.after, after)]
    for (const [method, one] of old) {
      const other = updated.get(method)
      if (other !== undefined)
        this.#operation(method, { before: { item: before, operation: one }, after: { item: after, operation: other } })
      else
        this.#add('webhook-removed', {
          before: one,
          what: `${this.#words} is no longer sent by ${method}`,
          effect: 'clients that rely on it are no longer called',
        })
    }
    for (const [method, place] of updated)
      if (!old.has(method))
        this.#add('webhook-added', { after: place, what: `${this.#words} is sent by ${method} now` })
  }

  #operation(method: string, pair: Pair<{ readonly item: Place; readonly operation: Place }>): void {
    const sides: OperationSides = { ...this.#sides, operation: { method, path: this.#name } }
    const operations = { before: pair.before.operation, after: pair.after.operation }
    this.#body(operations, sides)
    this.#parameters(pair, sides)
    this.#replies(operations, sides)
  }

  #body({ before, after }: Pair<Place>, sides: OperationSides): void {
    const old = sides.before.member(before, 'requestBody')
    const updated = sides.after.member(after, 'requestBody')
    const words = `the body of ${this.#words}`
    const rest = { before: old, after: updated, place: 'body' }
    if (old === undefined || updated === undefined) {
      if (old !== undefined)
        this.#add('delivery-body-removed', {
          ...rest,
          what: `${words} was removed`,
          effect: 'clients that read it no longer find it',
        })
      if (updated !== undefined) this.#add('delivery-body-added', { ...rest, what: `${words} is new` })
      return
    }
    if (own(old.value, 'required') === true && own(updated.value, 'required') !== true)
      this.#add('delivery-body-became-optional', {
        ...rest,
        what: `${words} is no longer always present`,
        effect: 'clients that rely on it fail if it is missing',
      })
    compareContents({ before: old, after: updated }, { place: 'delivery', words, at: 'body' }, sides)
  }

  /** Compares the parameters of a delivery, including its header fields. */
  #parameters(pair: Pair<{ readonly item: Place; readonly operation: Place }>, sides: OperationSides): void {
    const before = parametersOf(sides.before, { ...pair.before, path: '' })
    const after = parametersOf(sides.after, { ...pair.after, path: '' })
    for (const [key, old] of before) {
      const updated = after.get(key)
      const words = this.#parameterWords(old)
      const place = `${old.in} "${old.name}"`
      if (updated === undefined) {
        this.#add('delivery-parameter-removed', {
          before: old.place,
          place,
          what: `${words} was removed`,
          effect: 'clients that read it no longer find it',
        })
        continue
      }
      if (old.required && !updated.required)
        this.#add('delivery-parameter-became-optional', {
          ...{ before: old.place, after: updated.place, place },
          what: `${words} is no longer always present`,
          effect: 'clients that rely on it fail if it is missing',
        })
      const schemas = {
        before: valueSchema(sides.before, old.place),
        after: valueSchema(sides.after, updated.place),
      }
      for (const finding of sides.schemas.compare(schemas, { place: 'delivery', text: false }))
        sides.changes.add(changeOf(finding, { place: 'delivery' }, { operation: sides.operation, words, place }))
    }
    for (const [key, updated] of after)
      if (!before.has(key))
        this.#add('delivery-parameter-added', {
          after: updated.place,
          place: `${updated.in} "${updated.name}"`,
          what: `${this.#parameterWords(updated)} is new`,
        })
  }

  #parameterWords({ in: place, name }: { readonly in: string; readonly name: string }): string {
    return `the ${place === 'header' ? 'header' : `${place} parameter`} "${name}" of ${this.#words}`
  }

  /** Compares the replies of clients. Error replies are ignored. */
  #replies({ before, after }: Pair<Place>, sides: OperationSides): void {
    const old = sides.before.members(sides.before.member(before, 'responses'))
    const updated = sides.after.members(sides.after.member(after, 'responses'))
    for (const [status, place] of old) {
      if (!isSuccess(status) && status !== 'default') continue
      const [, other] = responseFor(updated, status)
      const words = `the ${status} reply to ${this.#words}`
      if (other !== undefined)
        compareContents({ before: place, after: other }, { place: 'reply', words, at: status }, sides)
      else if (updated.size > 0)
        this.#add('reply-status-removed', {
          before: place,
          place: status,
          what: `${words} is no longer expected`,
          effect: 'the service treats it as a failure',
        })
    }
    for (const [status, place] of updated)
      if (isSuccess(status) && responseFor(old, status)[1] === undefined)
        this.#add('reply-status-added', {
          after: place,
          place: status,
          what: `${this.#words} may get the reply ${status} now`,
        })
  }

  #add(kind: OwnKind, { effect, place, ...rest }: Omit<Rest, 'place'> & { readonly place?: string }): void {
    const level = levelOf(kind)
    const at = place === undefined ? '' : ` ${place}`
    this.#sides.changes.add({
      kind,
      level,
      place: `webhook "${this.#name}"${at}`,
      ...rest,
      ...(level === 'breaking' && effect !== undefined ? { effect } : {}),
    })
  }
}

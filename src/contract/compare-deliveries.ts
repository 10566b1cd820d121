/** Compares what the service sends to its clients by itself: webhooks and callbacks. Clients get their bodies, and answer them. */
import { own } from '../definition/json.js'
import { operationsOf } from './addresses.js'
import type { Found } from './changes.js'
import { compareContents, isSuccess, statusOf } from './compare-bodies.js'
import { type OperationSides, parametersOf } from './compare-parameters.js'
import type { Pair } from './findings.js'
import { schemaOf } from './flatten.js'
import { levelOf, type OwnKind } from './kinds.js'
import { child, type Place } from './nodes.js'
import { changeOf } from './sentences.js'

/** What both sides of a delivery stand on. */
export type DeliverySides = Omit<OperationSides, 'operation'>

type Rest = Pick<Found, 'what' | 'so' | 'before' | 'after' | 'detail' | 'place'>

/** Webhooks and callbacks by name. `words`: `the webhook`. */
export function compareDeliveries(pair: Pair<Place | undefined>, words: string, sides: DeliverySides): void {
  const [old, young] = [sides.before.members(pair.before), sides.after.members(pair.after)]
  for (const [name, before] of old) {
    const after = young.get(name)
    const one = new Delivery(name, `${words} "${name}"`, sides)
    if (after === undefined) one.removed(before)
    else if (words.startsWith('the callback')) compareExpressions({ before, after }, one, sides)
    else one.both({ before, after })
  }
  for (const [name, after] of young) if (!old.has(name)) new Delivery(name, `${words} "${name}"`, sides).added(after)
}

/** A callback is sent to an address that an expression finds in the request, such as `{$request.body#/url}`. */
function compareExpressions(
  pair: Pair<Place>,
  delivery: Delivery,
  { before: source, after: other }: DeliverySides,
): void {
  const [old, young] = [source.members(pair.before), other.members(pair.after)]
  const left = [...old].filter(([expression]) => expression.startsWith('x-') || !young.has(expression))
  const gained = [...young].filter(([expression]) => !old.has(expression))
  for (const [expression, before] of old) {
    const after = young.get(expression)
    if (after !== undefined) delivery.both({ before, after })
  }
  for (const [index, [expression, before]] of left.entries()) {
    const [to, after] = gained[index] ?? []
    delivery.moved(expression, to, { before, after })
    if (after !== undefined) delivery.both({ before, after })
  }
}

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
      what: `${this.#words} is gone`,
      so: 'clients that wait for it hear nothing',
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
    const what = `${this.#words} is ${to === undefined ? 'no longer sent' : `sent to ${to} in place of`}${to === undefined ? ` to ${from}` : ` ${from}`}`
    this.#add('callback-address-changed', {
      ...places,
      detail: from,
      what,
      so: 'clients that gave that address hear nothing',
    })
  }

  both({ before, after }: Pair<Place>): void {
    const [old, young] = [operationsOf(this.#sides.before, before), operationsOf(this.#sides.after, after)]
    for (const [method, one] of old) {
      const other = young.get(method)
      if (other !== undefined)
        this.#operation(method, { before: { item: before, operation: one }, after: { item: after, operation: other } })
      else
        this.#add('webhook-removed', {
          before: one,
          what: `${this.#words} is no longer sent by ${method}`,
          so: 'clients that wait for it hear nothing',
        })
    }
    for (const [method, place] of young)
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
    const young = sides.after.member(after, 'requestBody')
    const words = `the body of ${this.#words}`
    const rest = { before: old, after: young, place: 'body' }
    if (old === undefined || young === undefined) {
      if (old !== undefined)
        this.#add('delivery-body-removed', {
          ...rest,
          what: `${words} is gone`,
          so: 'clients that read it find nothing',
        })
      if (young !== undefined) this.#add('delivery-body-added', { ...rest, what: `${words} is new` })
      return
    }
    if (own(old.value, 'required') === true && own(young.value, 'required') !== true)
      this.#add('delivery-body-became-optional', {
        ...rest,
        what: `${words} is not always there any more`,
        so: 'clients that count on it fail where it is missing',
      })
    compareContents({ before: old, after: young }, { place: 'delivery', words, at: 'body' }, sides)
  }

  /** Header fields and parameters of the query that a delivery comes with. */
  #parameters(pair: Pair<{ readonly item: Place; readonly operation: Place }>, sides: OperationSides): void {
    const before = parametersOf(sides.before, { ...pair.before, path: '' })
    const after = parametersOf(sides.after, { ...pair.after, path: '' })
    for (const [key, old] of before) {
      const young = after.get(key)
      const words = `the ${old.in === 'header' ? 'header' : `${old.in} parameter`} "${old.name}" of ${this.#words}`
      const place = `${old.in} "${old.name}"`
      if (young === undefined) {
        this.#add('delivery-parameter-removed', {
          before: old.place,
          place,
          what: `${words} is gone`,
          so: 'clients that read it find nothing',
        })
        continue
      }
      if (old.required && !young.required)
        this.#add('delivery-parameter-became-optional', {
          ...{ before: old.place, after: young.place, place },
          what: `${words} is not always there any more`,
          so: 'clients that count on it fail where it is missing',
        })
      const schemas = { before: schemaOf(child(old.place, 'schema')), after: schemaOf(child(young.place, 'schema')) }
      for (const finding of sides.schemas.compare(schemas, { place: 'delivery', text: false }))
        sides.changes.add(changeOf(finding, { place: 'delivery' }, { operation: sides.operation, words, place }))
    }
    for (const [key, young] of after)
      if (!before.has(key))
        this.#add('delivery-parameter-added', {
          after: young.place,
          place: `${young.in} "${young.name}"`,
          what: `${young.in} "${young.name}" of ${this.#words} is new`,
        })
  }

  /** What clients may answer. Their failures are theirs. */
  #replies({ before, after }: Pair<Place>, sides: OperationSides): void {
    const old = sides.before.members(sides.before.member(before, 'responses'))
    const young = sides.after.members(sides.after.member(after, 'responses'))
    for (const [status, place] of old) {
      if (!isSuccess(status) && status !== 'default') continue
      const [, other] = statusOf(young, status)
      const words = `the ${status} reply to ${this.#words}`
      if (other !== undefined)
        compareContents({ before: place, after: other }, { place: 'reply', words, at: status }, sides)
      else if (young.size > 0)
        this.#add('reply-status-removed', {
          before: place,
          place: status,
          what: `${words} is no longer expected`,
          so: 'the service takes it for a failure',
        })
    }
    for (const [status, place] of young)
      if (isSuccess(status) && statusOf(old, status)[1] === undefined)
        this.#add('reply-status-added', {
          after: place,
          place: status,
          what: `${this.#words} may be answered with ${status} now`,
        })
  }

  #add(kind: OwnKind, { so, place, ...rest }: Omit<Rest, 'place'> & { readonly place?: string }): void {
    const level = levelOf(kind)
    const at = place === undefined ? '' : ` ${place}`
    this.#sides.changes.add({
      kind,
      level,
      place: `webhook "${this.#name}"${at}`,
      ...rest,
      ...(level === 'breaking' && so !== undefined ? { so } : {}),
    })
  }
}

/** The answers of hand-written routes in JSON and XML, as `Accept` asks (HDR-1). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '../definition/json.js'
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { compileSent } from '../plan/members.js'
import { compileResource } from '../plan/resource-plan.js'
import { wireForms } from '../plan/wire-form.js'
import { builtIn } from '../representation/encoding.js'
import { header } from '../wire.js'
import type { Middleware } from './middleware.js'
import { type Negotiate, type NegotiateOptions, negotiate, negotiateKinds } from './negotiate.js'

/** The middleware that `recordAnswer()` makes, and what writes in the media type it has chosen. */
export interface RecordAnswer<T> extends Negotiate {
  /**
   * Ends the answer with a record, or with the records of a page, in the media type chosen. Status and other headers are those that `res` has. Throws `ConfigurationError` where
   * this middleware did not run before, and where one of `others` was chosen, which only the route itself can write.
   */
  send(req: IncomingMessage, res: ServerResponse, value: T | readonly T[]): void
}

/**
 * Chooses among JSON, XML and `others` (`offers` among options) as `negotiate()` does (415 where none is acceptable, `Vary: Accept` always), and writes records of a definition in it, without their
 * `writeOnly` members (REP-8). All else is written as it stands in the value, links to resources and members that the schema does not name among it. Throws `ConfigurationError` where one of `others` is no media type.
 *
 * @example
 * const answer = recordAnswer(sucursales)
 * app.get('/sucursales', answer, (req, res) => answer.send(req, res, all()))
 */
export function recordAnswer<T>(definition: ResourceDefinition<T>, ...others: readonly string[]): RecordAnswer<T>
export function recordAnswer<T>(definition: ResourceDefinition<T>, options: NegotiateOptions): RecordAnswer<T>
export function recordAnswer<T>(
  definition: ResourceDefinition<T>,
  ...given: readonly (string | NegotiateOptions)[]
): RecordAnswer<T> {
  checkDefinition('recordAnswer()', definition)
  const [first] = given
  const options: NegotiateOptions =
    isObject(first) && given.length === 1 ? first : { offers: given as readonly string[] }
  if (options === first) checkOptions('recordAnswer()', options, negotiateKinds)
  const { offers: others = [], ...rest } = options
  const { item, list } = wireForms(compileResource(definition))
  const sent = compileSent(definition.shape)
  const representations = new Map(builtIn.map((representation) => [representation.mediaType, representation]))
  const format = negotiate({ ...rest, offers: [...representations.keys(), ...others] })
  const recordAnswerMiddleware: Middleware = (req, res, next) => format(req, res, next)
  return Object.assign(recordAnswerMiddleware, {
    of: format.of,
    send(req: IncomingMessage, res: ServerResponse, value: T | readonly T[]): void {
      const chosen = format.of(req)
      const representation = representations.get(chosen)
      if (representation === undefined) {
        throw invalidOption(
          `recordAnswer() writes no ${chosen}. Where of(req) is "${chosen}", let the route write it, or give it a recordAnswer() that does not offer it.`,
        )
      }
      const body = Array.isArray(value)
        ? representation.encode(
            value.map((one) => sent(plain(one))),
            list,
          )
        : representation.encode(sent(plain(value)), item)
      res.setHeader(header.contentType, representation.contentType)
      res.setHeader(header.contentLength, Buffer.byteLength(body))
      res.end(body)
    },
  })
}

/** A record of a class of the team's own, such as a model of a database library, says itself what it is in JSON. */
function plain(record: unknown): unknown {
  const { toJSON } = (record ?? {}) as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(record) : record
}

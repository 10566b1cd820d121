/** Sends the responses of hand-written routes in JSON or XML, depending on `Accept` (HDR-1). */
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

/**
 * The return value of `recordAnswer()`: a middleware that chooses a media type, with a function
 * that sends records in this type.
 */
export interface RecordAnswer<T> extends Negotiate {
  /**
   * Sends a record, or the records of a page, in the chosen media type. Sets `Content-Type` and
   * `Content-Length`. The status and all other header fields are those that are set on `res`.
   * Throws `ConfigurationError` if this middleware did not run, or if one of `others` was chosen.
   * Only the route itself can write those media types.
   */
  send(req: IncomingMessage, res: ServerResponse, value: T | readonly T[]): void
}

/**
 * Creates a middleware that chooses between JSON, XML and the media types in `others`, as
 * `negotiate()` does. If you pass `options`, list the other media types in its member `offers`. If
 * no media type is acceptable, the response is 415. `Vary` always lists `Accept`. The function
 * `send` writes records of the definition in the chosen media type, without their `writeOnly`
 * members (REP-8). All other members are written as they are, including links and members that the
 * schema does not declare.
 *
 * @throws ConfigurationError `invalid-option` if one of `others` is not a media type, or if an
 *   option is invalid
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
          `recordAnswer() does not write ${chosen}. If of(req) is "${chosen}", write the response in the route, or ` +
            'use a recordAnswer() that does not offer it.',
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

/**
 * Returns the result of a record's `toJSON`, such as that of a database model. A record without
 * this method is returned unchanged.
 */
function plain(record: unknown): unknown {
  const { toJSON } = (record ?? {}) as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(record) : record
}

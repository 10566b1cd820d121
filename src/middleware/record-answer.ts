/** The answers of hand-written routes in JSON and XML, as `Accept` asks (HDR-1). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject, type JsonObject, put } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { compileResource, type ResourcePlan } from '../plan/resource-plan.js'
import { wireForms } from '../plan/wire-form.js'
import { ConfigurationError } from '../problem.js'
import { builtIn } from '../representation/encoding.js'
import { header } from '../wire.js'
import type { Middleware } from './middleware.js'
import { type Negotiate, negotiate } from './negotiate.js'

/** The middleware that `recordAnswer()` makes, and what writes in the media type it has chosen. */
export interface RecordAnswer<T> extends Negotiate {
  /**
   * Ends the answer with a record, or with the records of a page, in the media type chosen. Status and other headers are those that `res` has. Throws `ConfigurationError` where
   * this middleware did not run before, and where one of `others` was chosen, which only the route itself can write.
   */
  send(req: IncomingMessage, res: ServerResponse, value: T | readonly T[]): void
}

/**
 * Chooses among JSON, XML and `others` as `negotiate()` does (415 where none is acceptable, `Vary: Accept` always), and writes records of a definition in it, without
 * members that are `writeOnly` (REP-8). A definition's links to resources are written as they stand in the value. Throws `ConfigurationError` where one of `others` is no media type.
 *
 * @example
 * const answer = recordAnswer(sucursales)
 * app.get('/sucursales', answer, (req, res) => answer.send(req, res, all()))
 */
export function recordAnswer<T>(definition: ResourceDefinition<T>, ...others: readonly string[]): RecordAnswer<T> {
  const plan = compileResource(definition)
  const { item, list } = wireForms(plan)
  const representations = new Map(builtIn.map((representation) => [representation.mediaType, representation]))
  const format = negotiate(...representations.keys(), ...others)
  const recordAnswerMiddleware: Middleware = (req, res, next) => format(req, res, next)
  return Object.assign(recordAnswerMiddleware, {
    of: format.of,
    send(req: IncomingMessage, res: ServerResponse, value: T | readonly T[]): void {
      const chosen = format.of(req)
      const representation = representations.get(chosen)
      if (representation === undefined) {
        throw new ConfigurationError(
          'invalid-option',
          `recordAnswer() writes no ${chosen}. Where of(req) is "${chosen}", let the route write it.`,
        )
      }
      const shown = !plan.guard.any ? value : Array.isArray(value) ? value.map((one) => visible(plan, one)) : visible(plan, value)
      const body = representation.encode(shown, Array.isArray(value) ? list : item)
      res.setHeader(header.contentType, representation.contentType)
      res.setHeader(header.contentLength, Buffer.byteLength(body))
      res.end(body)
    },
  })
}

/** What a record may show: all that the definition does not call `writeOnly`. What it does not know, such as a link, stays as it is. */
function visible(plan: ResourcePlan, given: unknown): unknown {
  const record = isObject(given) && typeof given.toJSON === 'function' ? given.toJSON() : given
  if (!isObject(record)) return record
  const { members } = plan.definition.shape
  const shown: JsonObject = {}
  for (const [name, value] of Object.entries(record)) {
    const known = members.get(name) ?? plan.definition.shape.other(name)
    if (known?.writeOnly) continue
    const present = plan.links.has(name) ? undefined : (plan.present.get(name) ?? plan.presentOther(name))
    put(shown, name, present === undefined ? value : present(value))
  }
  return shown
}

/** The body of a hand-written POST, PUT or PATCH, held to the definition as a resource router holds it (HDR-5, ERR-2, REP-8, VERB-3, VERB-5). */

import type { IncomingMessage } from 'node:http'
import { takesType } from '../conventions/media-ranges.js'
import type { JsonObject } from '../definition/json.js'
import { membersHolding } from '../definition/key.js'
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { applyOperations, type PatchOperation, readOperations } from '../plan/json-patch.js'
import { compilePresent } from '../plan/members.js'
import {
  completeRecord,
  type Fixed,
  mergeBody,
  objectBody,
  recordFromPatched,
  recordToCreate,
  recordToPatch,
  recordToReplace,
} from '../plan/record.js'
import { compileResource, type ResourcePlan } from '../plan/resource-plan.js'
import { wireForms } from '../plan/wire-form.js'
import { ConfigurationError, HttpProblem } from '../problem.js'
import { bodyLimitKinds, bodyTypes, readBody, resolveBodyLimits } from './body.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware } from './middleware.js'
import { isJsonPatch, patchTypes } from './patch-types.js'
import { requestState } from './request-state.js'

/** How the body of a hand-written route is read. */
export interface RecordBodyOptions extends ConventionsOptions<'HDR-5'> {
  /** The id in the path of an item, decoded: `(req: Request<{ id: string }>) => req.params.id`. A PUT fills the key from it and refuses another (VERB-3). */
  id?(req: IncomingMessage): string | undefined
  /** PATCH takes JSON Patch (RFC 6902) beside merge patches (VERB-5). It tells what stands there: for callers who may read the item. Default false. */
  readonly jsonPatch?: boolean
  /** The most bytes. Default 1 MiB. */
  readonly bodyLimit?: number
  /** How deep arrays and objects may nest. Default 32. */
  readonly depthLimit?: number
  /** Milliseconds until a body that does not arrive is 408. Default 30,000. */
  readonly timeout?: number
}

/** The middleware that `recordBody()` makes, and what it has read. */
export interface RecordBody<T> extends Middleware {
  /**
   * The record that a POST or PUT asks for, complete and valid. Throws `ConfigurationError` where the middleware did not run before, and where the body is not the whole
   * record: that of a PATCH, and of a PUT where the definition has read-only or write-only members. Those are for `over()`.
   */
  of(req: IncomingMessage): T
  /**
   * The record that a PATCH or PUT makes of the current one: merged, read-only members held, valid. Call it on the very record whose version the write will compare.
   * Throws the `invalid-body` problem (422).
   */
  over(req: IncomingMessage, current: T): T
}

/**
 * Reads and checks the body of a write. It needs no body parser before it, and uses what one has parsed. A PATCH is a merge patch (RFC 7396), or a JSON Patch (RFC 6902) by option.
 * Throws `ConfigurationError` where an option makes no sense, and for a definition with links to resources: only a router knows where those live.
 *
 * @example
 * const body = recordBody(sucursales, { id: (req: Request<{ id: string }>) => req.params.id })
 * app.post('/sucursales', body, async (req, res) => res.status(201).location(await insert(body.of(req))).end())
 */
export function recordBody<T>(definition: ResourceDefinition<T>, options: RecordBodyOptions = {}): RecordBody<T> {
  checkOptions('recordBody()', options, recordBodyKinds)
  checkDefinition('recordBody()', definition)
  const plan = compileResource(definition)
  if (plan.hidden.size > 0) {
    const links = [...new Set(plan.hidden.values())].join(', ')
    throw new ConfigurationError(
      'unresolved-link',
      `recordBody() can not tell where ${links} of "${definition.collection}" leads. Use resourceRouter() for it.`,
    )
  }
  const { bodyLimit, depthLimit, timeout } = resolveBodyLimits(options)
  const patches = patchTypes(options.jsonPatch ?? false)
  const present = compilePresent(plan.definition.shape)
  const { form } = wireForms(plan).item
  const states = requestState<Sent>('recordBody()')
  const conventions = new RouteConventions(options, { what: 'recordBody()', clauses: ['HDR-5'] })
  const read = async (req: IncomingMessage): Promise<void> => {
    const patch = req.method === 'PATCH'
    const accepted = patch ? patches : bodyTypes.whole
    const takes = conventions.has('HDR-5')
      ? (type: string) => takesType(conventions.legacy('HDR-5', req), type)
      : undefined
    await readBody(req, { accepted, form, bodyLimit, depthLimit, timeLeft: () => timeout, takes, patch }, (body) => {
      if (patch && isJsonPatch(req))
        return states.set(req, { patch, whole: false, sent: {}, operations: readOperations(body) })
      const sent = patch ? mergeBody(body, options.jsonPatch ?? false) : objectBody(body)
      states.set(req, {
        patch,
        whole: !patch && !(req.method === 'PUT' && plan.guard.any),
        sent: patch ? sent : recordOf(plan, { ...sent }, req, options),
      })
    })
  }
  const nextOf = ({ sent, patch, operations }: Sent, before: JsonObject): JsonObject => {
    if (operations === undefined)
      return patch ? recordToPatch({ plan, current: before, fixed: {}, found: [] }, sent) : structuredClone(sent)
    const { document, removed } = applyOperations(
      present(before),
      operations,
      { bodyLimit, depthLimit },
      definition.shape,
    )
    return recordFromPatched({ plan, current: before, fixed: {}, found: [] }, objectBody(document), removed)
  }
  const recordBodyMiddleware: Middleware = (req, _res, next) => void read(req).then(() => next(), next)
  return Object.assign(recordBodyMiddleware, {
    of(req: IncomingMessage): T {
      const { sent, whole } = states.of(req)
      if (whole) return sent as T
      throw invalidOption(
        `The body of a ${req.method} of "${definition.collection}" is not the whole record: use over(req, current) in place of of(req).`,
      )
    },
    over(req: IncomingMessage, current: T): T {
      const before = current as JsonObject
      const sent = states.of(req)
      const next = nextOf(sent, before)
      completeRecord(plan, next, before, sent.patch ? 'patch' : 'replace')
      return next as T
    },
  })
}

interface Sent {
  readonly sent: JsonObject
  readonly patch: boolean
  /** Those of a JSON Patch. */
  readonly operations?: readonly PatchOperation[]
  /** What was sent, completed by defaults, is the record. */
  readonly whole: boolean
}

export const recordBodyKinds: Kinds<RecordBodyOptions> = {
  id: 'function',
  jsonPatch: 'boolean',
  ...bodyLimitKinds,
  ...conventionsKinds,
}

function recordOf(plan: ResourcePlan, sent: JsonObject, req: IncomingMessage, options: RecordBodyOptions): JsonObject {
  const id = options.id?.(req)
  return req.method === 'PUT'
    ? recordToReplace(plan, sent, id === undefined ? {} : keyIn(plan, id), [])
    : recordToCreate(plan, sent, {}, [])
}

/** The members of the key that an id spells; an id that spells none is no address (PATH-11). */
function keyIn({ key }: ResourcePlan, id: string): Fixed {
  const found = key.parse(id)
  if (found === undefined) throw new HttpProblem('absent')
  return membersHolding(key, found)
}

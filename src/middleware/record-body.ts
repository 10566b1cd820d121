/**
 * Reads the body of a POST, PUT or PATCH of a hand-written route and validates it against the
 * definition, as a resource router does (HDR-5, ERR-2, REP-8, VERB-3, VERB-5).
 */

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

/** The options of `recordBody()`. */
export interface RecordBodyOptions extends ConventionsOptions<'HDR-5'> {
  /**
   * Returns the decoded id in the path of an item, for example
   * `(req: Request<{ id: string }>) => req.params.id`. A PUT takes the record's key from this id,
   * and refuses a body with another key (VERB-3).
   */
  id?(req: IncomingMessage): string | undefined
  /**
   * Whether a PATCH may be a JSON Patch (RFC 6902) as well as a merge patch (VERB-5). Enable this
   * only for callers who may read the item, because a JSON Patch can reveal current values. Default
   * false.
   */
  readonly jsonPatch?: boolean
  /** The maximum size of the body, in bytes. Default 1 MiB. */
  readonly bodyLimit?: number
  /** The maximum nesting depth of arrays and objects. Default 32. */
  readonly depthLimit?: number
  /**
   * Milliseconds in which the body must arrive. After this time, the response is 408. Default
   * 30,000.
   */
  readonly timeout?: number
}

/** The return value of `recordBody()`: a middleware with accessors for the record. */
export interface RecordBody<T> extends Middleware {
  /**
   * Returns the complete, valid record of a POST or PUT. Throws `ConfigurationError` if the
   * middleware did not run, or if the body is not the whole record. The body of a PATCH is never
   * the whole record. The body of a PUT is not the whole record if the definition has read-only or
   * write-only members. Use `over()` in these cases.
   */
  of(req: IncomingMessage): T
  /**
   * Applies a PATCH or PUT to the current record, and returns the resulting record. Read-only
   * members keep their values. As `current`, pass the stored record. Write the result only if the
   * stored record has not changed since you read `current`, so that no update is lost. Throws the
   * problem `invalid-body` (422) if the resulting record is not valid, or if an operation of a JSON
   * Patch fails.
   */
  over(req: IncomingMessage, current: T): T
}

/**
 * Creates a middleware that reads and validates the body of a write. It needs no body parser, but
 * also accepts a body that a body parser has read. A PATCH is a merge patch (RFC 7396), or
 * optionally a JSON Patch (RFC 6902).
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid; `unresolved-link` if the
 * definition declares links that replace members, because only a router can resolve the URLs of
 * such links
 *
 * @example
 * const body = recordBody(sucursales, { id: (req: Request<{ id: string }>) => req.params.id })
 * app.post('/sucursales', body, async (req, res) => {
 *   const url = await insert(body.of(req))
 *   res.status(201).location(url).end()
 * })
 */
export function recordBody<T>(definition: ResourceDefinition<T>, options: RecordBodyOptions = {}): RecordBody<T> {
  checkOptions('recordBody()', options, recordBodyKinds)
  checkDefinition('recordBody()', definition)
  const plan = compileResource(definition)
  if (plan.hidden.size > 0) {
    const links = [...new Set(plan.hidden.values())].join(', ')
    throw new ConfigurationError(
      'unresolved-link',
      `recordBody() cannot resolve these links of "${definition.collection}": ${links}. ` +
        'Use resourceRouter() for this resource.',
    )
  }
  const { bodyLimit, depthLimit, timeout } = resolveBodyLimits(options)
  const patches = patchTypes(options.jsonPatch ?? false)
  const present = compilePresent(plan.definition.shape)
  const { form } = wireForms(plan).item
  const states = requestState<ReadBody>('recordBody()')
  const conventions = new RouteConventions(options, { what: 'recordBody()', clauses: ['HDR-5'] })
  const read = async (req: IncomingMessage): Promise<void> => {
    const patch = req.method === 'PATCH'
    const accepted = patch ? patches : bodyTypes.whole
    const takes = conventions.has('HDR-5')
      ? (type: string) => takesType(conventions.legacy('HDR-5', req), type)
      : undefined
    await readBody(
      req,
      { accepted, form, bodyLimit, depthLimit, timeLeft: () => timeout, alsoAccepts: takes, patch },
      (body) => {
        if (patch && isJsonPatch(req))
          return states.set(req, { patch, whole: false, sent: {}, operations: readOperations(body) })
        const sent = patch ? mergeBody(body, options.jsonPatch ?? false) : objectBody(body)
        states.set(req, {
          patch,
          whole: !patch && !(req.method === 'PUT' && plan.guard.any),
          sent: patch ? sent : recordOf(plan, { ...sent }, req, options),
        })
      },
    )
  }
  const nextOf = ({ sent, patch, operations }: ReadBody, before: JsonObject): JsonObject => {
    if (operations === undefined)
      return patch ? recordToPatch({ plan, current: before, fixed: {}, violations: [] }, sent) : structuredClone(sent)
    const { document, removed } = applyOperations(
      present(before),
      operations,
      { bodyLimit, depthLimit },
      definition.shape,
    )
    return recordFromPatched({ plan, current: before, fixed: {}, violations: [] }, objectBody(document), removed)
  }
  const recordBodyMiddleware: Middleware = (req, _res, next) => void read(req).then(() => next(), next)
  return Object.assign(recordBodyMiddleware, {
    of(req: IncomingMessage): T {
      const { sent, whole } = states.of(req)
      if (whole) return sent as T
      throw invalidOption(
        `The body of a ${req.method} of "${definition.collection}" is not the whole record. Use over(req, current) ` +
          'instead of of(req).',
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

interface ReadBody {
  readonly sent: JsonObject
  readonly patch: boolean
  /** The operations of a JSON Patch. */
  readonly operations?: readonly PatchOperation[]
  /** Whether the body, completed with defaults, is the whole record. */
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

/**
 * Returns the values of the key members for an id. Throws 404 if the id is not a valid key
 * (PATH-11).
 */
function keyIn({ key }: ResourcePlan, id: string): Fixed {
  const found = key.parse(id)
  if (found === undefined) throw new HttpProblem('absent')
  return membersHolding(key, found)
}

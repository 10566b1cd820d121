/**
 * Reads the body of a request. The operation's description names the kind of body (HDR-5, ERR-2).
 */
import type { Awaitable } from '../adapters/contract.js'
import { takesType } from '../conventions/media-ranges.js'
import type { JsonObject } from '../definition/json.js'
import { lastKey } from '../definition/key.js'
import { type BodyOptions, bodyTypes, hasBody, readBody, readUpload } from '../middleware/body.js'
import { isJsonPatch, unreadablePatch } from '../middleware/patch-types.js'
import type { Upload, UploadOptions } from '../plan/endpoint-types.js'
import { type Form, openForm } from '../plan/form.js'
import type { BodyKind, QueryKind } from '../plan/operation.js'
import { HttpProblem } from '../problem.js'
import { mountedOf } from './adapter-call.js'
import { idempotencyOf } from './idempotency.js'
import { bodyToCreate, bodyToReplace } from './input.js'
import { fixedByAssociation } from './operations/lineage.js'
import { JsonPatch, MergePatch, type Patch } from './patch.js'
import type { QueryInput } from './query-readers.js'
import type { Input, Negotiated } from './stages.js'

/**
 * Reads the body, and returns it together with the query, which has already been read. Combining
 * body and query here, and not in a further `then`, saves a promise for each request. `key` is the
 * `Idempotency-Key` of a POST that creates a record.
 */
type BodyReader<Kind extends BodyKind> = (
  exchange: Negotiated,
  queryInput: QueryInput,
  key?: string,
) => Awaitable<Input<QueryKind, Kind>>

/**
 * One reader for each kind of body. The readers throw the problems that a body can cause: 400, 408,
 * 413, 415, 422, and 403 for a JSON Patch from a caller who may not read the item.
 */
export const bodyReaders: { readonly [Kind in BodyKind]: BodyReader<Kind> } = {
  record: readRecord,
  patch: readPatch,
  endpoint: readForEndpoint,
  refused: refuseAny,
  ignored: withoutBody,
}

function readRecord(
  exchange: Negotiated,
  { query, expand }: QueryInput,
  key?: string,
): Awaitable<Input<QueryKind, 'record'>> {
  const options = bodyOptions(exchange, bodyTypes.whole, exchange.resource.wire.item.form)
  return readBody(exchange.req, options, (sent) => {
    noteMembers(exchange, exchange.resource.plan.deprecatedMembers?.in(sent))
    // The fingerprint, by which a retry is recognized, is computed from the body as the client sent
    // it. So a retry is recognized even if the defaults in the schema have changed since the first
    // request.
    const idempotency = key === undefined ? undefined : idempotencyOf(exchange, key, sent)
    return { query, expand, body: recordOf(exchange, sent), idempotency }
  })
}

/**
 * Records which deprecated members the body contains, so that hooks and `usage` can report them.
 * Deprecated members are still accepted (VER-3).
 */
function noteMembers({ progress }: Negotiated, names: readonly string[] | undefined): void {
  if (names !== undefined) progress.noteDeprecated('member', names)
}

/** Converts a body to a record, and runs all checks that do not need the store. */
function recordOf(exchange: Negotiated, sent: unknown): JsonObject {
  const { operation, route, keys } = exchange
  if (!operation.creates) return bodyToReplace(exchange, sent)
  const { association } = route
  return bodyToCreate(exchange, sent, association === undefined ? {} : fixedByAssociation(association, lastKey(keys)))
}

function readPatch(exchange: Negotiated, queryInput: QueryInput): Awaitable<Input<QueryKind, 'patch'>> {
  const { req, service } = exchange
  const { jsonPatch } = service
  if (jsonPatch && isJsonPatch(req))
    return checkSeen(exchange).then(() => patchInput(exchange, queryInput, (sent) => new JsonPatch(sent)))
  return patchInput(exchange, queryInput, (sent) => MergePatch.of(sent, jsonPatch))
}

function patchInput(
  exchange: Negotiated,
  { query, expand }: QueryInput,
  patchOf: (sent: unknown) => Patch,
): Awaitable<Input<QueryKind, 'patch'>> {
  const { req, service, resource } = exchange
  const options = bodyOptions(exchange, service.patchTypes, resource.wire.item.form)
  const { deprecatedMembers } = resource.plan
  return readBody(req, options, (sent) => {
    const body = patchOf(sent)
    noteMembers(
      exchange,
      body instanceof JsonPatch ? deprecatedMembers?.inJsonPatch(sent) : deprecatedMembers?.in(sent),
    )
    return { query, expand, body, idempotency: undefined }
  })
}

function readForEndpoint(exchange: Negotiated, queryInput: QueryInput): Awaitable<Input<QueryKind, 'endpoint'>> {
  const { query, expand } = queryInput
  const { req, endpointMethod } = exchange
  const { body: schema, upload } = endpointMethod ?? {}
  if (schema !== undefined) {
    const options = bodyOptions(exchange, bodyTypes.whole, schema.form)
    return readBody(req, options, (sent) => {
      noteMembers(exchange, schema.deprecatedMembers?.in(sent))
      return { query, expand, body: schema.read(sent), idempotency: undefined }
    })
  }
  if (upload === undefined) return withoutBody(exchange, queryInput)
  return readFile(exchange, upload).then((body) => ({ query, expand, body, idempotency: undefined }))
}

function refuseAny(exchange: Negotiated, queryInput: QueryInput): Bodiless {
  if (!hasBody(exchange.req)) return withoutBody(exchange, queryInput)
  throw new HttpProblem('unexpected-body', {
    detail: 'This PUT takes no body, because its path contains all information. Send the request without a body.',
  })
}

type Bodiless = QueryInput & { readonly body: undefined; readonly idempotency: undefined }

function withoutBody(_: Negotiated, { query, expand }: QueryInput): Bodiless {
  return { query, expand, body: undefined, idempotency: undefined }
}

/**
 * Throws unless the caller may read the item (AUTH-4). A JSON Patch requires this permission,
 * because the success or failure of a `test` operation reveals something about a stored value.
 */
async function checkSeen(exchange: Negotiated): Promise<void> {
  const { resource, key } = exchange
  if ((await exchange.decide('read', resource.plan.collection, key)) !== 'allow') throw unreadablePatch()
}

/** Reads the bytes of an import. The import's format parses them. */
async function readFile(exchange: Negotiated, { types, resource: collection, hold }: UploadOptions): Promise<Upload> {
  const { req, res, service } = exchange
  // Only the media types of the import's format are accepted. The media types of `alsoAccepts` are
  // parsed as JSON, so they are not accepted here.
  const options = { ...bodyOptions(exchange, types, openForm), alsoAccepts: undefined }
  const release = hold?.()
  if (release !== undefined) {
    // The upload slot is freed when `res` closes, which is at the end of the response or when the
    // client disconnects. If `res` is already closed, the slot is freed now.
    if (res.destroyed) release()
    else res.once('close', release)
  }
  const { media, bytes } = await readUpload(req, options)
  return { media, bytes, resource: mountedOf(exchange, collection), depth: service.depthLimit }
}

function bodyOptions(exchange: Negotiated, accepted: readonly string[], form: Form): BodyOptions {
  const { service, endpointMethod, method } = exchange
  return {
    accepted,
    form,
    bodyLimit: endpointMethod?.bodyLimit ?? service.bodyLimit,
    depthLimit: service.depthLimit,
    timeLeft: () => exchange.timeLimit.left(),
    alsoAccepts: exchange.route.modes === undefined ? undefined : (type) => takesType(exchange.legacy('HDR-5'), type),
    patch: method === 'PATCH',
  }
}

/** How the body of a request is read, by what its operation says of it (HDR-5, ERR-2). */
import type { Awaitable } from '../adapters/contract.js'
import { lastKey } from '../definition/key.js'
import { type BodyOptions, bodyTypes, hasBody, readBody, readUpload } from '../middleware/body.js'
import { isJsonPatch, unseenPatch } from '../middleware/patch-types.js'
import type { Upload, UploadOptions } from '../plan/endpoint-types.js'
import { type Form, openForm } from '../plan/form.js'
import type { BodyKind, QueryKind } from '../plan/operation.js'
import { refuseBody } from '../plan/record.js'
import { HttpProblem } from '../problem.js'
import { mountedOf } from './adapter-call.js'
import { idempotencyOf } from './idempotency.js'
import { bodyToCreate, bodyToReplace } from './input.js'
import { fixedByAssociation } from './operations/lineage.js'
import { JsonPatch, MergePatch } from './patch.js'
import type { Asked } from './query-readers.js'
import type { Input, Negotiated } from './stages.js'

/** Completes what the query asks for with the body. `key`: the `Idempotency-Key` of a request that creates. */
type BodyReader<Kind extends BodyKind> = (exchange: Negotiated, asked: Asked, key?: string) => Awaitable<Input<QueryKind, Kind>>

/** Each throws the problems of bodies: 400, 408, 413, 415 and 422. */
export const bodyReaders: { readonly [Kind in BodyKind]: BodyReader<Kind> } = {
  record(exchange, { query, expand }, key) {
    const { req, operation, resource, route, keys } = exchange
    return readBody(req, bodyOptions(exchange, bodyTypes.whole, resource.wire.item.form), (sent) => {
      // Of what the client said: a deployment that completes it otherwise makes no other request of it.
      const idempotency = key === undefined ? undefined : idempotencyOf(exchange, key, sent)
      if (!operation.creates) return { query, expand, body: bodyToReplace(exchange, sent), idempotency }
      const attached = route.association === undefined ? {} : fixedByAssociation(route.association, lastKey(keys))
      return { query, expand, body: bodyToCreate(exchange, sent, attached), idempotency }
    })
  },
  patch(exchange, { query, expand }) {
    const { req, service, resource } = exchange
    const options = bodyOptions(exchange, service.patchTypes, resource.wire.item.form)
    const read = (patchOf: (sent: unknown) => JsonPatch | MergePatch) =>
      readBody(req, options, (sent) => ({ query, expand, body: patchOf(sent), idempotency: undefined }))
    if (!service.jsonPatch || !isJsonPatch(req)) return read((sent) => MergePatch.of(sent, service.jsonPatch))
    return checkSeen(exchange).then(() => read((sent) => new JsonPatch(sent)))
  },
  endpoint(exchange, { query, expand }) {
    const { req, called } = exchange
    const { body: schema, upload } = called ?? {}
    if (schema !== undefined) {
      return readBody(req, bodyOptions(exchange, bodyTypes.whole, schema.form), (sent) => {
        const body = schema.complete(sent)
        refuseBody(schema.validate(body))
        return { query, expand, body, idempotency: undefined }
      })
    }
    if (upload === undefined) return { query, expand, body: undefined, idempotency: undefined }
    return readFile(exchange, upload).then((body) => ({ query, expand, body, idempotency: undefined }))
  },
  refused({ req }, { query, expand }) {
    if (!hasBody(req)) return { query, expand, body: undefined, idempotency: undefined }
    throw new HttpProblem('unexpected-body', { detail: 'This PUT says all by its address. Send it without a body.' })
  },
  ignored: (_, { query, expand }) => ({ query, expand, body: undefined, idempotency: undefined }),
}

/** What operations can be done tells what is there, so a JSON Patch is for those who may read the item (AUTH-4). */
async function checkSeen(exchange: Negotiated): Promise<void> {
  const { resource, key } = exchange
  if ((await exchange.decide('read', resource.plan.collection, key)) !== 'allow') throw unseenPatch()
}

/** The body of an import: its format reads it. */
async function readFile(exchange: Negotiated, { types, resource: collection, hold }: UploadOptions): Promise<Upload> {
  const { req, res, service } = exchange
  const release = hold?.()
  if (release !== undefined) {
    // The bytes are held until then, also where the client goes away in the middle of them.
    if (res.destroyed) release()
    else res.once('close', release)
  }
  const { media, bytes } = await readUpload(req, bodyOptions(exchange, types, openForm))
  return { media, bytes, resource: mountedOf(exchange, collection), depth: service.depthLimit }
}

function bodyOptions(exchange: Negotiated, accepted: readonly string[], form: Form): BodyOptions {
  const { service, called, method } = exchange
  return {
    accepted,
    form,
    bodyLimit: called?.bodyLimit ?? service.bodyLimit,
    depthLimit: service.depthLimit,
    patience: () => exchange.patience.left(),
    patch: method === 'PATCH',
  }
}

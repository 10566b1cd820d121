/** The query and the body, typed (QUERY, HDR-5, ERR-2). */
import { type BodyOptions, bodyTypes, hasBody, readBody, readUpload } from '../../middleware/body.js'
import { isJsonPatch, unseenPatch } from '../../middleware/patch-types.js'
import type { Upload, UploadOptions } from '../../plan/endpoint-types.js'
import { parseExportQuery } from '../../plan/export-query.js'
import { type Form, openForm } from '../../plan/form.js'
import { readOperations } from '../../plan/json-patch.js'
import { knownListQuery, parseItemQuery, refuseQuery } from '../../plan/list-grammar.js'
import { HttpProblem } from '../../problem.js'
import { parameter } from '../../wire.js'
import type { Exchange } from '../exchange.js'
import { idempotencyKey, idempotencyOf } from '../idempotency.js'
import { mountedOf } from '../operations/call.js'

export function parse(exchange: Exchange): void | Promise<void> {
  exchange.checkHost()
  parseQuery(exchange)
  const key = exchange.operation?.creates ? idempotencyKey(exchange) : undefined
  if (exchange.expand.length === 0 || exchange.service.permission === undefined) return parseContent(exchange, key)
  return checkExpansions(exchange).then(() => parseContent(exchange, key))
}

/** Expanding is reading: what may not be read is 403 where it is asked for, before anything is read or changed (AUTH-4). */
async function checkExpansions(exchange: Exchange): Promise<void> {
  const { expand, resource } = exchange
  const decided = await Promise.all(
    expand.map(async (name) => {
      const target = resource.targets.get(name)
      return target === undefined || (await exchange.decide('read', target.plan.collection)) === 'allow'
    }),
  )
  const refused = expand.filter((_, i) => !decided[i])
  if (refused.length === 0) return
  const errors = refused.map((name) => ({
    parameter: parameter.expand,
    detail: `You have no permission to read "${name}". Leave it out of ${parameter.expand}.`,
    code: 'forbidden',
    clause: 'AUTH-4',
  }))
  throw new HttpProblem('forbidden', { detail: errors.map(({ detail }) => detail).join(' '), errors })
}

function parseContent(exchange: Exchange, key: string | undefined): void | Promise<void> {
  const { operation, req } = exchange
  const wanted = operation?.body
  if (wanted === 'record' || wanted === 'patch') return parseBody(exchange, key)
  if (wanted === 'endpoint' && exchange.called?.body !== undefined) return parseBody(exchange)
  if (wanted === 'endpoint' && exchange.called?.upload !== undefined) return takeUpload(exchange, exchange.called.upload)
  if (wanted === 'refused' && hasBody(req)) {
    throw new HttpProblem('unexpected-body', { detail: 'This PUT says all by its address. Send it without a body.' })
  }
}

function parseQuery(exchange: Exchange): void {
  const { operation, query } = exchange
  switch (operation?.query) {
    case 'list':
      exchange.list =
        exchange.representation.transfer === undefined
          ? knownListQuery(query, exchange.resource.plan.list, exchange)
          : parseExportQuery(query, exchange.resource.plan.list)
      exchange.expand = exchange.list.expand
      break
    case 'item':
      exchange.expand = parseItemQuery(query, exchange.resource.plan.list)
      break
    case 'endpoint':
      exchange.parameters = exchange.called?.parseQuery(query) ?? {}
      break
    case 'none':
      refuseQuery(query)
  }
}

function parseBody(exchange: Exchange, key?: string): void | Promise<void> {
  const { operation, req, service } = exchange
  const patches = operation?.body === 'patch'
  if (patches && service.jsonPatch && isJsonPatch(req)) return parseOperations(exchange)
  return withBody(exchange, patches ? service.patchTypes : bodyTypes.whole, (body) => {
    // Of what the client said: a deployment that completes it otherwise makes no other request of it.
    if (key !== undefined) exchange.idempotency = idempotencyOf(exchange, key, body)
    exchange.body = operation?.read?.(exchange, body)
  })
}

async function parseOperations(exchange: Exchange): Promise<void> {
  const { resource, key, service } = exchange
  if ((await exchange.decide('read', resource.plan.collection, key)) !== 'allow') throw unseenPatch()
  await withBody(exchange, service.patchTypes, (body) => {
    exchange.body = readOperations(body)
  })
}

/** The body of an import: its format reads it. */
async function takeUpload(exchange: Exchange, { types, resource: collection, hold }: UploadOptions): Promise<void> {
  const release = hold?.()
  if (release !== undefined) {
    // The bytes are held until then, also where the client goes away in the middle of them.
    if (exchange.res.destroyed) release()
    else exchange.res.once('close', release)
  }
  const { media, bytes } = await readUpload(exchange.req, bodyOptions(exchange, types))
  exchange.body = { media, bytes, resource: mountedOf(exchange, collection), depth: exchange.service.depthLimit } satisfies Upload
}

function withBody(exchange: Exchange, accepted: readonly string[], use: (body: unknown) => void): void | Promise<void> {
  return readBody(exchange.req, bodyOptions(exchange, accepted), use)
}

function bodyOptions(exchange: Exchange, accepted: readonly string[]): BodyOptions {
  const { service, called } = exchange
  return {
    accepted,
    form: bodyForm(exchange),
    bodyLimit: called?.bodyLimit ?? service.bodyLimit,
    depthLimit: service.depthLimit,
    patience: () => exchange.patience.left(),
    patch: exchange.method === 'PATCH',
  }
}

/** What the body is made of: what the resource's own representations are, or what the endpoint says. */
function bodyForm(exchange: Exchange): Form {
  if (exchange.operation?.body === 'endpoint') return exchange.called?.body?.form ?? openForm
  return exchange.resource.wire.item.form
}

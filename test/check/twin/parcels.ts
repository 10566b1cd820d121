/**
 * Parcels, a collection like those of public APIs: POST creates a parcel, GET and DELETE work on a
 * single parcel, and the collection cannot be listed (VERB-11).
 */
import express, { type Request, type Router } from 'express'
import { originOf, problem, sendValue } from './answers.js'
import { route, sendItem, type Twin } from './twin.js'
import { bodyOf, isStale } from './writes.js'

export function parcelsOf(twin: Twin): Router {
  const { has, data } = twin
  const router = express.Router({ caseSensitive: true })
  const idOf = (req: unknown): string => ((req as Request).params as { id: string }).id
  router.post('/parcels', (req, res) => {
    const body = bodyOf(req, res, twin, { weight: 'number', city: 'string' })
    if (body === undefined) return
    const key = req.get('Idempotency-Key')
    const id = key ?? String(data.parcels.size + 1)
    if (!data.parcels.has(id)) data.parcels.set(id, { ...body, id })
    if (!has('public POST without Location')) res.set('Location', `${originOf(req)}/v1/parcels/${id}`)
    return res.status(201).end()
  })
  router.delete('/parcels/:id', (req, res) => {
    const parcel = data.parcels.get(idOf(req))
    if (parcel === undefined) return problem(res, 404, 'no-item', 'There is no such parcel.', twin)
    if (isStale(req as unknown as Request, parcel, twin)) return problem(res, 412, 'stale', 'It was changed.', twin)
    if (has('public DELETE with a body')) return sendValue(req as unknown as Request, res, parcel, twin)
    data.parcels.delete(idOf(req))
    return res.status(204).end()
  })
  route(router, '/parcels', ['POST', 'OPTIONS'], twin, (_req, res) => {
    res.set('Allow', 'POST, OPTIONS')
    return problem(res, 405, 'method-not-allowed', 'Allowed: POST, OPTIONS.', twin)
  })
  route(router, '/parcels/:id', ['GET', 'HEAD', 'OPTIONS', 'DELETE'], twin, (req, res) => {
    const parcel = data.parcels.get(idOf(req))
    // sendItem() is not called for a missing parcel, because the faults that concern missing items
    // must apply only to collections that can be listed.
    if (parcel === undefined) return problem(res, 404, 'no-item', 'There is no such parcel.', twin)
    return sendItem(req, res, parcel, twin)
  })
  return router
}

/**
 * Branches, served by hand-written Express routes from a `Map`. The routes use single middlewares
 * of the library to follow the conventions. An existing service can adopt these middlewares one at
 * a time. A resource with an adapter needs none of this code.
 */
import { randomUUID } from 'node:crypto'
import { type Request, type RequestHandler, Router } from 'express'
import { defineResource, type FromSchema, HttpProblem } from 'express-rest-conventions'
import type { Permission } from 'express-rest-conventions/auth'
import {
  checkVersion,
  ifMatch,
  type ListQuery,
  listQuery,
  methodRules,
  noQuery,
  recordAnswer,
  recordBody,
  returnPreference,
  sendTag,
  totalCount,
} from 'express-rest-conventions/middleware'
import type { Caller } from '../access.js'
import { segment } from '../addresses.js'

const schema = {
  type: 'object',
  required: ['nomenclatura', 'descripcion'],
  properties: { nomenclatura: { type: 'string', maxLength: 100 }, descripcion: { type: 'string', maxLength: 500 } },
} as const

export type Sucursal = FromSchema<typeof schema>

/**
 * The members and the list parameters of branches, for the middlewares. This resource is not
 * mounted.
 */
export const sucursales = defineResource({
  collection: 'sucursales',
  key: 'nomenclatura',
  schema,
  filters: { nomenclatura: { many: true }, descripcion: true },
  sort: ['nomenclatura', 'descripcion'],
})

export interface SucursalesOptions {
  readonly permission: Permission<Caller>
  /**
   * The absolute URL of the API without the version, such as `https://api.example.com`. Default:
   * derived from the URL that the client used.
   */
  readonly baseUrl?: string | undefined
}

export function sucursalesRouter(records: readonly Sucursal[], { permission, baseUrl }: SucursalesOptions): Router {
  const rows = new Map(records.map((value) => [value.nomenclatura, { value, version: randomUUID() as string }]))
  let revision: string = randomUUID() // the version of the whole collection, for the tags of lists

  const query = listQuery(sucursales)
  const answer = recordAnswer(sucursales)
  const body = recordBody(sucursales, { id: nameIn, jsonPatch: true })
  const count = totalCount({ baseUrl })
  const guard = { permission, resource: 'sucursales', baseUrl }
  const router = Router({ caseSensitive: true })

  function save(value: Sucursal): string {
    const version = randomUUID()
    rows.set(value.nomenclatura, { value, version })
    revision = randomUUID()
    return version
  }

  function found(req: Request) {
    const row = rows.get(nameIn(req))
    if (row === undefined) throw new HttpProblem('absent')
    return row
  }

  /**
   * Returns the row of the branch. Throws if there is no such branch, or if a precondition of the
   * request does not hold. Nothing is awaited between this check and the write, so the check and
   * the write are one atomic step (HDR-3).
   */
  function foundToChange(req: Request) {
    const row = found(req)
    checkVersion(req, row.version)
    return row
  }

  const change: RequestHandler = (req, res) => {
    const value = body.over(req, foundToChange(req).value)
    sendTag(req, res, save(value))
    if (returnPreference(req) === 'minimal') res.set('Preference-Applied', 'return=minimal').end()
    else {
      res.set('Content-Location', addressOf(req, value))
      answer.send(req, res, value)
    }
  }

  /** Returns the path of a branch. `methodRules()` converts the path to an absolute URL. */
  const addressOf = (req: Request, { nomenclatura }: Sucursal): string =>
    `${req.baseUrl}/sucursales/${segment(nomenclatura)}`

  router
    .route('/sucursales')
    .all(methodRules({ on: 'collection', allow: ['GET', 'POST'], ...guard }), answer, count, ifMatch())
    .get(query, (req, res) => {
      const { items, total } = select(
        [...rows.values()].map((row) => row.value),
        query.of(req),
      )
      count.set(req, res, total)
      if (!sendTag(req, res, revision, req.originalUrl)) answer.send(req, res, items)
    })
    .post(noQuery(), body, (req, res) => {
      const value = body.of(req)
      if (rows.has(value.nomenclatura)) {
        const detail = 'A branch with this nomenclatura already exists.'
        throw new HttpProblem('duplicate', { detail, errors: [{ pointer: '/nomenclatura', detail }] })
      }
      sendTag(req, res, save(value))
      const location = addressOf(req, value)
      res.status(201).set('Location', location)
      if (returnPreference(req) !== 'representation') return void res.end()
      res.set({ 'Preference-Applied': 'return=representation', 'Content-Location': location })
      answer.send(req, res, value)
    })

  router
    .route('/sucursales/:nomenclatura')
    .all(
      methodRules({ on: 'item', allow: ['GET', 'PUT', 'PATCH', 'DELETE'], ...guard, key: nameIn }),
      answer,
      noQuery(),
      ifMatch(),
    )
    .get((req, res) => {
      const { value, version } = found(req)
      if (!sendTag(req, res, version)) answer.send(req, res, value)
    })
    .put(body, change)
    .patch(body, change)
    .delete((req, res) => {
      const { value } = foundToChange(req)
      rows.delete(value.nomenclatura)
      revision = randomUUID()
      res.status(204).end()
    })

  return router
}

const nameIn = (req: Request): string => String(req.params.nomenclatura)

/**
 * Returns the branches of the requested page, and the number of all matching branches. `listQuery`
 * has already converted the values to their types and limited the page size. It has also added the
 * key to the sort order, so that no two branches compare as equal.
 */
function select(
  values: readonly Sucursal[],
  { where, sort, offset, size }: ListQuery,
): { items: Sucursal[]; total: number } {
  const matching = values.filter((value) =>
    where.every((condition) => [condition.value].flat().includes(value[condition.field as keyof Sucursal])),
  )
  const order = (a: Sucursal, b: Sucursal): number => {
    for (const { field, descending } of sort) {
      const [x, y] = [a[field as keyof Sucursal], b[field as keyof Sucursal]]
      // UTF-8 bytes sort in the order of code points.
      if (x !== y) return Buffer.compare(Buffer.from(x), Buffer.from(y)) * (descending ? -1 : 1)
    }
    return 0
  }
  return { items: matching.sort(order).slice(offset, offset + size), total: matching.length }
}

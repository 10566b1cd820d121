/** Changes to the document of `foreign.ts`. Each change makes one mistake. */

interface Sin {
  readonly rule: string
  readonly what: string
  // biome-ignore lint/suspicious/noExplicitAny: a mistake can be anywhere.
  readonly change: (document: any) => void
  /** A part of the message of the finding. */
  readonly says: string
}

const list = '/v1/invoices'
const item = '/v1/invoices/{id}'
const flag = '/v1/invoices/{id}/paid'

/** Moves the operations of a path to another path. */
const moved =
  (from: string, to: string): Sin['change'] =>
  ({ paths }) => {
    paths[to] = paths[from]
    delete paths[from]
  }

const sin = (rule: string, what: string, change: Sin['change'], says: string): Sin => ({ rule, what, change, says })

export const sins: readonly Sin[] = [
  sin(
    'path-1-version',
    'a path without a version',
    moved('/v1/search', '/search'),
    '/search has no version. Begin the path',
  ),
  sin(
    'path-2-plural',
    'a collection in the singular',
    ({ paths }) => {
      for (const path of [list, item, flag]) moved(path, path.replace('invoices', 'invoice'))({ paths })
      delete paths['/v1/invoice/{id}']
      delete paths['/v1/invoice/{id}/paid']
    },
    'Use "invoices".',
  ),
  sin(
    'path-2-plural',
    'a Spanish collection in the singular',
    ({ paths }) => {
      paths['/v1/factura'] = paths[list]
    },
    'Use "facturas".',
  ),
  sin('path-2-plural', 'a malformed segment', moved(flag, '/v1/invoices/{id}/pa!d'), 'pa!d'),
  sin('path-3-verb', 'an action below an item', moved(flag, '/v1/invoices/{id}/edit'), 'names an action'),
  sin(
    'path-3-verb',
    'an action in the name of a collection',
    ({ paths }) => {
      paths['/v1/create-invoices'] = paths[list]
    },
    'Name its contents, "invoices"',
  ),
  sin(
    'path-4-format',
    'a path with an extension',
    ({ paths }) => {
      paths['/v1/invoices/{id}.pdf'] = { get: paths['/v1/search'].get }
    },
    'Use "{id}".',
  ),
  sin(
    'path-5-hierarchy',
    'an id without a collection',
    moved(flag, '/v1/{id}/paid'),
    '"{id}" does not follow a collection',
  ),
  sin(
    'path-5-hierarchy',
    'the child before the parent',
    ({ paths }) => {
      paths['/v1/invoices/{id}/customers'] = paths[list]
      paths['/v1/invoices/{id}/customers/{number}'] = paths[item]
    },
    'Put the parent first',
  ),
  sin(
    'path-6-filter',
    'a filter in the path',
    moved('/v1/search', '/v1/invoices/by-state'),
    'use a query parameter of the list',
  ),
  sin(
    'path-7-sub-collection',
    'an item without its list',
    ({ paths }) => {
      delete paths['/v1/customers/{id}/invoices']
    },
    'Add /v1/customers/{id}/invoices with GET',
  ),
  sin(
    'path-8-action',
    'a flag without DELETE',
    ({ paths }) => {
      delete paths[flag].delete
    },
    'is a flag without DELETE',
  ),
  sin(
    'path-8-action',
    'a flag with a body',
    ({ paths }) => {
      paths[flag].put.requestBody = { content: { 'application/json': {} } }
      Object.assign(paths[flag].put.responses, {
        400: paths[list].post.responses[400],
        422: paths[list].post.responses[422],
      })
    },
    'Remove the body: PUT alone sets the flag',
  ),
  sin(
    'path-8-action',
    'an endpoint without a description',
    ({ paths }) => {
      paths['/v1/search'].get.description = ' '
    },
    'Describe its purpose in its description',
  ),
  sin(
    'verb-1-array',
    'a list in an envelope',
    ({ paths }) => {
      paths[list].get.responses[200].content['application/json'].schema = { type: 'object' }
    },
    'Return the items as an array',
  ),
  sin(
    'verb-2-location',
    '201 without Location',
    ({ paths }) => {
      paths[list].post.responses[201].headers = {}
    },
    'without the header Location',
  ),
  sin(
    'verb-2-location',
    'POST with 204',
    ({ paths }) => {
      const { 201: created, ...rest } = paths[list].post.responses
      paths[list].post.responses = { 204: created, ...rest }
    },
    'Respond with 201 or 202',
  ),
  sin(
    'verb-3-put',
    'PUT that creates',
    ({ paths }) => {
      paths[item].put.responses[201] = { description: 'Created.' }
    },
    'create items with POST on the collection',
  ),
  sin(
    'verb-5-patch',
    'PATCH with 204',
    ({ paths }) => {
      const { 200: _, ...rest } = paths[item].patch.responses
      paths[item].patch.responses = { 204: { description: 'Changed.' }, ...rest }
    },
    'Respond with 200.',
  ),
  sin(
    'verb-5-patch',
    'PATCH without a request body',
    ({ paths }) => {
      delete paths[item].patch.requestBody
    },
    'Accept a body with the members to change',
  ),
  sin(
    'verb-6-delete',
    'DELETE with a request body',
    ({ paths }) => {
      paths[item].delete.requestBody = { content: {} }
      Object.assign(paths[item].delete.responses, paths[list].post.responses)
      delete paths[item].delete.responses[201]
    },
    'takes a body. Leave it out',
  ),
  sin(
    'verb-6-delete',
    'DELETE with a response body',
    ({ paths }) => {
      paths[item].delete.responses[204].content = { 'application/json': {} }
    },
    'responds with 204 and a body',
  ),
  sin(
    'verb-7-delete',
    'DELETE of a collection',
    ({ paths }) => {
      paths[list].delete = paths[item].delete
    },
    'DELETE is only for single items',
  ),
  sin(
    'verb-8-head',
    'HEAD with 200',
    ({ paths }) => {
      paths[item].head.responses[200] = { description: 'Yes.' }
    },
    'Respond with 302 if the item exists',
  ),
  sin(
    'verb-8-head',
    'HEAD without 404',
    ({ paths }) => {
      delete paths[item].head.responses[404]
    },
    '404 if it does not',
  ),
  sin(
    'query-4-page',
    'a page parameter named offset',
    ({ paths }) => {
      paths[list].get.parameters[0].name = 'offset'
    },
    'Rename "offset" to "offest"',
  ),
  sin(
    'query-4-page',
    'a list without a page parameter',
    ({ paths }) => {
      paths[list].get.parameters.shift()
    },
    'has no parameter "offest". Add it',
  ),
  sin(
    'query-4-page',
    'a page parameter of type string',
    ({ paths }) => {
      paths[list].get.parameters[0].schema = { type: 'string' }
    },
    'Set type: integer',
  ),
  sin(
    'query-5-size',
    'a size parameter named per_page',
    ({ paths }) => {
      paths[list].get.parameters[1].name = 'per_page'
    },
    'Rename "per_page"',
  ),
  sin(
    'query-7-count',
    'a list without X-Total-Count',
    ({ paths }) => {
      delete paths[list].get.responses[200].headers['X-Total-Count']
    },
    'without the header x-total-count',
  ),
  sin(
    'query-7-count',
    'a list without Link',
    ({ paths }) => {
      delete paths[list].get.responses[200].headers.Link
    },
    'without the header Link',
  ),
  sin(
    'query-8-names',
    'a sort parameter named order_by',
    ({ paths }) => {
      paths[list].get.parameters[2].name = 'order_by'
    },
    'Call it "sort"',
  ),
  sin(
    'hdr-1-accept',
    'GET without 415',
    ({ paths }) => {
      delete paths[item].get.responses[415]
    },
    'does not respond with 415',
  ),
  sin(
    'hdr-2-etag',
    'GET without ETag',
    ({ paths }) => {
      paths[item].get.responses[200].headers = {}
    },
    'without the header Etag',
  ),
  sin(
    'hdr-3-if-match',
    'PUT without If-Match',
    ({ paths }) => {
      paths[item].put.parameters = []
    },
    'takes no If-Match',
  ),
  sin(
    'hdr-3-if-match',
    'DELETE without 412',
    ({ paths }) => {
      delete paths[item].delete.responses[412]
    },
    'does not respond with 412',
  ),
  sin(
    'hdr-4-if-none-match',
    'GET without If-None-Match',
    ({ paths }) => {
      paths[item].get.parameters = []
    },
    'takes no If-None-Match',
  ),
  sin(
    'hdr-4-if-none-match',
    'a list without 304',
    ({ paths }) => {
      delete paths[list].get.responses[304]
    },
    'does not respond with 304',
  ),
  sin(
    'auth-4-unauthenticated',
    'HEAD without 401',
    ({ paths }) => {
      delete paths[item].head.responses[401]
    },
    'does not respond with 401',
  ),
  sin(
    'err-1-status',
    'POST with 409',
    ({ paths }) => {
      paths[list].post.responses[409] = { $ref: '#/components/responses/Unfit' }
    },
    'Respond with 422',
  ),
  sin(
    'err-2-body',
    'POST without 422',
    ({ paths }) => {
      delete paths[list].post.responses[422]
    },
    'does not respond with 422',
  ),
  sin(
    'err-3-problem',
    '400 without application/problem+json',
    ({ paths }) => {
      paths[list].get.responses[400] = { description: 'Malformed.', content: { 'application/json': {} } }
    },
    'without application/problem+json',
  ),
  sin(
    'err-3-problem',
    'a problem without a code',
    ({ paths }) => {
      paths[list].get.responses[400] = {
        description: 'Malformed.',
        content: { 'application/problem+json': { schema: { properties: { type: {}, title: {}, status: {} } } } },
      }
    },
    'lacks code',
  ),
  sin(
    'limit-1-retry-after',
    '429 without Retry-After',
    ({ paths }) => {
      paths[list].get.responses[429] = { $ref: '#/components/responses/Unfit' }
    },
    'without the header Retry-After',
  ),
  sin(
    'ver-2-gone',
    '410 with a body',
    ({ paths }) => {
      paths[list].get.responses[410] = { $ref: '#/components/responses/Unfit' }
    },
    'responds with 410 and a body',
  ),
]

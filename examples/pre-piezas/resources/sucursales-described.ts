/**
 * The description of the branches in the OpenAPI document. Hand-written routes are described by
 * hand, in a file next to them.
 */
import type { DocumentFragment } from 'express-rest-conventions/openapi'

const branch = { $ref: '#/components/schemas/Sucursal' }

/**
 * The maximum size in bytes of a request line together with the header fields. Node refuses
 * requests that exceed it, so no parameter can be longer.
 */
const longest = 16_384

const text = (description: string, maxLength = longest) => ({ description, schema: { type: 'string', maxLength } })

/** The header fields that any response can have. The service adds them before the routes run. */
const common = {
  'Access-Control-Allow-Origin': text('The origin whose scripts may read the response (HDR-7).'),
  'Cache-Control': text('How long the response may be cached, and whether shared caches may cache it (HDR-6).'),
  Deprecation: text('When the API version became deprecated (RFC 9745).'),
  RateLimit: text('The remaining quota (LIMIT-1).'),
  'RateLimit-Policy': text('The quota policy (LIMIT-1).'),
  Sunset: text('When the API version ends (RFC 8594).'),
  Vary: text('The request header fields on which the response depends.'),
  'x-request-id': text('The id of the request.', 128),
}

const link = { Link: text('Other pages, or the successor of the API version (QUERY-7, VER-3).') }
const tag = { Etag: text('The version of the branch, or of the whole list (HDR-2).') }
const count = {
  'x-total-count': {
    description: 'The number of matching branches on all pages (QUERY-7).',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
}
const place = {
  Location: { ...text('The absolute address of the new branch (VERB-2).'), required: true },
  'Content-Location': text('The address of the branch.'),
  'Preference-Applied': text('The preference that was followed.'),
}

/** The media types of `recordAnswer()` and `recordBody()`. */
const inEach = (schema: object) => ({
  'application/json': { schema },
  'application/xml': { schema },
  'text/xml': { schema },
})

/** The problems that any request for branches can get. */
const usual: Readonly<Record<number, string>> = {
  400: 'The query, the path or the body is malformed.',
  401: 'The token is missing or invalid.',
  403: 'The caller has no permission for this request.',
  405: 'The method is not allowed here.',
  415: 'The branch is not available in an accepted media type, or the media type of the body is not supported.',
  429: 'The caller has sent too many requests.',
  500: 'The service failed.',
  503: 'The service cannot answer at the moment.',
}
const absent = { 404: 'There is no such branch.' }
const stale = { 412: 'A precondition does not hold.' }
const unfit = { 408: 'The body did not arrive in time.', 413: 'The body is too large.', 422: 'The body is not valid.' }

const own: Readonly<Record<string, object>> = {
  401: { 'WWW-Authenticate': text('How to authenticate (RFC 9110 11.6.1).') },
  405: { Allow: text('The methods that are allowed here (VERB-9).', 100) },
  415: {
    Accept: text('The accepted media types of a body.'),
    'Accept-Encoding': text('The accepted content codings of a body.'),
    'Accept-Patch': text('The accepted media types of a PATCH body.'),
  },
  429: { 'Retry-After': text('Seconds until the request may be sent again.', 20) },
  503: { 'Retry-After': text('Seconds until the request may be sent again.', 20) },
}

function problems(more: Readonly<Record<number, string>> = {}) {
  const problem = { $ref: '#/components/schemas/Problem' }
  const content = { 'application/problem+json': { schema: problem }, 'application/problem+xml': { schema: problem } }
  return Object.fromEntries(
    Object.entries({ ...usual, ...more }).map(([status, description]) => [
      status,
      { description, headers: { ...common, ...link, ...own[status] }, content },
    ]),
  )
}

/** A response to HEAD has no body, whatever its status (RFC 9110 9.3.2). */
const problemsOfHead = (more: Readonly<Record<number, string>>) =>
  Object.fromEntries(Object.entries(problems(more)).map(([status, { content: _none, ...answer }]) => [status, answer]))

const body = { required: true, content: inEach(branch) }
const tags = ['sucursales']
const fields = { ...common, ...link, ...tag }
const shown = { description: 'The branch.', headers: fields, content: inEach(branch) }
const page = inEach({ type: 'array', items: branch, maxItems: 100, xml: { name: 'sucursales', wrapped: true } })
const known = { description: 'The client has the current representation.', headers: fields }
const knownPage = { ...known, headers: { ...fields, ...count } }
const written = {
  ...shown,
  headers: {
    ...fields,
    'Content-Location': place['Content-Location'],
    'Preference-Applied': place['Preference-Applied'],
  },
}
const done = { description: 'Done. There is no body.', headers: { ...common, ...link } }
const methods = {
  description: 'The allowed methods.',
  headers: {
    ...common,
    ...link,
    Allow: text('The methods (VERB-9).', 100),
    'Accept-Patch': text('The accepted media types of a PATCH body.'),
  },
}

/**
 * A header parameter. Its value has no control characters except tabs, like the value of any header
 * field (RFC 9110 5.5).
 */
const inHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', pattern: '^[\\t\\u0020-\\u007e\\u0080-\\u00ff]*$', maxLength: longest },
})
const ifMatch = inHeader('If-Match', 'The `Etag` of the version to change (HDR-3).')
const ifNoneMatch = inHeader('If-None-Match', 'The `Etag` of the representation that the client has (HDR-4).')
const prefer = inHeader('Prefer', '`return=minimal` or `return=representation` (VERB-2, VERB-10).')

/**
 * The name of a branch, which is also its id in the path. It is neither empty nor `.` nor `..`,
 * because clients could not request a path with such an id.
 */
const name = { type: 'string', minLength: 1, maxLength: 100, pattern: '^(?!\\.{1,2}$)' }
const descripcion = { type: 'string', maxLength: 500 }
const integer = { type: 'integer', format: 'int64', minimum: 1 }

/** A pattern for one field name in the parameter `sort`. */
const sortMember = '(?:nomenclatura|descripcion)'

/** The parameters of `listQuery(sucursales)`. */
const listed = [
  {
    name: 'nomenclatura',
    in: 'query',
    description: 'Branches with these names (QUERY-1).',
    style: 'form',
    explode: true,
    schema: { type: 'array', items: { type: 'string', maxLength: longest }, minItems: 1, maxItems: longest / 2 },
  },
  { name: 'descripcion', in: 'query', ...text('Branches with this description (QUERY-1).') },
  {
    name: 'sort',
    in: 'query',
    description: 'A comma-separated list of fields to sort by (QUERY-2).',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 26,
      pattern: `^(?!(?:.*,)?[-+ ]?([^,]+),(?:.*,)?[-+ ]?\\1(?:,|$))[-+ ]?${sortMember}(?:,[-+ ]?${sortMember})*$`,
    },
  },
  {
    name: 'offest',
    in: 'query',
    description: 'The number of the page; the first is 1 (QUERY-4).',
    schema: { ...integer, maximum: Number.MAX_SAFE_INTEGER, default: 1 },
  },
  {
    name: 'limit',
    in: 'query',
    description: 'The number of branches on a page (QUERY-5).',
    schema: { ...integer, maximum: 100, default: 25 },
  },
]

const list = {
  get: {
    operationId: 'listSucursales',
    summary: 'List sucursales',
    description: 'A page of the branches that match.',
    tags,
    parameters: [...listed, ifNoneMatch],
    responses: {
      200: { description: 'A page.', headers: { ...fields, ...count }, content: page },
      304: knownPage,
      ...problems(stale),
    },
  },
  head: {
    operationId: 'countSucursales',
    summary: 'Count sucursales',
    description: 'The header fields of the list, without a body.',
    tags,
    parameters: [...listed, ifNoneMatch],
    responses: {
      200: { description: 'The header fields.', headers: { ...fields, ...count } },
      304: knownPage,
      ...problemsOfHead(stale),
    },
  },
  post: {
    operationId: 'createSucursal',
    summary: 'Create one of sucursales',
    description: 'Creates a branch; `Location` is its address.',
    tags,
    parameters: [prefer],
    requestBody: body,
    responses: {
      201: { ...shown, description: 'Created.', headers: { ...fields, ...place } },
      ...problems(unfit),
    },
  },
  options: {
    operationId: 'optionsSucursales',
    summary: 'List the methods',
    description: 'The methods.',
    tags,
    responses: { 204: methods, ...problems() },
  },
}

const patch = {
  type: 'object',
  properties: { nomenclatura: name, descripcion },
  additionalProperties: false,
  xml: { name: 'sucursal' },
}

const item = {
  parameters: [
    { name: 'nomenclatura', in: 'path', required: true, description: 'The name of the branch.', schema: name },
  ],
  get: {
    operationId: 'getSucursal',
    summary: 'Get one of sucursales',
    description: 'The branch.',
    tags,
    parameters: [ifNoneMatch],
    responses: { 200: shown, 304: known, ...problems({ ...absent, ...stale }) },
  },
  head: {
    operationId: 'checkSucursal',
    summary: 'Check for one of sucursales',
    description: '302 if the branch exists.',
    tags,
    responses: {
      302: { description: 'It exists.', headers: fields },
      default: { description: 'Any other response comes from a server or proxy in front of the service.' },
      ...problemsOfHead({ ...absent, ...stale }),
    },
  },
  put: {
    operationId: 'replaceSucursal',
    summary: 'Replace one of sucursales',
    description: 'Replaces the branch.',
    tags,
    parameters: [ifMatch, prefer],
    requestBody: { ...body, content: inEach({ $ref: '#/components/schemas/SucursalReplace' }) },
    responses: { 200: written, ...problems({ ...absent, ...stale, ...unfit }) },
  },
  patch: {
    operationId: 'updateSucursal',
    summary: 'Change one of sucursales',
    description: 'Changes the members that are sent.',
    tags,
    parameters: [ifMatch, prefer],
    requestBody: {
      required: true,
      content: {
        'application/merge-patch+json': { schema: patch },
        ...inEach(patch),
        'application/json-patch+json': { schema: { $ref: '#/components/schemas/JsonPatch' } },
      },
    },
    responses: { 200: written, ...problems({ ...absent, ...stale, ...unfit }) },
  },
  delete: {
    operationId: 'deleteSucursal',
    summary: 'Delete one of sucursales',
    description: 'Deletes the branch.',
    tags,
    parameters: [ifMatch],
    responses: { 204: done, ...problems({ ...absent, ...stale }) },
  },
  options: {
    operationId: 'optionsSucursal',
    summary: 'List the methods',
    description: 'The methods.',
    tags,
    responses: { 204: methods, ...problems() },
  },
}

export const sucursalesDescribed: DocumentFragment = {
  tags: [{ name: 'sucursales', description: 'Branches, served by hand-written routes with library middlewares.' }],
  paths: { '/sucursales': list, '/sucursales/{nomenclatura}': item },
  components: {
    schemas: {
      Sucursal: {
        type: 'object',
        required: ['nomenclatura', 'descripcion'],
        properties: { nomenclatura: name, descripcion },
        additionalProperties: false,
        xml: { name: 'sucursal' },
      },
      // `nomenclatura` is not required, because it is in the path.
      SucursalReplace: {
        type: 'object',
        required: ['descripcion'],
        properties: { nomenclatura: name, descripcion },
        additionalProperties: false,
        xml: { name: 'sucursal' },
      },
    },
  },
}

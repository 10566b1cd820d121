/** Rules for statuses and problems (HDR-1, AUTH-4, ERR-1 to ERR-3, LIMIT-1, VER-2). */
import { isList, isObject } from '../definition/json.js'
import { header, mediaType } from '../wire.js'
import { asObject, contentOf, hasField, lackingField, type Operation, operationsOf, successesOf } from './document.js'
import { type Finding, type Rule, rule } from './finding.js'

type Find = (operation: Operation, document: unknown) => readonly Finding[]

const onAll = (find: Find) => (document: unknown) => operationsOf(document).flatMap((one) => find(one, document))

/** Every status that the conventions use (ERR-1). */
const known: ReadonlySet<string> = new Set(
  [
    200, 201, 202, 204, 302, 304, 400, 401, 403, 404, 405, 408, 410, 412, 413, 414, 415, 422, 428, 429, 431, 500, 503,
  ].map(String),
)

/** The replacement for a status that the conventions do not use. */
const instead: Readonly<Record<string, string>> = {
  205: '204',
  301: '410, and tell clients the new address beforehand',
  307: '410, and tell clients the new address beforehand',
  308: '410, and tell clients the new address beforehand',
  406: '415, the status for an unacceptable Accept (HDR-1)',
  409: '422 for a write that the store or a rule refuses, 412 for an If-Match that is not current',
  423: '422',
  502: '503',
  504: '503',
}

const findForeign: Find = ({ name, responses, place }) =>
  Object.keys(responses)
    .filter((status) => /^[0-9]{3}$/.test(status) && !known.has(status))
    .map((status) => ({
      message:
        `${name} responds with ${status}, which the conventions do not use. ` +
        `Respond with ${instead[status] ?? (status < '400' ? '200' : status < '500' ? '422 or 400' : '500')}.`,
      path: [...place, 'responses', status],
    }))

/** An operation with a body in a success response must document 415. */
const findUnnegotiated: Find = (operation) => {
  const { name, responses, place } = operation
  const shows = successesOf(operation).some((status) => Object.keys(contentOf(responses[status])).length > 0)
  if (!shows || responses['415'] !== undefined) return []
  return [
    {
      message: `${name} does not respond with 415. Add it, for an Accept that matches no media type of the response.`,
      path: [...place],
    },
  ]
}

const findUnread: Find = ({ name, operation, responses, place }) => {
  if (operation.requestBody === undefined) return []
  const why = {
    400: "a body that can't be parsed",
    415: 'an unsupported media type',
    422: 'a body that violates its schema or a rule',
  }
  return Object.entries(why)
    .filter(([status]) => responses[status] === undefined)
    .map(([status, what]) => ({
      message: `${name} does not respond with ${status}. Add it, for ${what}.`,
      path: [...place],
    }))
}

const findUnauthenticated: Find = ({ name, operation, responses, place, method }, document) => {
  const security = operation.security ?? asObject(document).security
  const isOpen =
    !isList(security) || security.length === 0 || security.some((one) => Object.keys(asObject(one)).length === 0)
  if (isOpen || method === 'OPTIONS' || responses['401'] !== undefined) return []
  return [
    { message: `${name} does not respond with 401. Add it, for missing or invalid credentials.`, path: [...place] },
  ]
}

/** The members that the schema of a problem must declare. */
const members = ['type', 'title', 'status', 'code']

const findOtherProblems: Find = ({ name, method, responses, place }) => {
  // Responses to HEAD and responses of a retired version (410, VER-2) have no body.
  if (method === 'HEAD') return []
  return Object.entries(responses).flatMap(([status, response]) => {
    if (!/^[45][0-9]{2}$/.test(status) || status === '410') return []
    const path = [...place, 'responses', status]
    const { schema } = asObject(contentOf(response)[mediaType.problem])
    if (contentOf(response)[mediaType.problem] === undefined) {
      return [
        {
          message: `${name} responds with ${status} without ${mediaType.problem}. Describe it as a problem (RFC 9457).`,
          path,
        },
      ]
    }
    const named = membersOf(schema)
    const lacking = schema === undefined ? [] : members.filter((member) => !named.has(member))
    if (lacking.length === 0) return []
    return [
      {
        message:
          `${name} responds with ${status} and a problem that lacks ${lacking.join(', ')}. ` +
          'Add the members to its schema (RFC 9457).',
        path,
      },
    ]
  })
}

/** The members that a schema declares, either itself or in the schemas that it combines. */
function membersOf(schema: unknown, depth = 5): ReadonlySet<string> {
  const { properties, allOf, anyOf, oneOf } = asObject(schema)
  const parts = depth === 0 ? [] : [allOf, anyOf, oneOf].flatMap((list) => (isList(list) ? list : []))
  return new Set([
    ...Object.keys(isObject(properties) ? properties : {}),
    ...parts.flatMap((part) => [...membersOf(part, depth - 1)]),
  ])
}

const findUntimed: Find = (operation) => {
  const { responses } = operation
  if (responses['429'] === undefined || hasField(responses['429'], header.retryAfter)) return []
  return [lackingField(operation, '429', header.retryAfter, 'seconds until the request may be sent again')]
}

const findBodies: Find = ({ name, responses, place }) =>
  Object.keys(contentOf(responses['410'])).length === 0
    ? []
    : [
        {
          message: `${name} responds with 410 and a body. Remove the body: every 410 response is empty.`,
          path: [...place, 'responses', '410'],
        },
      ]

export const statusRules: Readonly<Record<string, Rule>> = {
  'hdr-1-accept': rule('HDR-1', 'An unacceptable Accept gets 415.', onAll(findUnnegotiated)),
  'auth-4-unauthenticated': rule('AUTH-4', 'Requests without valid credentials get 401.', onAll(findUnauthenticated)),
  'err-1-status': rule('ERR-1', 'Only the statuses of the conventions are used.', onAll(findForeign)),
  'err-2-body': rule('ERR-2', 'An operation with a body has the responses 400, 415 and 422.', onAll(findUnread)),
  'err-3-problem': rule('ERR-3', 'Errors are problem details.', onAll(findOtherProblems)),
  'limit-1-retry-after': rule('LIMIT-1', '429 has Retry-After.', onAll(findUntimed)),
  'ver-2-gone': rule('VER-2', '410 has no body.', onAll(findBodies)),
}

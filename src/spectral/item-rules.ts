/**
 * Rules for the methods and preconditions of items, and for `If-None-Match` of lists (VERB-3,
 * VERB-5, VERB-6, VERB-8, HDR-2 to HDR-4).
 */
import { header } from '../wire.js'
import {
  contentOf,
  hasField,
  lackingField,
  type Operation,
  operationsOf,
  parametersIn,
  successesOf,
} from './document.js'
import { type Finding, type Rule, rule } from './finding.js'

type Find = (operation: Operation) => readonly Finding[]

/** Applies `find` to the operations with one of these methods on items. */
const onItems = (methods: readonly string[], find: Find) => (document: unknown) =>
  operationsOf(document)
    .filter(({ path, method }) => path.kind === 'item' && methods.includes(method))
    .flatMap(find)

/** Applies `find` to the GET operations on items and collections. */
const onReads = (find: Find) => (document: unknown) =>
  operationsOf(document)
    .filter(({ path, method }) => path.kind !== 'other' && method === 'GET')
    .flatMap(find)

const here = (message: string, { place }: Operation, ...more: readonly string[]): Finding => ({
  message,
  path: [...place, ...more],
})

/**
 * Checks that a PUT with a body responds with 200. A PUT without a body is not checked: it attaches
 * an existing item to a collection, and responds with 204 (VERB-4).
 */
const findPut: Find = (operation) => {
  if (operation.operation.requestBody === undefined || successesOf(operation).join() === '200') return []
  return [
    here(
      `${operation.name} responds with ${listed(successesOf(operation))}. ` +
        'A PUT replaces an existing item: respond with 200, and create items with POST on the collection.',
      operation,
    ),
  ]
}

const findPatch: Find = (operation) => {
  const { name, operation: definition } = operation
  if (definition.requestBody === undefined)
    return [here(`${name} takes no body. Accept a body with the members to change.`, operation)]
  return successesOf(operation).join() === '200'
    ? []
    : [here(`${name} responds with ${listed(successesOf(operation))}. Respond with 200.`, operation)]
}

const listed = (statuses: readonly string[]): string =>
  statuses.length === 0 ? 'no success status' : statuses.join(' and ')

const findDelete: Find = (operation) => {
  const { name, operation: definition, responses } = operation
  const bodies = successesOf(operation).filter((status) => Object.keys(contentOf(responses[status])).length > 0)
  return [
    ...(definition.requestBody === undefined
      ? []
      : [
          here(`${name} takes a body. Leave it out: the path identifies the item to delete.`, operation, 'requestBody'),
        ]),
    ...bodies.map((status) =>
      here(
        `${name} responds with ${status} and a body. Leave the body out: the response to a DELETE has none, so ` +
          'respond with 204.',
        operation,
        'responses',
        status,
      ),
    ),
  ]
}

const findHead: Find = (operation) => {
  const { name, responses } = operation
  const wrong = successesOf(operation)
  const lacking = ['302', '404'].filter((status) => responses[status] === undefined)
  if (wrong.length === 0 && lacking.length === 0) return []
  return [
    here(
      `${name} responds with ${listed(Object.keys(responses))}. Respond with 302 if the item exists and 404 if ` +
        'it does not, without a body.',
      operation,
      'responses',
    ),
  ]
}

const findUntagged: Find = (operation) => {
  const { responses } = operation
  return responses['200'] === undefined || hasField(responses['200'], header.etag)
    ? []
    : [lackingField(operation, '200', header.etag, 'a strong tag of the version of the item')]
}

const findUnguarded: Find = (operation) => {
  const { name, responses } = operation
  const lacks = parametersIn(operation, 'header').has('if-match')
    ? []
    : [`takes no ${header.ifMatch}. Add the header parameter`]
  const status =
    responses['412'] === undefined
      ? ['does not respond with 412. Add it, for an If-Match that does not name the current tag']
      : []
  return [...lacks, ...status].map((fault) => here(`${name} ${fault}.`, operation))
}

const findUncached: Find = (operation) => {
  const { name, responses } = operation
  if (responses['200'] === undefined) return []
  const lacks = parametersIn(operation, 'header').has('if-none-match')
    ? []
    : [`takes no ${header.ifNoneMatch}. Add the header parameter`]
  const status =
    responses['304'] === undefined
      ? ['does not respond with 304. Add it, for an If-None-Match that names the current tag']
      : []
  return [...lacks, ...status].map((fault) => here(`${name} ${fault}.`, operation))
}

export const itemRules: Readonly<Record<string, Rule>> = {
  'verb-3-put': rule('VERB-3', 'PUT replaces an item and responds with 200.', onItems(['PUT'], findPut)),
  'verb-5-patch': rule(
    'VERB-5',
    'PATCH takes the members to change, and responds with 200.',
    onItems(['PATCH'], findPatch),
  ),
  'verb-6-delete': rule(
    'VERB-6',
    'The request and response of a DELETE have no body.',
    onItems(['DELETE'], findDelete),
  ),
  'verb-8-head': rule('VERB-8', 'HEAD of an item responds with 302 or 404.', onItems(['HEAD'], findHead)),
  'hdr-2-etag': rule('HDR-2', 'GET of an item returns an entity tag.', onItems(['GET'], findUntagged)),
  'hdr-3-if-match': rule(
    'HDR-3',
    'PUT, PATCH and DELETE of an item take If-Match.',
    onItems(['PUT', 'PATCH', 'DELETE'], findUnguarded),
  ),
  'hdr-4-if-none-match': rule('HDR-4', 'GET of an item or a collection takes If-None-Match.', onReads(findUncached)),
}

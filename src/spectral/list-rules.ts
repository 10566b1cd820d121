/**
 * Rules for the operations on collections: GET, POST and DELETE (QUERY-4, QUERY-5, QUERY-7,
 * QUERY-8, VERB-1, VERB-2, VERB-7).
 */
import { isList } from '../definition/json.js'
import { synonymOf } from '../plan/query-pairs.js'
import { header, parameter } from '../wire.js'
import {
  asObject,
  contentOf,
  hasField,
  lackingField,
  type Operation,
  operationsOf,
  parametersIn,
  successesOf,
} from './document.js'
import { type Finding, type Rule, rule } from './finding.js'

/** Applies `find` to the operations with this method on collections. */
function onCollections(
  method: string,
  find: (operation: Operation) => readonly Finding[],
): (document: unknown) => readonly Finding[] {
  return (document) =>
    operationsOf(document)
      .filter((one) => one.path.kind === 'collection' && one.method === method)
      .flatMap(find)
}

/**
 * Returns the name of the operation's query parameter that is a synonym of `meant`, if there is
 * one.
 */
const foreign = (operation: Operation, meant: string): string | undefined =>
  [...parametersIn(operation, 'query').keys()].find((name) => synonymOf(name) === meant)

/** The greatest depth to which nested `allOf`, `anyOf` and `oneOf` are followed. */
const maxDepth = 5

/** Returns whether a schema allows only values of a type, apart from null. */
function isOfType(schema: unknown, wanted: string, depth = 0): boolean {
  const { type, allOf, anyOf, oneOf } = asObject(schema)
  const types = (isList(type) ? type : [type]).filter((one) => one !== undefined && one !== 'null')
  if (types.length > 0) return types.every((one) => one === wanted)
  if (depth === maxDepth) return false
  const isPartOfType = (part: unknown) => isOfType(part, wanted, depth + 1)
  if (isList(allOf) && allOf.some(isPartOfType)) return true
  return [anyOf, oneOf].some((parts) => isList(parts) && parts.length > 0 && parts.every(isPartOfType))
}

const pageParameter =
  (name: string, what: string) =>
  (operation: Operation): readonly Finding[] => {
    const found = parametersIn(operation, 'query').get(name)
    if (found === undefined) {
      const near = foreign(operation, name)
      const fix = near === undefined ? `Add it: ${what}.` : `Rename "${near}" to "${name}".`
      return [{ message: `${operation.name} has no parameter "${name}". ${fix}`, path: [...operation.place] }]
    }
    return isOfType(found.schema, 'integer')
      ? []
      : [
          {
            message: `The parameter "${name}" of ${operation.name} is not an integer. Set type: integer.`,
            path: [...operation.place],
          },
        ]
  }

/**
 * The parameters whose synonyms `findForeign` reports. Other rules check the page parameters.
 * Synonyms of the search parameter are not reported, because a filter may legitimately be called
 * "text".
 */
const named = [parameter.sort, parameter.expand]

const findForeign = (operation: Operation): readonly Finding[] =>
  named.flatMap((name) => {
    const found = foreign(operation, name)
    return found === undefined
      ? []
      : [{ message: `${operation.name} has the parameter "${found}". Call it "${name}".`, path: [...operation.place] }]
  })

const findNoArray = (operation: Operation): readonly Finding[] =>
  Object.entries(contentOf(operation.responses['200'])).flatMap(([type, media]) => {
    const { schema } = asObject(media)
    if (!/[/+]json$/.test(type) || schema === undefined || isOfType(schema, 'array')) return []
    const message =
      `${operation.name} does not respond with an array in ${type}. Return the items as an array. Put the number of ` +
      `all matching items into ${header.totalCount}, and links to other pages into ${header.link}.`
    return [{ message, path: [...operation.place, 'responses', '200', 'content', type] }]
  })

const findUncounted = (operation: Operation): readonly Finding[] => {
  const { responses } = operation
  if (responses['200'] === undefined) return []
  const fields = [
    [header.totalCount, 'the number of all items that match'],
    [header.link, 'the addresses of the first, previous, next and last page (RFC 8288)'],
  ] as const
  return fields
    .filter(([name]) => !hasField(responses['200'], name))
    .map(([name, why]) => lackingField(operation, '200', name, why))
}

const findUnlocated = (operation: Operation): readonly Finding[] => {
  const { responses } = operation
  const created = ['201', '202'].filter((status) => responses[status] !== undefined)
  const lacking = created.filter((status) => !hasField(responses[status], header.location))
  if (created.length === 0 && !successesOf(operation).includes('200')) {
    return [
      {
        message:
          `${operation.name} has no response 200, 201 or 202. Respond with 201 or 202 and ${header.location}, or ` +
          'with 200 if nothing is created.',
        path: [...operation.place],
      },
    ]
  }
  return lacking.map((status) =>
    lackingField(operation, status, header.location, 'the absolute address of what was created'),
  )
}

const findDeletes = (operation: Operation): readonly Finding[] => [
  {
    message: `${operation.name} deletes a collection. Remove the operation: DELETE is only for single items.`,
    path: [...operation.place],
  },
]

export const listRules: Readonly<Record<string, Rule>> = {
  'verb-1-array': rule('VERB-1', 'A list is an array of items.', onCollections('GET', findNoArray)),
  'verb-2-location': rule(
    'VERB-2',
    'The response to a POST that creates an item has a Location.',
    onCollections('POST', findUnlocated),
  ),
  'verb-7-delete': rule('VERB-7', 'Collections have no DELETE.', onCollections('DELETE', findDeletes)),
  'query-4-page': rule(
    'QUERY-4',
    'Lists take a page number.',
    onCollections('GET', pageParameter(parameter.page, 'the number of the page, an integer')),
  ),
  'query-5-size': rule(
    'QUERY-5',
    'Lists take a page size.',
    onCollections('GET', pageParameter(parameter.size, 'the number of items on a page, an integer')),
  ),
  'query-7-count': rule(
    'QUERY-7',
    'Lists give the total number of items and links to the other pages.',
    onCollections('GET', findUncounted),
  ),
  'query-8-names': rule(
    'QUERY-8',
    'List parameters have the names that the conventions prescribe.',
    onCollections('GET', findForeign),
  ),
}

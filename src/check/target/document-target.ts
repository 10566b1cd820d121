/**
 * Derives the target from an OpenAPI document of version 3.0 or 3.1. The target contains the facts
 * about the service that the checks need.
 */
import { isList, isObject, type JsonObject } from '../../definition/json.js'
import {
  asObject,
  contentOf,
  isParameter,
  type Operation,
  operationsOf,
  parametersIn,
  pathsOf,
} from '../../spectral/document.js'
import { header, parameter } from '../../wire.js'
import { creationOf } from './document-creation.js'
import { withoutReferences } from './references.js'
import {
  linkMembers,
  membersOf,
  nullableMembers,
  scalarPaths,
  takenBy,
  typesOf,
  writeOnlyMembers,
} from './schema-facts.js'
import type { CollectionTarget, Filter, Flag, Target } from './target.js'

/**
 * The query parameters that have a fixed meaning in every list. All other query parameters are
 * filters.
 */
const listParameters: ReadonlySet<string> = new Set(Object.values(parameter))

/** Whether a value looks like an OpenAPI document of version 3.0 or 3.1. */
export const isDocument = (value: unknown): boolean =>
  isObject(value) && /^3\.[01]\b/.test(String(value.openapi)) && isObject(value.paths)

export function targetOf(given: unknown): Target {
  const document = withoutReferences(given)
  const operations = operationsOf(document)
  const collectionsWith = (method: string): readonly CollectionTarget[] =>
    pathsOf(document)
      .filter(({ kind }) => kind === 'collection')
      .flatMap((path): readonly CollectionTarget[] => {
        const main = operations.find((one) => one.path.text === path.text && one.method === method)
        return main === undefined ? [] : [collectionOf(document, operations, main)]
      })
  const collections = collectionsWith('GET')
  const login = loginOf(document)
  const unlisted = login === undefined ? [] : collectionsWith('POST').filter(isUnlisted)
  const url = asObject(
    isList(asObject(document).servers) ? (asObject(document).servers as unknown[])[0] : undefined,
  ).url
  const [, origin = '', path = ''] =
    /^(https?:\/\/[^/{]+)?((?:\/[^/?#{]+)*)\/?$/.exec(typeof url === 'string' ? url : '') ?? []
  return {
    ...(login === undefined ? {} : { login }),
    ...(origin === '' ? {} : { published: `${origin}${path}` }),
    ...(path === '' ? {} : { path }),
    collections,
    ...(unlisted.length === 0 ? {} : { unlisted }),
    retired: [],
  }
}

const isUnlisted = ({ template, methods, itemMethods }: CollectionTarget): boolean =>
  !methods.includes('GET') && !template.includes('{') && ['GET', 'DELETE'].every((one) => itemMethods.includes(one))

function collectionOf(document: unknown, operations: readonly Operation[], list: Operation): CollectionTarget {
  const template = list.path.text.replace(/\/$/, '')
  const at = (text: string) => operations.filter(({ path }) => path.text.replace(/\/$/, '') === text)
  const below = pathsOf(document).find((path) => isItemOf(path.text, template))
  const done = list.responses['200']
  const content = contentOf(done)
  const offers = (method: string): Operation | undefined => own.find((one) => one.method === method)
  const own = below === undefined ? [] : at(below.text.replace(/\/$/, ''))
  const read = offers('GET')
  const item = list.method === 'GET' ? jsonSchema(content).items : jsonSchema(contentOf(read?.responses['200']))
  const query = parametersIn(list, 'query')
  const schemaOf = (name: string): unknown => query.get(name)?.schema
  const size = asObject(schemaOf(parameter.size))
  const sort = query.has(parameter.sort) ? takenBy(schemaOf(parameter.sort), scalarPaths(item)) : []
  const expand = expandedBy(query, item)
  const key = below === undefined ? undefined : keyOf(below.text, below.item, own, item)
  const itemExpand = read === undefined ? [] : expandedBy(parametersIn(read, 'query'), item)
  const create = isShared(template, document)
    ? undefined
    : creationOf({
        post: at(template).find(({ method }) => method === 'POST'),
        put: offers('PUT'),
        key: key ?? [],
        filters: [...query.keys()],
      })
  return {
    template,
    ...(key === undefined ? {} : { key }),
    methods: at(template).map(({ method }) => method),
    itemMethods: own.map(({ method }) => method),
    parameters: [...query.keys()],
    filters: [...query].filter(([name]) => !listParameters.has(name)).map(([name, one]) => filterOf(name, one)),
    ...(sort === undefined ? {} : { sort }),
    ...(expand === undefined ? {} : { expand }),
    ...(itemExpand === undefined ? {} : { itemExpand }),
    flags: below === undefined ? [] : flagsOf(operations, below.text.replace(/\/$/, '')),
    below: othersBelow(operations, template),
    first: asObject(schemaOf(parameter.page)).minimum === 0 ? 0 : 1,
    ...(typeof size.maximum === 'number' ? { largest: size.maximum } : {}),
    media: Object.keys(content),
    nullable: nullableMembers(item),
    writeOnly: writeOnlyMembers(item),
    secured: isSecured(document, list),
    ...(list.operation.deprecated === true ? { deprecated: true } : {}),
    patches: Object.keys(contentOf(asObject(offers('PATCH')?.operation.requestBody))),
    ...(isAssociated(offers('PUT'), offers('DELETE')) ? { associated: true } : {}),
    tagged: promises(done, header.etag),
    counted: promises(done, header.totalCount),
    ...(create === undefined ? {} : { create }),
  }
}

/** The associations that `expand` accepts; `undefined` if the document does not list them. */
const expandedBy = (query: ReadonlyMap<string, JsonObject>, item: unknown): readonly string[] | undefined =>
  query.has(parameter.expand) ? takenBy(query.get(parameter.expand)?.schema, linkMembers(item)) : []

/** The flags below an item. PUT without a body sets a flag, and DELETE unsets it (PATH-8). */
function flagsOf(operations: readonly Operation[], item: string): readonly Flag[] {
  const own = operations.filter(({ path }) => path.kind === 'other' && segmentBelow(path.text, item) !== undefined)
  const methods = new Map<string, string[]>()
  for (const { path, method } of own) {
    const name = segmentBelow(path.text, item) as string
    methods.set(name, [...(methods.get(name) ?? []), method])
  }
  const isFlag = (name: string): boolean =>
    own.some(
      ({ path, method, operation }) =>
        method === 'PUT' && operation.requestBody === undefined && segmentBelow(path.text, item) === name,
    ) && methods.get(name)?.includes('DELETE') === true
  return [...methods].filter(([name]) => isFlag(name)).map(([name, all]) => ({ name, methods: all }))
}

/**
 * The last segment of the path `text`, if this path consists of the path `above` and one more
 * segment. Otherwise `undefined`.
 */
function segmentBelow(text: string, above: string): string | undefined {
  const rest = text.startsWith(`${above}/`) ? text.slice(above.length + 1).replace(/\/$/, '') : ''
  return rest === '' || rest.includes('/') ? undefined : rest
}

/**
 * The paths below a collection that accept GET, except the paths of its items and the paths below
 * items.
 */
const othersBelow = (operations: readonly Operation[], template: string): readonly string[] =>
  operations
    .filter(({ path, method }) => method === 'GET' && path.text.startsWith(`${template}/`))
    .map(({ path }) => path.text.replace(/\/$/, ''))
    .filter((text) => !isParameter(text.slice(template.length + 1).split('/')[0]))

/** The path of the login (AUTH-2). */
const loginOf = (document: unknown): string | undefined =>
  Object.entries(asObject(asObject(document).paths)).find(
    ([text, item]) => /(?:^|\/)login\/?$/.test(text) && isObject(asObject(item).get),
  )?.[0]

/**
 * Whether a sub-collection is associated with its parent: PUT without a body adds an existing item,
 * and DELETE removes the item from the sub-collection (VERB-4).
 */
const isAssociated = (put: Operation | undefined, remove: Operation | undefined): boolean =>
  put !== undefined && put.operation.requestBody === undefined && remove !== undefined && /\}.*\{/.test(put.path.text)

/**
 * Whether the items of a sub-collection also belong to another collection. This is assumed if
 * another path ends in the same segment. DELETE then only removes an item from the sub-collection,
 * so an item that a check creates would remain in the other collection.
 */
function isShared(template: string, document: unknown): boolean {
  const name = template.split('/').at(-1)
  const below = template.includes('{')
  return (
    below &&
    pathsOf(document).some(
      ({ text }) => text.replace(/\/$/, '') !== template && text.replace(/\/$/, '').split('/').at(-1) === name,
    )
  )
}

/** Whether, according to the document, a response always has a header field. */
const promises = (response: JsonObject | undefined, name: string): boolean =>
  Object.entries(asObject(response?.headers)).some(
    ([one, field]) => one.toLowerCase() === name.toLowerCase() && asObject(field).required === true,
  )

const isItemOf = (text: string, template: string): boolean => isParameter(segmentBelow(text, template))

/** The schema of the JSON body. */
function jsonSchema(content: JsonObject): JsonObject {
  const [, media] = Object.entries(content).find(([type]) => /[/+]json$/.test(type)) ?? []
  return asObject(asObject(media).schema)
}

function filterOf(name: string, one: JsonObject): Filter {
  const schema = asObject(one.schema)
  const many = isObject(schema.items)
  const [type = 'string'] = [...typesOf(many ? schema.items : schema)]
  return {
    name,
    type: type === 'string' || type === 'integer' || type === 'number' || type === 'boolean' ? type : 'other',
    many,
  }
}

/**
 * The members that form the id in the path of an item. If the pattern or the example of the path
 * parameter has several parts with names of members, such as `a=1,b=2`, the id consists of these
 * members (PATH-9). Otherwise the id is the member with the name of the parameter or, if there is
 * no such member, the member `id`. If there is no member `id` either, the result is `undefined`.
 */
function keyOf(
  text: string,
  pathItem: JsonObject,
  operations: readonly Operation[],
  item: unknown,
): readonly string[] | undefined {
  const name = /\{([^}]*)\}\/?$/.exec(text)?.[1] ?? ''
  const members = membersOf(item)
  const lists = [pathItem.parameters, ...operations.map(({ operation }) => operation.parameters)]
  const all = lists.flatMap((list) => (isList(list) ? list.filter(isObject) : []))
  const schema = asObject(all.find((one) => one.in === 'path' && one.name === name)?.schema)
  const parts = [...String(schema.pattern ?? schema.example ?? '').matchAll(/([A-Za-z_][\w.]*)=/g)].map(
    ([, part = '']) => part,
  )
  if (parts.length > 1 && parts.every((part) => members.has(part))) return parts
  if (members.has(name)) return [name]
  return members.has('id') ? ['id'] : undefined
}

function isSecured(document: unknown, { operation }: Operation): boolean {
  const security = operation.security ?? asObject(document).security
  return isList(security) && security.length > 0 && security.every((one) => Object.keys(asObject(one)).length > 0)
}

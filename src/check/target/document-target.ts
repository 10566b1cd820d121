/** Derives the target from an OpenAPI document of version 3.0 or 3.1. */
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
import type { CollectionTarget, Filter, Target } from './target.js'

/** Parameter names with a fixed meaning in lists. */
const listParameters: ReadonlySet<string> = new Set(Object.values(parameter))

/** Whether a value looks like an OpenAPI document. */
export const isDocument = (value: unknown): boolean =>
  isObject(value) && /^3\.[01]\b/.test(String(value.openapi)) && isObject(value.paths)

export function targetOf(given: unknown): Target {
  const document = withoutReferences(given)
  const operations = operationsOf(document)
  const collections = pathsOf(document)
    .filter(({ kind }) => kind === 'collection')
    .flatMap((path): readonly CollectionTarget[] => {
      const list = operations.find((one) => one.path.text === path.text && one.method === 'GET')
      return list === undefined ? [] : [collectionOf(document, operations, list)]
    })
  const url = asObject(
    isList(asObject(document).servers) ? (asObject(document).servers as unknown[])[0] : undefined,
  ).url
  const [, origin = '', path = ''] =
    /^(https?:\/\/[^/{]+)?((?:\/[^/?#{]+)*)\/?$/.exec(typeof url === 'string' ? url : '') ?? []
  const login = loginOf(document)
  return {
    ...(login === undefined ? {} : { login }),
    ...(origin === '' ? {} : { published: `${origin}${path}` }),
    ...(path === '' ? {} : { path }),
    collections,
    retired: [],
  }
}

function collectionOf(document: unknown, operations: readonly Operation[], list: Operation): CollectionTarget {
  const template = list.path.text.replace(/\/$/, '')
  const at = (text: string) => operations.filter(({ path }) => path.text.replace(/\/$/, '') === text)
  const below = pathsOf(document).find((path) => isItemOf(path.text, template))
  const done = list.responses['200']
  const content = contentOf(done)
  const offers = (method: string): Operation | undefined => own.find((one) => one.method === method)
  const item = itemSchema(content)
  const query = parametersIn(list, 'query')
  const schemaOf = (name: string): unknown => query.get(name)?.schema
  const size = asObject(schemaOf(parameter.size))
  const sort = query.has(parameter.sort) ? takenBy(schemaOf(parameter.sort), scalarPaths(item)) : []
  const expand = query.has(parameter.expand) ? takenBy(schemaOf(parameter.expand), linkMembers(item)) : []
  const key = below === undefined ? undefined : keyOf(below.text, below.item, at(below.text), item)
  const own = below === undefined ? [] : at(below.text.replace(/\/$/, ''))
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

/** The path of the login (AUTH-2). */
const loginOf = (document: unknown): string | undefined =>
  Object.entries(asObject(asObject(document).paths)).find(
    ([text, item]) => /(?:^|\/)login\/?$/.test(text) && isObject(asObject(item).get),
  )?.[0]

/** PUT without a body adds an existing item, and DELETE removes it (VERB-4). */
const isAssociated = (put: Operation | undefined, remove: Operation | undefined): boolean =>
  put !== undefined && put.operation.requestBody === undefined && remove !== undefined && /\}.*\{/.test(put.path.text)

/**
 * Whether the items of a sub-collection also belong to another collection. Then DELETE only removes
 * an item from the sub-collection, and a created item would remain.
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

/** Whether an answer always has a header field. */
const promises = (response: JsonObject | undefined, name: string): boolean =>
  Object.entries(asObject(response?.headers)).some(
    ([one, field]) => one.toLowerCase() === name.toLowerCase() && asObject(field).required === true,
  )

const isItemOf = (text: string, template: string): boolean => {
  const rest = text.startsWith(`${template}/`) ? text.slice(template.length + 1).replace(/\/$/, '') : ''
  return rest !== '' && !rest.includes('/') && isParameter(rest)
}

/** The schema of one item of a list in JSON. */
function itemSchema(content: JsonObject): unknown {
  const [, media] = Object.entries(content).find(([type]) => /[/+]json$/.test(type)) ?? []
  return asObject(asObject(media).schema).items
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
 * The members of the id in an address: the member with its name, or the parts that the parameter
 * names (PATH-9), or `id`.
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

/**
 * The data of the pages: the operations of a document, grouped by tag, and the page that explains
 * each type (a schema in `components`).
 */
import { isList, isObject, type JsonObject, own } from '../definition/json.js'
import type { OpenApiDocument } from '../openapi/document.js'
import { textIn } from './read.js'
import { follow, refsIn } from './references.js'

/**
 * One operation, together with the members of its path item that apply to all operations of the
 * path.
 */
export interface DocsOperation {
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
  /** The parameters of the operation and of its path item, with references resolved. */
  readonly parameters: readonly JsonObject[]
  /** The server of the operation or of its path item, if one is declared. */
  readonly server: string | undefined
  /** The HTML id of the operation. It is unique on its page. */
  readonly anchor: string
}

/** A tag of the document, which has a page of its own. */
export interface DocsTag {
  readonly name: string
  readonly description: string | undefined
  /** The name of the first page of the tag. */
  readonly slug: string
  readonly operations: readonly DocsOperation[]
  /** The types that are explained on the page of this tag, by their names in the document. */
  readonly types: readonly string[]
}

/** A document, arranged for its pages. */
export interface Site {
  readonly document: OpenApiDocument
  readonly tags: readonly DocsTag[]
  /** The tag whose page explains a type. */
  readonly tagByType: ReadonlyMap<string, DocsTag>
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']

/** The tag for operations without a tag. */
const untagged = 'other'

/** Arranges a document for its pages. `reserved`: names that the pages of tags must not have. */
export function siteOf(document: OpenApiDocument, reserved: ReadonlySet<string>): Site {
  const byTag = operationsByTag(document)
  const described = new Map((document.tags ?? []).map((tag) => [tag.name, textIn(tag, 'description')]))
  const names = [...new Set([...described.keys(), ...byTag.keys()])].filter((name) => byTag.has(name))
  const slugs = slugsOf(names, reserved)
  const types = typesByTag(document, names, byTag)
  const tags = names.map(
    (name): DocsTag => ({
      name,
      description: described.get(name),
      slug: slugs.get(name) ?? '',
      operations: byTag.get(name) ?? [],
      types: types.get(name) ?? [],
    }),
  )
  return { document, tags, tagByType: new Map(tags.flatMap((tag) => tag.types.map((type) => [type, tag] as const))) }
}

/** Returns the URL of a server. Variables in the URL are replaced with their default values. */
const addressOf = (server: unknown): string | undefined =>
  textIn(server, 'url')?.replace(
    /\{([^{}]*)\}/g,
    (given, name: string) => textIn(own(own(server, 'variables'), name), 'default') ?? given,
  )

function operationsByTag(document: OpenApiDocument): ReadonlyMap<string, readonly DocsOperation[]> {
  const found = new Map<string, DocsOperation[]>()
  const anchors = new Set<string>()
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = own(item, method)
      if (!isObject(operation)) continue
      const parameters = parametersOf(document, own(item, 'parameters'), operation.parameters)
      const server = addressOf(firstOf(operation.servers) ?? firstOf(own(item, 'servers')))
      const anchor = anchorOf(textIn(operation, 'operationId') ?? `${method}-${path}`, anchors)
      const tags = isList(operation.tags) ? operation.tags.filter((tag) => typeof tag === 'string') : []
      for (const tag of tags.length === 0 ? [untagged] : new Set(tags)) {
        const others = found.get(tag) ?? []
        found.set(tag, [...others, { method: method.toUpperCase(), path, operation, parameters, server, anchor }])
      }
    }
  }
  return found
}

const firstOf = (list: unknown): unknown => (isList(list) ? list[0] : undefined)

/**
 * Returns the parameters of an operation and of its path item. The parameters of the operation
 * override those of the path item (OpenAPI 3.1, "Operation Object").
 */
function parametersOf(document: OpenApiDocument, ...lists: readonly unknown[]): readonly JsonObject[] {
  const found = new Map<string, JsonObject>()
  for (const given of lists.flatMap((list) => (isList(list) ? list : []))) {
    const parameter = follow(document, given)
    if (isObject(parameter)) found.set(`${textIn(parameter, 'in')} ${textIn(parameter, 'name')}`, parameter)
  }
  return [...found.values()]
}

/** Returns an unused id, which consists of letters, digits, dots, underscores and hyphens. */
function anchorOf(text: string, taken: Set<string>): string {
  const plain = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return free([...plain].slice(0, 80).join('') || 'x', taken)
}

function free(name: string, taken: Set<string>): string {
  let found = name
  for (let count = 2; taken.has(found); count += 1) found = `${name}-${count}`
  taken.add(found)
  return found
}

/** Returns the name of the first page of each tag. The names are unique. */
function slugsOf(names: readonly string[], reserved: ReadonlySet<string>): ReadonlyMap<string, string> {
  const taken = new Set(reserved)
  return new Map(names.map((name) => [name, anchorOf(name.replace(/^\.+/, ''), taken)]))
}

/**
 * Returns the types that are explained on the page of each tag. Each type is explained on only one
 * page. This is the page of the tag whose requests and responses lead to the type through the
 * fewest references. If several tags need equally few references, the first of these tags is used.
 */
function typesByTag(
  document: OpenApiDocument,
  names: readonly string[],
  byTag: ReadonlyMap<string, readonly DocsOperation[]>,
): ReadonlyMap<string, readonly string[]> {
  const schemas = document.components.schemas ?? {}
  const found = new Map<string, string[]>(names.map((name) => [name, []]))
  const seen = new Set<string>()
  let edge = names.map((name) => ({
    tag: name,
    types: (byTag.get(name) ?? []).flatMap(({ operation, parameters }) => usedBy(document, operation, parameters)),
  }))
  while (edge.some(({ types }) => types.length > 0)) {
    edge = edge.map(({ tag, types }) => {
      const fresh = types.filter((type) => Object.hasOwn(schemas, type) && !seen.has(type) && seen.add(type))
      found.get(tag)?.push(...fresh)
      return { tag, types: fresh.flatMap((type) => refsIn(schemas[type])) }
    })
  }
  return found
}

/** Returns the types that an operation references in its requests and responses. */
function usedBy(
  document: OpenApiDocument,
  operation: JsonObject,
  parameters: readonly JsonObject[],
): readonly string[] {
  const responses = Object.entries(isObject(operation.responses) ? operation.responses : {})
    // Problems have a page of their own.
    .filter(([status]) => !/^[45]/.test(status))
    .map(([, response]) => follow(document, response))
  return refsIn([follow(document, operation.requestBody), responses, parameters])
}

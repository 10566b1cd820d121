/**
 * Maps the shapes of paths to the paths of two documents. The shape of a path is the path without
 * the names of its parameters: `/orders/{id}` has the shape `/orders/{}`. If the servers of the two
 * documents have different base paths, the shapes can include the base paths.
 */
import { isList, isObject, own } from '../definition/json.js'
import { child, objectAt, type Place, type Source } from './nodes.js'

export interface PathItem {
  readonly path: string
  readonly item: Place
}

/**
 * The paths of both documents, keyed by their shapes. If `moved` is present, the base path has
 * changed, and is not part of the shapes.
 */
export interface Addresses {
  readonly before: ReadonlyMap<string, PathItem>
  readonly after: ReadonlyMap<string, PathItem>
  readonly moved?: BasePaths
}

interface BasePaths {
  readonly from: readonly string[]
  readonly to: readonly string[]
}

/**
 * Returns the paths of two documents. If both documents have base paths but none in common, the
 * first base path of each document is prepended to the shapes of its paths. So `/things` below the
 * base path `/v1` is the same as `/v1/things` below the base path `/`. If the documents still have
 * no shape in common, the result contains the shapes without base paths, and `moved`.
 */
export function addressesOf(before: Source, after: Source): Addresses {
  const [old, updated] = [pathsOf(before), pathsOf(after)]
  const moved = movedBase(serversAt(before.root), serversAt(after.root))
  if (moved === undefined) return { before: old, after: updated }
  const [whole, wholeAfter] = [pathsOf(before, moved.from[0]), pathsOf(after, moved.to[0])]
  if ([...whole.keys()].some((path) => wholeAfter.has(path))) return { before: whole, after: wholeAfter }
  return { before: old, after: updated, moved }
}

/** Returns the paths of a document, keyed by their shapes. The shapes begin with `base`. */
function pathsOf(source: Source, base = ''): ReadonlyMap<string, PathItem> {
  const paths = [...pathItemsOf(source, source.member(source.root, 'paths'))].filter(([path]) => path.startsWith('/'))
  const prefix = base.replace(/\/$/, '')
  return new Map(paths.map(([path, item]) => [`${prefix}${path.replaceAll(/\{[^}]*\}/g, '{}')}`, { path, item }]))
}

/** Returns the path items of an object, keyed by name, with references resolved. */
export const pathItemsOf = (source: Source, table: Place | undefined): ReadonlyMap<string, Place> =>
  new Map(Object.keys(objectAt(table)).map((name) => [name, pathItemAt(source, child(table as Place, name))]))

/**
 * Returns the target of a path item that is a reference. The operations, parameters and servers
 * beside the reference are added to those of the target.
 */
function pathItemAt(source: Source, place: Place): Place {
  const target = source.resolve(place)
  const { $ref: ref, ...members } = objectAt(place)
  const isEmpty = Object.keys(members).every((name) => /^(?:summary|description|x-.*)$/s.test(name))
  if (typeof ref !== 'string' || isEmpty) return target
  const next = pathItemAt(source, source.target(ref, place.pointer))
  return { value: { ...objectAt(next), ...members }, pointer: place.pointer }
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'query'] as const

/** Returns the operations of a path item, keyed by method. */
export function operationsOf(source: Source, item: Place): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>()
  for (const method of methods) {
    const place = source.member(item, method)
    if (place !== undefined) found.set(method.toUpperCase(), place)
  }
  return found
}

/** An operation and its path item. */
interface OperationAt {
  readonly item: Place
  readonly operation: Place
}

/**
 * Returns the old and the new base paths of an operation that declares `servers` itself or in its
 * path item. Returns `undefined` if the base path is unchanged or not known, or if neither document
 * declares such `servers`.
 */
export function movedOperation(
  pair: { readonly before: OperationAt; readonly after: OperationAt },
  sources: readonly [Source, Source],
): BasePaths | undefined {
  const [old, updated] = [pair.before, pair.after].map(({ operation, item }) =>
    own(operation.value, 'servers') !== undefined
      ? operation
      : own(item.value, 'servers') !== undefined
        ? item
        : undefined,
  )
  if (old === undefined && updated === undefined) return undefined
  return movedBase(serversAt(old ?? sources[0].root), serversAt(updated ?? sources[1].root))
}

function movedBase(from: readonly string[], to: readonly string[]): BasePaths | undefined {
  if (from.length === 0 || to.length === 0 || from.some((path) => to.includes(path))) return undefined
  return { from, to }
}

/**
 * Returns the base paths of the servers that a document, a path item or an operation declares.
 * Hosts are ignored, because they differ by deployment.
 */
function serversAt(place: Place): readonly string[] {
  const servers = child(place, 'servers').value
  const urls = (isList(servers) ? servers : []).flatMap(urlsOf)
  return [
    ...new Set(urls.map((url) => url.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '').replace(/\/+$/, '') || '/')),
  ]
}

/** Returns the URLs of a server, one for each combination of values of its variables. */
function urlsOf(server: unknown): readonly string[] {
  const url = own(server, 'url')
  if (typeof url !== 'string') return []
  const variables = own(server, 'variables')
  return Object.entries(isObject(variables) ? variables : {}).reduce<readonly string[]>(
    (urls, [name, variable]) =>
      valuesOf(variable).flatMap((value) => urls.map((one) => one.replaceAll(`{${name}}`, () => value))),
    [url],
  )
}

function valuesOf(variable: unknown): readonly string[] {
  const [usual, listed] = [own(variable, 'default'), own(variable, 'enum')]
  const values = [usual, ...(isList(listed) ? listed : [])].filter((value) => typeof value === 'string')
  return [...new Set(values)].slice(0, maxVariableValues)
}

/** At most this many values of one variable are considered. */
const maxVariableValues = 20

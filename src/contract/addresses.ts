/** Where operations are: base paths of servers, and paths by their shape. */
import { isList, isObject, own } from '../definition/json.js'
import { child, type Place, type Source } from './nodes.js'

export interface PathItem {
  readonly path: string
  readonly item: Place
}

/** Paths of both documents by what identifies them, and how the base path has changed, where it has. */
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
 * The paths of two documents. Where no server has a base path that it had, they are compared with
 * their base paths: `/v1` and `/things` are the same address as `/` and `/v1/things`.
 */
export function addressesOf(before: Source, after: Source): Addresses {
  const [old, young] = [pathsOf(before), pathsOf(after)]
  const moved = movedBase(serversAt(before.root), serversAt(after.root))
  if (moved === undefined) return { before: old, after: young }
  const [whole, wholeAfter] = [pathsOf(before, moved.from[0]), pathsOf(after, moved.to[0])]
  if ([...whole.keys()].some((path) => wholeAfter.has(path))) return { before: whole, after: wholeAfter }
  return { before: old, after: young, moved }
}

/** Paths by their shape: names of parameters are not part of an address. */
function pathsOf(source: Source, base = ''): ReadonlyMap<string, PathItem> {
  const paths = [...source.members(source.member(source.root, 'paths'))].filter(([path]) => path.startsWith('/'))
  const before = base.replace(/\/$/, '')
  return new Map(paths.map(([path, item]) => [`${before}${path.replaceAll(/\{[^}]*\}/g, '{}')}`, { path, item }]))
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'query'] as const

/** The operations of a path by their methods. */
export function operationsOf(source: Source, item: Place): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>()
  for (const method of methods) {
    const place = source.member(item, method)
    if (place !== undefined) found.set(method.toUpperCase(), place)
  }
  return found
}

/** An operation with the path that it stands in. */
interface OperationAt {
  readonly item: Place
  readonly operation: Place
}

/** How the base path of an operation has changed that has servers of its own, or whose path has; `undefined` where it has not. */
export function movedOperation(
  pair: { readonly before: OperationAt; readonly after: OperationAt },
  sources: readonly [Source, Source],
): BasePaths | undefined {
  const [old, young] = [pair.before, pair.after].map(({ operation, item }) =>
    own(operation.value, 'servers') !== undefined
      ? operation
      : own(item.value, 'servers') !== undefined
        ? item
        : undefined,
  )
  if (old === undefined && young === undefined) return undefined
  return movedBase(serversAt(old ?? sources[0].root), serversAt(young ?? sources[1].root))
}

function movedBase(from: readonly string[], to: readonly string[]): BasePaths | undefined {
  if (from.length === 0 || to.length === 0 || from.some((path) => to.includes(path))) return undefined
  return { from, to }
}

/** Base paths that the servers of a place may have: hosts differ from one deployment to the next; paths do not. */
function serversAt(place: Place): readonly string[] {
  const servers = child(place, 'servers').value
  const urls = (isList(servers) ? servers : []).flatMap(urlsOf)
  return [
    ...new Set(urls.map((url) => url.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '').replace(/\/+$/, '') || '/')),
  ]
}

/** The addresses of a server, one for each value that a variable of it may have. */
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
  return [...new Set(values)].slice(0, mostValues)
}

/** Values of one variable that are looked at. */
const mostValues = 20

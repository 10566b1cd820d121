/**
 * The parts of an OpenAPI document that the rules check: the paths without the version, and their
 * operations.
 */
import { isList, isObject, type JsonObject } from '../definition/json.js'

/** The kind of a path. `other` stands for any other path, such as a flag or an endpoint. */
type PathKind = 'collection' | 'item' | 'other'

export interface Path {
  /** The path, as in the document. */
  readonly text: string
  /** The segments of the path, without a version at its start. */
  readonly segments: readonly string[]
  /** The version in front of `segments`, if there is one. */
  readonly version: string | undefined
  readonly kind: PathKind
  readonly item: JsonObject
}

export interface Operation {
  readonly path: Path
  /** The method in upper case. */
  readonly method: string
  /** The method and the path, such as `GET /orders`. */
  readonly name: string
  readonly operation: JsonObject
  readonly responses: Readonly<Record<string, JsonObject>>
  readonly place: readonly string[]
}

export const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const

export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const isParameter = (segment: string | undefined): boolean => /^\{.*\}$/.test(segment ?? '')

/**
 * The paths of a document. The paths of the login and of the documentation are omitted, because
 * they are not resources.
 */
export function pathsOf(document: unknown): readonly Path[] {
  const table = asObject(asObject(document).paths)
  const texts = new Set(Object.keys(table).map(withoutNames))
  return Object.entries(table).flatMap(([text, item]) => {
    const [first = '', ...rest] = text.split('/').filter((segment) => segment !== '')
    const isVersion = /^v[0-9]+$/.test(first)
    const segments = isVersion ? rest : first === '' ? [] : [first, ...rest]
    if (!isObject(item) || beside.test(segments.join('/'))) return []
    const hasItems = texts.has(`${withoutNames(text)}/{}`)
    return [{ text, segments, version: isVersion ? first : undefined, kind: kindOf(segments, item, hasItems), item }]
  })
}

/** Returns a path without a trailing slash and without the names of its parameters. */
const withoutNames = (text: string): string => text.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '')

/**
 * Matches the paths that are omitted: `/login` (AUTH-2), the docs pages, and the paths of the
 * OpenAPI document itself (PATH-4).
 */
const beside = /^(?:login|docs(?:\/.*)?|openapi(?:\.json|\.ya?ml)?)$/

function kindOf(segments: readonly string[], item: JsonObject, hasItems: boolean): PathKind {
  if (isParameter(segments.at(-1))) return 'item'
  const creates = Object.keys(asObject(asObject(item.post).responses)).some((status) => status === '201')
  return hasItems || creates ? 'collection' : 'other'
}

/** The operations of a document. */
export function operationsOf(document: unknown): readonly Operation[] {
  return pathsOf(document).flatMap((path) =>
    methods.flatMap((key) => {
      const operation = path.item[key]
      if (!isObject(operation)) return []
      const method = key.toUpperCase()
      const responses = Object.fromEntries(
        Object.entries(asObject(operation.responses)).map(([status, one]) => [status, asObject(one)]),
      )
      return [{ path, method, name: `${method} ${path.text}`, operation, responses, place: ['paths', path.text, key] }]
    }),
  )
}

/**
 * The parameters of an operation and of its path that are in the location `where`. Names of header
 * fields are in lower case.
 */
export function parametersIn(
  { operation, path }: Operation,
  where: 'query' | 'header',
): ReadonlyMap<string, JsonObject> {
  const all = [path.item.parameters, operation.parameters].flatMap((list) =>
    isList(list) ? list.filter(isObject) : [],
  )
  const named = all.filter((one) => one.in === where && typeof one.name === 'string')
  return new Map(named.map((one) => [where === 'header' ? String(one.name).toLowerCase() : String(one.name), one]))
}

/** Whether a response has a header field. */
export const hasField = (response: JsonObject | undefined, name: string): boolean =>
  Object.keys(asObject(response?.headers)).some((one) => one.toLowerCase() === name.toLowerCase())

export const contentOf = (response: JsonObject | undefined): JsonObject => asObject(response?.content)

/** The success statuses that the document describes for an operation. */
export const successesOf = ({ responses }: Operation): readonly string[] =>
  Object.keys(responses).filter((status) => /^2/.test(status))

/** The finding for an operation whose response lacks a header field. */
export function lackingField(
  operation: Operation,
  status: string,
  name: string,
  why: string,
): { message: string; path: string[] } {
  return {
    message: `${operation.name} responds with ${status} without the header ${name}. Add it to the response: ${why}.`,
    path: [...operation.place, 'responses', status],
  }
}

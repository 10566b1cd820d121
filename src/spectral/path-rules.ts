/** Rules for paths and names (PATH-1 to PATH-8). */
import { isList, isObject } from '../definition/json.js'
import { checkCollectionName, checkSegment } from '../definition/naming.js'
import { isConfigurationError } from '../problem.js'
import { asObject, isParameter, methods, operationsOf, type Path, pathsOf } from './document.js'
import { type Finding, type Rule, rule } from './finding.js'

/** Reports faulty segments of paths. `faultOf` returns the fault of the segment at an index. */
function inSegments(
  faultOf: (path: Path, at: number) => string | undefined,
): (document: unknown) => readonly Finding[] {
  return (document) =>
    pathsOf(document).flatMap((path) =>
      path.segments.flatMap((_, at) => {
        const fault = faultOf(path, at)
        return fault === undefined ? [] : [{ message: `${path.text}: ${fault}`, path: ['paths', path.text] }]
      }),
    )
}

/**
 * Applies the checks of names in resource definitions to a segment. If they throw a
 * `ConfigurationError` with this `code`, returns the message of the error. In all other cases,
 * returns `undefined`.
 */
function nameFault(path: Path, at: number, code: string): string | undefined {
  const segment = path.segments[at] ?? ''
  // A segment such as `{id}` is not a name. The rule about formats checks segments such as
  // `{id}.json`.
  if (segment.includes('{')) return undefined
  try {
    if (isCollection(path, at)) checkCollectionName(segment)
    // Directly below the version, an action such as `/search` is allowed if it is documented.
    else if (path.segments.length > 1) checkSegment(segment)
  } catch (error) {
    if (!isConfigurationError(error)) throw error
    // Two parts of the message are removed: the code at its end, and its sentence about the option
    // `allow`, because exceptions to a rule of the ruleset are configured in Spectral.
    if (error.code === code)
      return error.message.replace(/(?: If the name is right nevertheless, .*| \[[^\]]*\])$/s, '')
  }
  return undefined
}

/**
 * Whether a segment is a collection: it is followed by an id, or it is the last segment of a
 * collection's path. Areas (the segments before the first collection), flags and endpoints need not
 * be plural.
 */
const isCollection = ({ segments, kind }: Path, at: number): boolean =>
  isParameter(segments[at + 1]) || (at === segments.length - 1 && kind === 'collection')

function formatFault({ segments }: Path, at: number): string | undefined {
  const segment = segments[at] ?? ''
  const [, plain = '', extension] = /^(.+?)\.([\p{L}\p{N}]+)$/u.exec(segment) ?? []
  if (extension === undefined) return undefined
  return `"${segment}" contains a format. Clients choose the format with Accept. Use "${plain}".`
}

function orderFault({ segments }: Path, at: number): string | undefined {
  if (!isParameter(segments[at]) || (at > 0 && !isParameter(segments[at - 1]))) return undefined
  return `"${segments[at]}" does not follow a collection. Put the name of its collection, a plural noun, before it.`
}

/**
 * The collections of a path, in order. For `/customers/{id}/invoices/{id}`, they are `customers`
 * and `invoices`.
 */
const chainOf = ({ segments }: Path): readonly string[] =>
  segments.filter((segment, at) => !isParameter(segment) && isParameter(segments[at + 1]))

/**
 * Finds pairs of collections whose order differs between two paths, such as `/a/{id}/b/{id}` and
 * `/b/{id}/a/{id}`. In one of these paths, the parent is not first.
 */
function findTurned(document: unknown): readonly Finding[] {
  const paths = pathsOf(document)
  const pairs = new Map<string, Path>()
  for (const path of paths) {
    const chain = chainOf(path)
    for (const [at, parent] of chain.entries()) {
      const child = chain[at + 1]
      if (child !== undefined && child !== parent && !pairs.has(`${parent} ${child}`))
        pairs.set(`${parent} ${child}`, path)
    }
  }
  return [...pairs].flatMap(([pair, path]) => {
    const [parent = '', child = ''] = pair.split(' ')
    const other = pairs.get(`${child} ${parent}`)
    // Each pair is reported once, at the path that comes later in the document.
    if (other === undefined || paths.indexOf(other) > paths.indexOf(path)) return []
    const message =
      `${path.text}: "${child}" is below "${parent}", but in ${other.text} it is the other way round. ` +
      'Put the parent first. Instead of the path with the child first, use a query parameter of the list of parents.'
    return [{ message, path: ['paths', path.text] }]
  })
}

function filterFault({ segments }: Path, at: number): string | undefined {
  const segment = segments[at] ?? ''
  const what = /^(?:by|with|without|where|filter|filtered|por|con|sin|donde)(?:[-_].+)?$/i.test(segment)
  if (!what && !/[;=]/.test(segment.replace(/\{[^}]*\}/g, ''))) return undefined
  return `"${segment}" is a filter. Leave it out of the path, and use a query parameter of the list: property=value.`
}

/**
 * Finds paths of items in a sub-collection if the path of the sub-collection is not in the
 * document. For example, `/a/{id}/b/{id}` is in the document, but `/a/{id}/b` is not.
 */
function findUnlisted(document: unknown): readonly Finding[] {
  const paths = pathsOf(document)
  const plain = (text: string): string => text.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '')
  const known = new Set(paths.map(({ text }) => plain(text)))
  return paths.flatMap(({ text, kind, segments }) => {
    const collection = text.replace(/\/[^/]*\/?$/, '')
    if (kind !== 'item' || segments.length < 4 || isParameter(segments.at(-2)) || known.has(plain(collection)))
      return []
    return [
      {
        message: `${text} is an item of a sub-collection that has no path. Add ${collection} with GET.`,
        path: ['paths', text],
      },
    ]
  })
}

/**
 * Checks the paths that are neither a collection nor an item. Finds flags that lack PUT or DELETE,
 * or whose PUT has a body, and endpoints without a description.
 */
function findActions(document: unknown): readonly Finding[] {
  const operations = operationsOf(document)
  return pathsOf(document).flatMap((path) => {
    if (path.kind !== 'other') return []
    const place = ['paths', path.text]
    const own = operations.filter((one) => one.path.text === path.text)
    const flag = own.find(({ method }) => method === 'PUT' || method === 'DELETE')
    if (flag !== undefined) {
      const lacks = ['PUT', 'DELETE'].find((method) => own.every((one) => one.method !== method))
      const sent = own.find(({ method, operation }) => method === 'PUT' && operation.requestBody !== undefined)
      if (lacks !== undefined)
        return [{ message: `${path.text} is a flag without ${lacks}. PUT sets it and DELETE unsets it.`, path: place }]
      if (sent !== undefined)
        return [
          {
            message: `${sent.name} sets a flag, but has a body. Remove the body: PUT alone sets the flag.`,
            path: sent.place,
          },
        ]
      return []
    }
    return own
      .filter(
        ({ method, operation }) =>
          method !== 'OPTIONS' && method !== 'HEAD' && !isSaid(operation.description) && !isSaid(path.item.description),
      )
      .map(({ name, place: at }) => ({
        message: `${name} is an endpoint without documentation. Describe its purpose in its description.`,
        path: at,
      }))
  })
}

const isSaid = (text: unknown): boolean => typeof text === 'string' && text.trim() !== ''

/**
 * Finds paths without a version. The version must be the first segment of the path, or the last
 * segment of every server URL.
 */
function findUnversioned(document: unknown): readonly Finding[] {
  const { servers } = asObject(document)
  const isVersioned = (list: unknown): boolean =>
    isList(list) && list.length > 0 && list.every((one) => /\/v[0-9]+\/?$/.test(String(asObject(one).url)))
  if (isVersioned(servers)) return []
  return pathsOf(document).flatMap(({ text, version, item }) => {
    if (version !== undefined || isVersioned(item.servers) || !methods.some((method) => isObject(item[method])))
      return []
    return [
      {
        message: `${text} has no version. Begin the path, or end the URL of every server, with a version such as /v1.`,
        path: ['paths', text],
      },
    ]
  })
}

export const pathRules: Readonly<Record<string, Rule>> = {
  'path-1-version': rule('PATH-1', 'The version is the first segment of every path.', findUnversioned),
  'path-2-plural': rule(
    'PATH-2',
    'A collection is a plural noun.',
    inSegments((path, at) => nameFault(path, at, 'name-not-plural') ?? nameFault(path, at, 'name-malformed')),
  ),
  'path-3-verb': rule(
    'PATH-3',
    'Paths contain no verbs.',
    inSegments((path, at) => nameFault(path, at, 'name-is-verb')),
  ),
  'path-4-format': rule('PATH-4', 'Paths contain no format.', inSegments(formatFault)),
  'path-5-hierarchy': rule('PATH-5', 'Parents come before children.', (document) => [
    ...inSegments(orderFault)(document),
    ...findTurned(document),
  ]),
  'path-6-filter': rule('PATH-6', 'Paths contain no filters.', inSegments(filterFault)),
  'path-7-sub-collection': rule('PATH-7', 'A sub-collection can be listed.', findUnlisted),
  'path-8-action': rule('PATH-8', 'An action is a field, a flag or a documented endpoint.', findActions),
}

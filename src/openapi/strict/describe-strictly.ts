/** For tests: compares each answer of a service with its document. */
import { splitTarget } from '../../http/targets.js'
import type { Middleware } from '../../middleware/middleware.js'
import { splitVersion } from '../../middleware/version-names.js'
import { checkOptions } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { requireDescription, type ServiceDescription } from '../../plan/description.js'
import type { DocumentFragment } from '../../plan/document-options.js'
import { openapi } from '../openapi.js'
import { Described, type Reachable } from './described.js'
import { type Held, holdResponse, watchResponse } from './held-response.js'

/** How answers are compared with the document. */
export interface DescribeStrictlyOptions {
  /** Hand-written routes, as `openapi()` takes them. */
  readonly fragments?: readonly DocumentFragment[]
  /** Called with each fault of an answer, in place of the 500: the answer leaves as it is. */
  readonly onFault?: (fault: string) => void
}

export const describeStrictlyKinds: Kinds<DescribeStrictlyOptions> = {
  fragments: { each: 'table' },
  onFault: 'function',
}

/** What `describeStrictly()` makes. */
export interface DescribeStrictly extends Middleware {
  /**
   * What the document of a version describes and no answer had yet: statuses such as
   * `listPieces 304` (the default), codes of problems such as `listPieces 400 invalid-query`, or
   * headers such as `listPieces 200 Link`. A test has left it out, or no request can reach it.
   */
  unreached(version: string, what?: Reachable): readonly string[]
}

/**
 * For tests: compares every answer of the service behind it with its document. A status, a header or
 * a body that the document does not describe makes the answer a 500 that says what is wrong. It
 * builds a document for each version at its first request, and keeps bodies of up to a mebibyte until
 * their end: it is not for production. Throws `ConfigurationError` where the service is none.
 *
 * @example app.use(describeStrictly(service), service)
 */
export function describeStrictly(service: object, options: DescribeStrictlyOptions = {}): DescribeStrictly {
  const { fragments = [], onFault } = checkOptions<DescribeStrictlyOptions>(
    'describeStrictly()',
    options,
    describeStrictlyKinds,
  )
  const description = requireDescription('describeStrictly()', service)
  const documents = new Map<string, Described>()
  const described = (version: string): Described => {
    const known = documents.get(version) ?? new Described(openapi(service, version, { fragments }), fragments)
    documents.set(version, known)
    return known
  }
  const describeStrictlyMiddleware: Middleware = (req, res, next) => {
    const found = describedPath(description, splitTarget(req.url ?? '/').path)
    if (found === undefined) return next()
    const { method = 'GET' } = req
    const before = new Set(res.getHeaderNames())
    const faultsOf = (held: Held): readonly string[] => {
      try {
        const answered = { ...held, method, path: found.path, isBeside: found.isBeside, before }
        return [...new Set(found.versions.flatMap((version) => described(version).faults(answered)))]
      } catch (error) {
        // Thrown from here it would end the connection, and nobody would know why.
        return [error instanceof Error ? error.message : String(error)]
      }
    }
    if (onFault === undefined) {
      holdResponse(res, (held) => {
        const faults = faultsOf(held)
        return faults.length === 0 ? undefined : refusal(faults)
      })
    } else watchResponse(res, (held) => faultsOf(held).forEach(onFault))
    next()
  }
  const sole = description.versions.has('')
  return Object.assign(describeStrictlyMiddleware, {
    unreached: (version: string, what: Reachable = 'statuses') => described(sole ? '' : version).unreached(what),
  })
}

/** Which versions describe a path, and what their documents call it. */
export interface DescribedPath {
  readonly versions: readonly string[]
  readonly path: string
  /** Whether it stands beside the versions. */
  readonly isBeside: boolean
}

/** The place of a path in the documents of a service; `undefined` where no document has any. */
export function describedPath({ versions, facts }: ServiceDescription, path: string): DescribedPath | undefined {
  if (versions.has('')) return { versions: [''], path, isBeside: false }
  const living = [...versions].flatMap(([name, entry]) => (entry === 'retired' ? [] : [name]))
  const found = splitVersion(path)
  // Each document has the login, which stands beside all of them.
  if (found === undefined)
    return facts.login && /^\/login\/?$/.test(path) ? { versions: living, path, isBeside: true } : undefined
  return living.includes(found.name) ? { versions: [found.name], path: found.rest, isBeside: false } : undefined
}

const refusal = (faults: readonly string[]): Buffer =>
  Buffer.from(
    JSON.stringify({ title: 'The document does not describe this answer', status: 500, detail: faults.join('\n') }),
  )

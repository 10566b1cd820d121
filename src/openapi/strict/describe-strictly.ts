/** Compares each response of a service with its document, in tests. */
import { splitTarget } from '../../http/targets.js'
import type { Middleware } from '../../middleware/middleware.js'
import { splitVersion } from '../../middleware/version-names.js'
import { checkOptions } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { requireDescription, type ServiceDescription } from '../../plan/description.js'
import type { DocumentFragment } from '../../plan/document-options.js'
import { openapi } from '../openapi.js'
import { type CoveredPart, DescribedDocument } from './described.js'
import { type Held, holdResponse, watchResponse } from './held-response.js'

/** Options of `describeStrictly`. */
export interface DescribeStrictlyOptions {
  /** Descriptions of hand-written routes, as for `openapi()`. */
  readonly fragments?: readonly DocumentFragment[]
  /**
   * Called with each fault of a response. If this option is set, the response is sent unchanged and
   * is not replaced with a 500.
   */
  readonly onFault?: (fault: string) => void
}

export const describeStrictlyKinds: Kinds<DescribeStrictlyOptions> = {
  fragments: { each: 'table' },
  onFault: 'function',
}

/** The middleware that `describeStrictly()` returns. */
export interface DescribeStrictly extends Middleware {
  /**
   * Returns the parts of the document that have not occurred in any response yet. `what` selects
   * the parts: `statuses` (default) such as `listPieces 304`, `codes` of problems such as
   * `listPieces 400 invalid-query`, or `headers` such as `listPieces 200 Link`. Either the tests do
   * not cover such a part, or no request can cause it.
   */
  unreached(version: string, what?: CoveredPart): readonly string[]
}

/**
 * For tests: compares each response of a version with the OpenAPI document of the version, and each
 * response of the login with the documents of all versions. If a document does not describe the
 * status, a header or the body, the response is replaced with a 500 that lists the faults. The
 * document of a version is built when it is first needed. Bodies of up to 1 MiB are buffered.
 * Longer bodies are not compared. The middleware is not meant for production. Throws
 * `ConfigurationError` if the first argument is not a service, or if an option is invalid.
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
  const documents = new Map<string, DescribedDocument>()
  const described = (version: string): DescribedDocument => {
    const known = documents.get(version) ?? new DescribedDocument(openapi(service, version, { fragments }), fragments)
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
        const answered = { ...held, method, path: found.path, isOutsideVersions: found.isOutsideVersions, before }
        return [...new Set(found.versions.flatMap((version) => described(version).faults(answered)))]
      } catch (error) {
        // An exception here would close the connection without a message.
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
    unreached: (version: string, what: CoveredPart = 'statuses') => described(sole ? '' : version).unreached(what),
  })
}

/** The versions whose documents describe a path, and the path in these documents. */
export interface DescribedPath {
  readonly versions: readonly string[]
  readonly path: string
  /** Whether the path is outside of all versions, like the path of the login. */
  readonly isOutsideVersions: boolean
}

/**
 * Returns the versions whose documents describe a path. Returns `undefined` if the path is neither
 * below a served version nor the path of the login.
 */
export function describedPath({ versions, facts }: ServiceDescription, path: string): DescribedPath | undefined {
  if (versions.has('')) return { versions: [''], path, isOutsideVersions: false }
  const living = [...versions].flatMap(([name, entry]) => (entry === 'retired' ? [] : [name]))
  const found = splitVersion(path)
  // The login is outside of all versions, and each document describes it.
  if (found === undefined)
    return facts.login && /^\/login\/?$/.test(path) ? { versions: living, path, isOutsideVersions: true } : undefined
  return living.includes(found.name)
    ? { versions: [found.name], path: found.rest, isOutsideVersions: false }
    : undefined
}

const refusal = (faults: readonly string[]): Buffer =>
  Buffer.from(
    JSON.stringify({ title: 'The document does not describe this response', status: 500, detail: faults.join('\n') }),
  )

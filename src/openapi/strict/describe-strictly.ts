/** For tests: a service that answers what its document does not tell. */
import { splitTarget } from '../../http/targets.js'
import type { Middleware } from '../../middleware/middleware.js'
import { splitVersion } from '../../middleware/versions.js'
import { checkOptions, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { descriptionOf } from '../../plan/description.js'
import type { DocumentFragment } from '../../plan/document-options.js'
import { openapi } from '../openapi.js'
import { Described } from './described.js'
import { type Held, holdResponse } from './held-response.js'

/** How answers are held against the document. */
export interface DescribeStrictlyOptions {
  /** Hand-written routes, as `openapi()` takes them. */
  readonly fragments?: readonly DocumentFragment[]
  /** Hears of what an answer has that the document does not tell, in place of the 500: the answer leaves as it is. */
  readonly onFault?: (fault: string) => void
}

export const describeStrictlyKinds: Kinds<DescribeStrictlyOptions> = { fragments: { each: 'table' }, onFault: 'function' }

/** What `describeStrictly()` makes. */
export interface DescribeStrictly extends Middleware {
  /**
   * The answers that the document of a version tells and no request has got yet, as `listPieces 304`:
   * what a test of all of them has left out, or nobody can reach.
   */
  unreached(version: string): readonly string[]
}

/**
 * For tests: holds every answer of the service behind it against its document. A status, a header or
 * a body that the document does not tell makes the answer a 500 that says what it is. It builds a
 * document for each version at its first request, and keeps each answer until its end: it is not for
 * production. Throws `ConfigurationError` where the service is none.
 *
 * @example app.use(describeStrictly(service), service)
 */
export function describeStrictly(service: object, options: DescribeStrictlyOptions = {}): DescribeStrictly {
  const { fragments = [], onFault } = checkOptions<DescribeStrictlyOptions>('describeStrictly()', options, describeStrictlyKinds)
  const description = descriptionOf(service)
  if (description === undefined) throw invalidOption('describeStrictly() got no service. Give what api() or resourceRouter() made.')
  const documents = new Map<string, Described>()
  const described = (version: string): Described => {
    const known = documents.get(version) ?? new Described(openapi(service, version, { fragments }), fragments)
    documents.set(version, known)
    return known
  }
  const alone = description.versions.has('')
  const placeOf = (path: string): { readonly name: string; readonly rest: string } | undefined => {
    if (alone) return { name: '', rest: path }
    const found = splitVersion(path)
    const entry = found === undefined ? undefined : description.versions.get(found.name)
    return entry === undefined || entry === 'retired' ? undefined : found
  }
  const describeStrictlyMiddleware: Middleware = (req, res, next) => {
    const place = placeOf(splitTarget(req.url ?? '/').path)
    if (place === undefined) return next()
    const { method = 'GET' } = req
    const faultsOf = (held: Held): readonly string[] => {
      try {
        return described(place.name).faults({ ...held, method, path: place.rest })
      } catch (error) {
        // Thrown from here it would end the connection, and nobody would know why.
        return [error instanceof Error ? error.message : String(error)]
      }
    }
    holdResponse(res, (held) => {
      const faults = faultsOf(held)
      if (faults.length === 0) return undefined
      if (onFault === undefined) return refusal(faults)
      for (const fault of faults) onFault(fault)
      return undefined
    })
    next()
  }
  return Object.assign(describeStrictlyMiddleware, { unreached: (version: string) => described(alone ? '' : version).unreached() })
}

const refusal = (faults: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify({ title: 'The document does not tell this answer', status: 500, detail: faults.join('\n') }))
